package console

import "recoup/handlers/export"

// LimitSheets makes sheets smaller than they are, so that a test can fill one.
func (h *Console) LimitSheets(entries int64) {
	h.maxEntries = func(f export.Format) int64 {
		if f == export.Workbook {
			return entries
		}
		return f.MaxEntries()
	}
}

// OccupyExports takes every place for an export until the returned function is called.
func (h *Console) OccupyExports() (release func()) {
	for range maxExports {
		h.exports <- struct{}{}
	}
	return func() {
		for range maxExports {
			<-h.exports
		}
	}
}

// Amount is how the console reads an amount that a person typed.
func Amount(typed string) (int64, error) { return amount(typed) }
