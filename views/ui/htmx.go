package ui

import "github.com/a-h/templ"

// ListID is the id of the element that a list page swaps when htmx asks: filters, rows and pager together.
// A handler that sees the headers HX-Request: true and HX-Target: list may answer with the page's List
// component alone; a full page works too. Either way it sends Vary: HX-Request.
const ListID = "list"

// Boost makes htmx take over the links and GET forms inside an element and put the answer in place of the list.
func Boost() templ.Attributes {
	return templ.Attributes{
		"hx-boost":  "true",
		"hx-target": "#" + ListID,
		"hx-select": "#" + ListID,
		"hx-swap":   "outerHTML show:none",
	}
}

// noticeRole lets a screen reader break in for what went wrong, and wait its turn for what went well.
func noticeRole(k NoticeKind) templ.Attributes {
	if k == Conflict || k == Failure {
		return templ.Attributes{"role": "alert"}
	}
	return templ.Attributes{"role": "status"}
}
