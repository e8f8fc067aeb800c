package main

import (
	"context"
	"errors"
	"fmt"
)

// tailEntries is how many entries the account of the long tail has whose pages are measured.
const tailEntries = 40

// findTails chooses an account of the long tail in each ledger, so that both show as many rows: as many entries in all, and as
// many in the month before this one, and no account whose id begins with its own. The smallest ledger has the fewest to choose from.
func findTails(ctx context.Context, all []*pageLedger) error {
	type account struct {
		ID    string
		Month int64
	}
	wanted := int64(-1)
	for _, p := range all {
		var found []account
		err := p.g.WithContext(ctx).Raw(`SELECT a.id, (SELECT count(*) FROM entries e WHERE e.account_key = a.key
				AND e.created_at >= date_trunc('month', now()) - interval '1 month' AND e.created_at < date_trunc('month', now())) AS month
			FROM accounts a WHERE a.last_seq = ? AND a.key * 10 > (SELECT max(key) FROM accounts) ORDER BY month DESC, a.key`, tailEntries).Scan(&found).Error
		if err != nil {
			return fmt.Errorf("accounts of the long tail: %w", err)
		}
		for _, a := range found {
			if wanted < 0 {
				wanted = a.Month
			}
			if a.Month == wanted {
				p.tail = a.ID
				break
			}
		}
		if p.tail == "" {
			return errors.New("no account of the long tail has as many entries as one of the smaller ledger: generate larger ones")
		}
	}
	return nil
}
