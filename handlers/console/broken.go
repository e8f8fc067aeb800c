package console

import (
	"context"

	"recoup/handlers/present"
	"recoup/models/ledger"
	"recoup/models/verify"
)

// brokenEntries are the pages of those entries with which the last verification found something wrong.
func (h *Console) brokenEntries(ctx context.Context, entries []ledger.Entry) (map[string]bool, error) {
	names := make([]verify.EntryName, len(entries))
	for i, e := range entries {
		names[i] = verify.EntryName{Account: e.AccountID, Seq: e.Seq}
	}
	found, err := h.Verifier.Broken(ctx, names)
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(found))
	for name := range found {
		out[present.EntryURL(name.Account, name.Seq)] = true
	}
	return out, nil
}
