// Package bulkgrants is the upload of a file of grants and the page of one file: preview, confirmation, progress.
//
// The upload is posted to /grants/import as multipart/form-data with operation_id and file; the confirmation to
// /grants/import/{id} with operation_id.
package bulkgrants

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// PartID is the element of a file's page that asks for itself while the file is being applied.
const PartID = "bulk"

// Problem is what is wrong with a line.
type Problem struct {
	Line   string // empty: the file as a whole
	Column string
	What   string
	Value  string
}

// Row is one file of the list.
type Row struct {
	Name    string
	URL     string
	At      text.Stamp
	By      string
	Lines   string
	Credits string
	State   string
}

// Upload is the page that takes a file.
type Upload struct {
	ui.Act
	File     ui.Field
	MaxLines string
	MaxMiB   string
	Columns  string
	Problems []Problem
	Zone     string
	Rows     []Row
}

// File is the page of one file.
type File struct {
	ui.Act   // of the confirmation
	Name     string
	URL      string
	State    string
	Say      string
	Facts    []ui.Fact
	Problems []Problem
	// Confirm is the label of the button that confirms; empty: there is nothing to confirm.
	Confirm    string
	ConfirmSay []string
	Request    ui.Link // the change request; zero: none
	// Running asks again for the page until it is over; Done of Total lines are written.
	Running     bool
	Done, Total string
	Message     string // what ended it; empty: nothing
	Lines       *Lines
}

func (m File) poll() templ.Attributes {
	if !m.Running {
		return nil
	}
	return templ.Attributes{"hx-get": m.URL, "hx-trigger": "every 1s", "hx-select": "#" + PartID, "hx-target": "#" + PartID, "hx-swap": "outerHTML"}
}

func (m File) crumbs(l text.Locale) []ui.Link {
	return []ui.Link{{Text: l.T("nav.accounts"), URL: "/accounts"}, {Text: l.T("bulk.title"), URL: "/grants/import"}}
}

func (m Upload) invalid() templ.Attributes {
	if m.File.Error == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true"}
}
