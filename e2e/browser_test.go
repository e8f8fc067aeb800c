// Package e2e drives the console in a real browser against a real server and database.
//
// The browser is the program that RECOUP_CHROMIUM names, or chromium, chromium-browser or google-chrome on PATH.
// Without one the tests are skipped; with RECOUP_REQUIRE_BROWSER=1 they fail instead.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"recoup/models/modeltest"
)

func TestMain(m *testing.M) {
	code := modeltest.Main(m)
	if b, err := startBrowser(); err == nil {
		b.stop()
	}
	os.Exit(code)
}

// browser is the test binary's one browser process. Each test has a context of its own in it, with cookies of its own.
type browser struct {
	ctx  context.Context
	stop context.CancelFunc
}

// errNoBrowser says what to install.
var errNoBrowser = fmt.Errorf("no browser found: install chromium, or name one in RECOUP_CHROMIUM")

func findBrowser() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if named := os.Getenv("RECOUP_CHROMIUM"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoBrowser
}

// startBrowser is a package variable because a test binary has exactly one browser, like its flags.
var startBrowser = sync.OnceValues(func() (*browser, error) {
	path, err := findBrowser()
	if err != nil {
		return nil, err
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true)}
	if os.Geteuid() == 0 {
		// Chromium refuses to start its sandbox as root.
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	stop := func() { stopBrowser(); stopAllocator() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return &browser{ctx: ctx, stop: stop}, nil
})

// tab is one person's window.
type tab struct {
	t    *testing.T
	base string
	ctx  context.Context

	mu sync.Mutex
	// faults are errors of scripts, of the console and of the content security policy.
	faults []string
	// answered says that answers above 399 are part of the test.
	answered bool
}

// patience is how long a page may take to show what is awaited, on a busy machine.
const patience = 20 * time.Second

// open makes a window of 1280 by 900 in a context of its own. Any error that the page reports fails the test at its end.
func open(t *testing.T, base string) *tab {
	t.Helper()
	b, err := startBrowser()
	if err != nil {
		if os.Getenv("RECOUP_REQUIRE_BROWSER") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	w := &tab{t: t, base: base, ctx: ctx}
	// The first call makes the tab, which lives as long as the context of that call.
	if err := chromedp.Listen(ctx, w.listen); err != nil {
		t.Fatal(err)
	}
	w.size(1280, 900)
	// Colours are measured, and a colour on its way is neither.
	still := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, still); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, f := range w.faults {
			t.Errorf("the page reported: %s", f)
		}
	})
	return w
}

func (w *tab) listen(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			fault = string(e.Type)
			for _, a := range e.Args {
				fault += " " + string(a.Value) + a.Description
			}
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level == cdplog.EntryLevelError || e.Entry.Source == cdplog.EntrySourceSecurity {
			fault = string(e.Entry.Source) + ": " + e.Entry.Text + " " + e.Entry.URL
		}
	}
	if fault == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answered && (strings.Contains(fault, "Failed to load resource") || strings.Contains(fault, "Response Status Error Code")) {
		return
	}
	w.faults = append(w.faults, fault)
}

// expectRefusals lets the server answer above 399 in this test.
func (w *tab) expectRefusals() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = true
}

func (w *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		w.t.Fatalf("%v\nat %s\n%s", err, w.where(), w.body())
	}
}

func (w *tab) size(width, height int64) {
	w.t.Helper()
	w.run(chromedp.EmulateViewport(width, height))
}

// withoutScript turns scripts of pages off.
func (w *tab) withoutScript() {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tab) goTo(path string) {
	w.t.Helper()
	w.run(chromedp.Navigate(w.base + path))
}

// eval runs an expression in the page and returns its value, that of a promise when it has come.
func eval[T any](w *tab, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%v\nat %s", err, w.where())
	}
	return v
}

// truth evaluates a condition; while a page is being left it is false.
func (w *tab) truth(condition string) bool {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+condition+")"))
	return err == nil && ok
}

// until waits for a condition of the page.
func (w *tab) until(condition string) {
	w.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(15 * time.Millisecond) {
		if w.truth(condition) {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("never became true: %s\nat %s\n%s", condition, w.where(), w.body())
		}
	}
}

// sees waits until the page shows some text.
func (w *tab) sees(texts ...string) {
	w.t.Helper()
	for _, s := range texts {
		w.until(fmt.Sprintf("document.readyState === 'complete' && document.body.innerText.includes(%q)", s))
	}
}

// at waits until the page at this path is there; the query may go on behind what is given.
func (w *tab) at(path string) {
	w.t.Helper()
	w.until(fmt.Sprintf("document.readyState === 'complete' && (location.pathname + location.search).startsWith(%q)", path))
}

// click clicks into the middle of an element.
func (w *tab) click(selector string) {
	w.t.Helper()
	at := w.middle(selector)
	w.run(chromedp.MouseClickXY(at[0], at[1]))
}

// doubleClick clicks twice as fast as can be.
func (w *tab) doubleClick(selector string) {
	w.t.Helper()
	at := w.middle(selector)
	w.run(chromedp.MouseClickXY(at[0], at[1]), chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
}

// middle is where an element is, once it can be seen.
func (w *tab) middle(selector string) []float64 {
	w.t.Helper()
	w.until(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
	return eval[[]float64](w, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({ block: 'center' });
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`, selector))
}

// fill puts text into a field in the place of what it holds.
func (w *tab) fill(selector, value string) {
	w.t.Helper()
	w.until(fmt.Sprintf("document.querySelector(%q)?.checkVisibility()", selector))
	eval[bool](w, fmt.Sprintf("(e => { e.focus(); e.value = ''; return true; })(document.querySelector(%q))", selector))
	if _, err := chromedp.Call(w.ctx, input.InsertText, input.InsertTextParams{Text: value}); err != nil {
		w.t.Fatal(err)
	}
	w.until(fmt.Sprintf("document.querySelector(%q).value === %q", selector, value))
}

// choose picks a value of a select.
func (w *tab) choose(selector, value string) {
	w.t.Helper()
	w.until(fmt.Sprintf("(e => { e.value = %q; return e.value === %[1]q; })(document.querySelector(%q))", value, selector))
}

func (w *tab) press(keys ...string) {
	w.t.Helper()
	for _, k := range keys {
		if len(k) > 1 || k < " " {
			w.run(chromedp.KeyEvent(k))
			continue
		}
		// One event for key and character, as a keyboard sends them: a page that takes the key takes the character too.
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			e := input.DispatchKeyEventParams{Type: kind, Key: k}
			if kind == input.DispatchKeyEventTypeKeyDown {
				e.Text = k
			}
			if _, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, e); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// back is the browser's back button. The page may come out of the browser's memory as it was left.
func (w *tab) back() {
	w.t.Helper()
	eval[bool](w, "history.back(), true")
}

func (w *tab) where() string {
	ctx, cancel := context.WithTimeout(w.ctx, time.Second)
	defer cancel()
	at, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		return err.Error()
	}
	return at
}

func (w *tab) body() string {
	ctx, cancel := context.WithTimeout(w.ctx, time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	if len(text) > 1500 {
		text = text[:1500]
	}
	return text
}
