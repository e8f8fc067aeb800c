package bulkgrants

import "recoup/views/ui"

// Lines are the lines of a file, page by page in the order of the file. Query parameter: line.
type Lines struct {
	Rows   []LineRow
	Say    string
	Pager  ui.Pager
	CSVURL string // empty: the reader may not download it
}

// LineRow is one line.
type LineRow struct {
	Number    string
	Account   ui.ID
	Reference string
	External  string // the document outside; may be empty
	Category  string
	Reason    string
	Standing  string  // what it would do
	Entry     ui.Link // what it did, in place of Standing; zero: nothing yet
	// Before and After are the balance around it; both empty where it does nothing.
	Before, After string
	Amount        string // signed
}
