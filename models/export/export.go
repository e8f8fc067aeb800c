// Package export writes entries to files: CSV for anything, a workbook for spreadsheets, and plain-text
// accounting for hledger and its kin. Every writer takes one entry at a time and keeps none, so that memory
// does not grow with the file.
//
// A small file is written straight to who asked for it. A large one is asked of the background: a worker process writes it
// in pieces into the database, where every process that serves people can read it until it expires (Service).
package export

import (
	"io"
	"slices"
	"time"

	"recoup/models/ledger"
)

// Format names a kind of file.
type Format string

// The formats.
const (
	CSV      Format = "csv"
	Workbook Format = "xlsx"
	Journal  Format = "journal"
)

// Formats lists them in the order screens offer them.
func Formats() []Format { return []Format{CSV, Workbook, Journal} }

// ContentType is the format's media type.
func (f Format) ContentType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8"
	case Workbook:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case Journal:
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// Known reports whether f is one of the formats.
func (f Format) Known() bool { return slices.Contains(Formats(), f) }

// OldestFirst reports whether files of the format run with time. Lists run against it.
func (f Format) OldestFirst() bool { return f == Journal }

// Writer writes one file.
type Writer interface {
	// Write adds one entry.
	Write(e ledger.Entry) error
	// Close finishes the file. It does not close what the file is written to.
	Close() error
}

// New begins a file of a format. Times are written in zone.
func New(f Format, out io.Writer, zone *time.Location) (Writer, error) {
	switch f {
	case Workbook:
		return newWorkbook(out, zone, sheetEntries)
	case Journal:
		return newJournal(out, zone), nil
	case CSV:
	}
	return newCSV(out, zone)
}

// columns are the names of a table's columns; amounts and balances are in credits.
func columns(zone *time.Location) []string {
	return []string{"time (" + zone.String() + ")", "account", "seq", "type", "amount", "balance_after", "job", "action", "units",
		"operation", "rule_version", "rollout", "cohort", "actor", "category", "reference", "reason", "hash"}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
