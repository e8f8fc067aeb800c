package e2e

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"recoup/models/staff"
)

//go:embed testdata/axe.min.js
var axe string

// pages are all kinds of pages of the furnished world, and the words that a page has when it is the right one.
func pages() []string {
	return []string{
		"/queue",
		"/queue?tab=retrying",
		"/queue?tab=running",
		"/queue?action=nothing&held=1",
		"/queue/hold",
		"/dependencies",
		"/new/hold",
		"/dependencies/render-farm",
		"/dependencies/render-farm/release",
		"/dependencies/render-farm/settings",
		"/dependencies/render-farm/default",
		"/dead-letters?tab=mine",
		"/dead-letters?tab=snoozed",
		"/dead-letters/groups",
		"/dead-letters/groups?view=all",
		deadGroup(),
		deadGroup() + "/snooze",
		deadGroup() + "/resolve",
		jobPath("aurora-films", longJob, "/recover"),
		jobPath("aurora-films", longJob, "/note"),
		"/",
		"/ledger",
		"/ledger?type=charge&period=this_month&account=aurora-films",
		"/ledger?account=nobody",
		"/accounts",
		"/accounts?negative=1",
		"/accounts/aurora-films",
		"/accounts/zephyr-audio",
		"/accounts/cold",
		"/accounts/aurora-films/grants",
		"/accounts/aurora-films/adjustments",
		"/accounts/aurora-films/freeze",
		"/accounts/cold/unfreeze",
		"/approvals",
		"/approvals?tab=mine",
		"/approvals?tab=decided",
		"/grants/import",
		"/audit",
		"/audit?outcome=refused",
		"/integrity",
		"/integrity/runs/1",
		"/integrity/run",
		"/accounts/aurora-films/profile",
		"/accounts/aurora-films/notes",
		"/accounts/cold/notes",
		"/accounts/aurora-films/notes/new",
		"/months",
		"/months/2025-09",
		"/months/2025-10",
		"/months/2025-08/close",
		"/jobs?money=refunded",
		"/jobs",
		jobPath("aurora-films", longJob, ""),
		jobPath("zephyr-audio", "late-1", ""),
		jobPath("aurora-films", "waiting-1", "/cancel"),
		jobPath("aurora-films", longJob, "/requeue"),
		jobPath("aurora-films", longJob, "/discard"),
		jobPath("hoshino-works", "gone-1", "/reopen"),
		"/dead-letters",
		"/dead-letters?tab=late",
		"/dead-letters?tab=resolved",
		"/search?q=a",
		"/search?q=nothing-like-it",
		"/preferences",
		"/nowhere",
		"/pricing",
		"/pricing/actions/video_render",
		"/pricing/new?action=video_render",
		"/rollouts",
		"/new/rollout",
		"/inbox",
		"/inbox?all=1",
		"/exports",
	}
}

// TestEveryPage opens every page in English and Japanese, light and dark: nothing is cut off at 1280 px or overflows at
// 390 px, axe finds nothing, and neither the console nor the content security policy reports anything.
func TestEveryPage(t *testing.T) {
	for _, lang := range []string{"en", "ja"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := furnished(t)
			b := w.as(staff.Admin, staff.Preferences{Language: lang, TimeZone: "America/New_York", Theme: "light"})
			b.expectRefusals()
			for _, path := range slices.Concat(pages(), costPages(), w.webhookPages(), w.settlementPages(), w.rolloutPages(), w.paperPages(), []string{w.requests[0], w.requests[0] + "/approve", w.requests[0] + "/reject"}) {
				b.size(1280, 900)
				b.goTo(path)
				b.until(fmt.Sprintf("document.readyState === 'complete' && document.documentElement.lang === %q && document.documentElement.dataset.theme === 'light'", lang))
				b.fits(path, 1280)
				if gaps := eval[[]string](b, `document.body.innerText.match(/[^\n]*\{\d+\}[^\n]*/g) ?? []`); len(gaps) > 0 {
					t.Errorf("%s in %s: places for values were left empty: %q", path, lang, gaps)
				}
				if path == "/audit" {
					// What was done has a name in the person's language, not the code that it is kept under.
					if codes := eval[[]string](b, `[...document.querySelectorAll('main tbody td:nth-child(3)')].map(e => e.innerText).filter(s => /_/.test(s))`); len(codes) > 0 {
						t.Errorf("%s in %s: actions without a name: %q", path, lang, codes)
					}
				}
				b.picture(path, lang+"-light", 1280)
				// Markup is the same in all four, words and colours are not.
				if lang == "en" {
					b.accessible(path)
				} else {
					b.accessible(path, "color-contrast", "button-name", "link-name", "html-has-lang", "html-lang-valid", "label")
				}
				eval[bool](b, "document.documentElement.dataset.theme = 'dark', true")
				b.accessible(path+" (dark)", "color-contrast")
				b.picture(path, lang+"-dark", 1280)
				b.size(390, 844)
				b.fits(path, 390)
				b.picture(path, lang+"-dark", 390)
				if b.pictures() != "" {
					eval[bool](b, "document.documentElement.dataset.theme = 'light', true")
					b.picture(path, lang+"-light", 390)
				}
			}
		})
	}
}

// TestDialogs looks at dialogs as they stand over their page.
func TestDialogs(t *testing.T) {
	t.Parallel()
	w := furnished(t)
	b := w.as(staff.Admin, staff.Preferences{})
	for page, link := range map[string]string{"/accounts/aurora-films": "/accounts/aurora-films/grants", "/dead-letters": jobPath("aurora-films", longJob, "/discard")} {
		b.size(1280, 900)
		b.goTo(page)
		b.until("document.documentElement.dataset.js === ''")
		b.click(fmt.Sprintf("a[href=%q]", link))
		b.until("document.querySelector('#dialog[open] #form')")
		b.accessible(link)
		b.size(390, 844)
		b.fits(link, 390)
	}
}

func TestSignInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, w.base)
	for _, path := range []string{"/sign-in", "/sign-in?lang=ja", "/sign-in/link?token=x", "/sign-in/link"} {
		b.size(1280, 900)
		b.goTo(path)
		b.accessible(path)
		b.size(390, 844)
		b.fits(path, 390)
	}
}

// fits fails the test when the page is wider than the window, or a part of it is cut where nothing may be.
func (w *tab) fits(path string, width int) {
	w.t.Helper()
	found := eval[struct {
		Page int
		Wide []string
	}](w, `(() => {
		const wide = [];
		for (const e of document.querySelectorAll('main .sheet, main .card, main .tile, main .facts, main .head, dialog[open]')) {
			if (e.scrollWidth > e.clientWidth + 1) wide.push(e.className + ' ' + e.scrollWidth + ' in ' + e.clientWidth);
		}
		return { Page: document.documentElement.scrollWidth, Wide: wide };
	})()`)
	if found.Page > width {
		w.t.Errorf("%s at %d px: the page is %d px wide", path, width, found.Page)
	}
	for _, x := range found.Wide {
		w.t.Errorf("%s at %d px: cut off: %s", path, width, x)
	}
}

// accessible runs axe over the page, all of its rules or those that are named.
func (w *tab) accessible(path string, rules ...string) {
	w.t.Helper()
	if !w.truth("window.axe") {
		eval[bool](w, axe+"; true")
	}
	options := map[string]any{"resultTypes": []string{"violations"}, "selectors": false}
	if len(rules) > 0 {
		options["runOnly"] = rules
	}
	how, err := json.Marshal(options)
	if err != nil {
		w.t.Fatal(err)
	}
	found := eval[[]struct {
		ID, Impact, Help string
		Nodes            []string
	}](w, `axe.run(document, `+string(how)+`).then(r => r.violations
		.map(v => ({ ID: v.id, Impact: v.impact, Help: v.help, Nodes: v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')) })))`)
	for _, v := range found {
		w.t.Errorf("%s: %s (%s): %s\n  %q", path, v.ID, v.Impact, v.Help, v.Nodes)
	}
}
