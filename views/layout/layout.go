// Package layout is the frame around every page: rail, top bar, notices, heading.
//
// A handler builds a Frame once a request (person, locale, assets, counts) and passes it with the page's own
// view model to the page component, which calls Page or, before sign-in, Bare:
//
//	ledger.Page(frame, model).Render(ctx, buf)
//
// POST forms of the frame: /sign-out, and /preferences with one of the fields lang (en, ja), theme (auto,
// light, dark) or zone, and next, the path to return to. Neither is an operation with an id: both may be
// repeated at will, the last one stands.
package layout

import (
	"net/url"

	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Assets are the fingerprinted URLs of package static, in the order to link them.
type Assets struct {
	Styles  []string // static.Styles()
	Scripts []string // static.Scripts()
	Icon    string   // static.URL("icon.svg")
}

// Section is the entry of the rail that a page belongs to.
type Section string

// The sections of the rail. Values are the paths of their pages.
const (
	NoSection   Section = ""
	Overview    Section = "/"
	Inbox       Section = "/inbox"
	Ledger      Section = "/ledger"
	Accounts    Section = "/accounts"
	Exports     Section = "/exports"
	Months      Section = "/months"
	Prices      Section = "/pricing"
	Rollouts    Section = "/rollouts"
	Costs       Section = "/costs"
	Settlements Section = "/settlements"
	Approvals   Section = "/approvals"
	Jobs        Section = "/jobs"
	DeadLetters Section = "/dead-letters"
	Webhooks    Section = "/webhooks"
	Integrity   Section = "/integrity"
	Audit       Section = "/audit"
)

// Keys are the shortcuts that do something for the person: others are not listed.
type Keys struct {
	Triage, Requeue, Discard, Recover, Hold bool
}

// Frame is what every page needs beside its own content.
type Frame struct {
	L      text.Locale
	Assets Assets
	Theme  string // "light", "dark"; anything else follows the device
	Person string // name of who is signed in; empty: nobody, and no rail is shown
	// Path is the path and query of this page, to return to after a preference was changed. It must start
	// with one slash.
	Path                   string
	Query                  string // what stands in the search box
	Exports                bool   // the person may make files
	Keys                   Keys   // what the list of shortcuts holds beside moving about
	Pricing                bool   // the person may see prices and rollouts
	DeadLetters            string // number of dead letters that need review, beside the rail's entry; empty or "0": none
	Costs                  bool   // the person may see costs
	MayIntegrity, MayAudit bool   // whether the rail leads there
	Settlements            bool   // the person may see settlements
	Notices                []ui.Notice
	Webhooks               bool   // the person manages receivers outside
	Inbox                  string // number of messages that are unread; empty or "0": none
	Halted                 string // number of rollouts that are halted; empty or "0": none
	Approvals              string // number of change requests that wait for a second person; empty or "0": none
}

// Head is a page's heading: where it is, what it is about, and the plain sentence that answers the question a
// person came with.
type Head struct {
	Section Section
	Crumbs  []ui.Link // from the section down to the parent; the page itself is not part of it
	Title   string    // the H1 and, with the product's name, the window title
	ID      ui.ID     // id of the object, beside the title; zero: none
	State   string    // state of the object, beside the title (ui.State); empty: none
	Say     string    // one or two plain sentences; empty: none
	Actions templ.Component
}

// theme is the value of the data-theme attribute.
func (f Frame) theme() string {
	if f.Theme == "light" || f.Theme == "dark" {
		return f.Theme
	}
	return "auto"
}

// nextTheme is what the theme button leads to: auto → light → dark → auto.
func (f Frame) nextTheme() string {
	switch f.theme() {
	case "light":
		return "dark"
	case "dark":
		return "auto"
	default:
		return "light"
	}
}

// preferencesURL leads to the page of all preferences and remembers where to return to.
func (f Frame) preferencesURL() string {
	return "/preferences?" + url.Values{"next": {f.Path}}.Encode()
}

// htmxConfig is read by htmx from a meta element. No style element and no eval, because the content security
// policy forbids both. 409 and 422 carry a page that explains itself and are shown. No snapshots of pages
// are kept in the browser's storage: going back asks the server again.
const htmxConfig = `{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"historyCacheSize":0,"refreshOnHistoryMiss":true,"selfRequestsOnly":true,"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},{"code":"409","swap":true,"error":false},{"code":"422","swap":true,"error":false},{"code":"[45]..","swap":false,"error":true}]}`
