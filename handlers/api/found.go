package api

import (
	"context"
	"time"

	"recoup/models/ledger"
	"recoup/models/verify"
)

// foundView is what the newest verification found wrong with an account's ledger.
type foundView struct {
	StartedAt time.Time      `json:"started_at" doc:"when that verification began"`
	Problems  int64          `json:"problems"`
	Checks    []verify.Check `json:"checks" doc:"the checks that found something"`
	FirstSeq  int64          `json:"first_seq,omitzero" doc:"the first entry concerned; left out where none is"`
}

// found tells what the newest verification found wrong with an account up to an entry, nil for nothing; upTo nil leaves nothing out.
func (a *API) found(ctx context.Context, account string, upTo *int64) (*foundView, error) {
	wrong, err := a.verifier.OfAccount(ctx, account, upTo)
	if err != nil || wrong == nil {
		return nil, err
	}
	return &foundView{StartedAt: wrong.Started, Problems: wrong.Problems, Checks: wrong.Checks, FirstSeq: wrong.First}, nil
}

// mark notes the entries of a page with which the newest verification found something wrong.
func (a *API) mark(ctx context.Context, entries []ledger.Entry, views []entryView) error {
	names := make([]verify.EntryName, len(entries))
	for i, e := range entries {
		names[i] = verify.EntryName{Account: e.AccountID, Seq: e.Seq}
	}
	broken, err := a.verifier.Broken(ctx, names)
	if err != nil {
		return err
	}
	for i, name := range names {
		views[i].Inconsistent = broken[name]
	}
	return nil
}
