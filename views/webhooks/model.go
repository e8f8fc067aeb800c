// Package webhooks is the list of receivers outside, the page of one with what was sent to it, and the forms that
// change it.
package webhooks

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Row is one endpoint of the list.
type Row struct {
	URL     ui.Link // the address, to the endpoint's page
	Note    string  // its description
	Events  string
	State   string // active, disabled
	Down    bool   // active, but takes no calls at the moment
	Waiting string // deliveries; "" for none
	Failed  string // of the last week; "" for none
	Created text.Stamp
}

// Model is the list of endpoints.
type Model struct {
	NewURL     string
	Zone       string
	Rows       []Row
	Unreadable *ui.Unreadable
}

// Delivery is one event on its way.
type Delivery struct {
	Event   ui.ID // the event's id, to the delivery's page
	Type    string
	State   string // waiting, delivered, failed
	Tries   string
	Last    string // what the receiver said last; "" before the first try
	Created text.Stamp
	Next    text.Stamp // when it is tried next; none once it is over
}

// Endpoint is the page of one endpoint.
type Endpoint struct {
	URL         string
	ID          string
	Note        string
	State       string
	DownSince   text.Stamp // since when it takes no calls; none while it does
	CallAt      text.Stamp // when it is called again then
	Gone        bool       // disabled because the receiver said that it is gone
	Events      string
	CreatedBy   string
	Created     text.Stamp
	OldUntil    text.Stamp // until when the secret before the last rotation signs too; none when it does not
	Secret      string     // shown once, right after it was asked for; "" otherwise
	EditURL     string
	StateURL    string // disables, or makes active
	RotateURL   string
	SecretURL   string
	TestURL     string // "" while disabled
	Zone        string
	Tabs        []ui.Choice
	List        ui.List
	Deliveries  []Delivery
	Disabled    bool
	Description string
}

// Attempt is one try at a delivery.
type Attempt struct {
	Try    string
	At     text.Stamp
	Took   string // "120 ms"
	Status string // "204"; "" where no answer came
	OK     bool
	Error  string
	Answer string
}

// Sent is the page of one delivery.
type Sent struct {
	Endpoint  ui.Link
	Event     string
	Type      string
	State     string
	Created   text.Stamp
	Next      text.Stamp
	Body      string // exactly what was sent
	Attempts  []Attempt
	ResendURL string // "" while it waits, or its endpoint is disabled
	Zone      string
}

// Form is the form that adds or changes an endpoint.
type Form struct {
	ui.Act
	Version     string // of the endpoint that is changed; "" for a new one
	Name        string // its address now; "" for a new one
	PageURL     string
	URL         ui.Field
	Description ui.Field
	Events      []ui.Option
	EventsError string
	Reason      ui.Field
	PlainHTTP   bool
}

// Ask is a form with nothing but a reason.
type Ask struct {
	ui.Act
	Version string
	What    string // disable, enable, rotate, secret, test, resend: the words of "webhook.<What>_…"
	Name    string // the endpoint's address
	PageURL string
	Danger  bool
	Reason  ui.Field
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

func urlInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "2000", "autocomplete": "off", "spellcheck": "false", "placeholder": "https://"}
}

func crumbs(l text.Locale, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: l.T("webhooks.title"), URL: "/webhooks"}}, more...)
}
