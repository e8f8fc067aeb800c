package present

import (
	"recoup/models/verify"
	"recoup/views/accounts"
	"recoup/views/ui"
)

// Wrong says what the last verification found of an account.
func (p Presenter) Wrong(w verify.OfAccount) string {
	names := make([]string, len(w.Checks))
	for i, c := range w.Checks {
		names[i] = string(c)
	}
	return p.L.N("account.wrong", w.Problems, p.L.Stamp(w.Started, p.Now).Full, p.checkNames(names))
}

// firstWrong leads to the first entry that the last verification named; zero where it named none that is there.
func (p Presenter) firstWrong(account string, w verify.OfAccount) ui.Link {
	if w.First == 0 {
		return ui.Link{}
	}
	return ui.Link{Text: p.L.T("why.break", p.L.Credits(w.First)), URL: EntryURL(account, w.First)}
}

// WrongAccount is what the last verification found of an account as its statement says it; zero for nothing.
func (p Presenter) WrongAccount(account string, w *verify.OfAccount) accounts.Wrong {
	if w == nil {
		return accounts.Wrong{}
	}
	return accounts.Wrong{Say: p.Wrong(*w), First: p.firstWrong(account, *w)}
}
