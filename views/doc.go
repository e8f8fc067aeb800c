// Package views is the room of everything a person sees: templ components and their view models.
//
//	text/    words in English and Japanese, formatters
//	ui/      the parts pages are made of: marks, ids, chips, pagers, forms, notices
//	layout/  the frame around every page
//	one package a page, or a few pages of one thing: overview, ledger, accounts, jobs, deadletters, operations,
//	search, message, person
//
// View models are structs of strings, bools and URLs. No package below imports the domain, the database or the
// web framework; a handler maps what it read to a view model and renders the page into a buffer. After a change
// of a .templ file run "go tool templ generate"; the generated files are committed.
//
// The tests of this package render every page with rich and with empty models in both languages. With
// RECOUP_GALLERY=directory they also write the pages there, to be looked at in a browser.
package views
