package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var unfitForFiles = regexp.MustCompile(`[^A-Za-z0-9]+`)

// pictures is the directory that pictures of pages go to; empty when nobody asked for them.
func (w *tab) pictures() string { return os.Getenv("RECOUP_TEST_PICTURES") }

// picture keeps the whole page as it stands, for people to look at: what a browser can measure is not all that can be
// wrong with a page. It does so only where RECOUP_TEST_PICTURES names a directory; the file tells path, look and width.
func (w *tab) picture(path, look string, width int) {
	w.t.Helper()
	dir := w.pictures()
	if dir == "" {
		return
	}
	shot, err := chromedp.Call(w.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true)})
	if err != nil {
		w.t.Fatalf("picture of %s: %v", path, err)
	}
	name := fmt.Sprintf("%s.%s.%d.png", strings.Trim(unfitForFiles.ReplaceAllString(path, "-"), "-"), look, width)
	if err := os.WriteFile(filepath.Join(dir, name), shot.Data, 0o644); err != nil {
		w.t.Fatal(err)
	}
}
