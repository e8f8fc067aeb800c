package console

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
