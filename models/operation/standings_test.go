package operation_test

import (
	"context"
	"fmt"
	"testing"

	"gorm.io/gorm"

	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
)

// Where many operations stand is looked up by their keys also on a connection that asked first while there were none, and before anybody
// told the database how many there are by now.
func TestStandingsAreLookedUpByKey(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "acct_1", 0)
	const many = 1000
	reqs := make([]operation.Request, many)
	for i := range reqs {
		e := modeltest.Envelope()
		e.OperationID = fmt.Sprintf("ref-%d", i)
		reqs[i] = ledger.GrantRequest{Envelope: e, AccountID: "acct_1", Amount: 1, Category: ledger.Paid}.Operation()
	}
	err := m.G.Connection(func(g *gorm.DB) error {
		if _, err := m.Ops.Standings(ctx, g, reqs[:1]); err != nil {
			return err
		}
		err := g.Exec(`INSERT INTO operations (account_key, scope, id, kind, input, input_version, actor, request_id, started_at, completed_at, result)
			SELECT a.key, '', 'ref-' || n, 'grant', '{}', 1, 'key:k', '', now(), now(), '{}' FROM accounts a, generate_series(0, ?) n`, many-1).Error
		if err != nil {
			return err
		}
		return g.Transaction(func(tx *gorm.DB) error {
			standings, err := m.Ops.Standings(ctx, tx, reqs)
			if err != nil {
				return err
			}
			for i, s := range standings {
				if s != operation.Differs {
					t.Fatalf("%d: %q", i, s)
				}
			}
			var read int64
			var mode string
			if err := tx.Raw(`SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'operations'`).Scan(&read).Error; err != nil {
				return err
			}
			if read > 0 {
				t.Errorf("%d rows were read one after the other for %d keys", read, many)
			}
			if err := tx.Raw(`SELECT current_setting('plan_cache_mode') || current_setting('enable_seqscan')`).Scan(&mode).Error; err != nil {
				return err
			}
			if mode != "force_generic_planon" {
				t.Errorf("plans are made as %s afterwards", mode)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
