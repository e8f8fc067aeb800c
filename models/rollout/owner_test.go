package rollout_test

import (
	"context"
	"testing"

	"recoup/models/db"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// refuses runs statements as the owner of the tables, all triggers on: each would change a row and is refused.
func (w *world) refuses(when string, statements ...string) {
	w.t.Helper()
	for _, s := range statements {
		if err := w.G.Exec(s).Error; db.Code(err) != "RC002" {
			w.t.Errorf("%s: %s: %v", when, s, err)
		}
	}
}

// The database keeps what a rollout was made with, and the price that it begins from, also from whoever owns the tables.
func TestTheDatabaseKeepsStagesAndThePriceInForce(t *testing.T) {
	const stage = `INSERT INTO rollout_stages (rollout_id, stage, threshold) VALUES ('` + discount + `', 9, 100000)`
	for _, state := range []rollout.State{rollout.Draft, rollout.Running, rollout.Paused, rollout.Halted, rollout.RolledBack} {
		w := newWorld(t)
		w.into(discount, state)
		w.refuses(string(state), stage, `UPDATE actions SET unit = 'frame'`, `UPDATE actions SET created_at = now()`)
		const price = `UPDATE actions SET baseline = '` + v2 + `'`
		if state != rollout.Draft && state != rollout.RolledBack {
			w.refuses(string(state), price, `UPDATE actions SET baseline = NULL`)
		} else if err := w.G.Exec(price).Error; err != nil {
			t.Errorf("%s: %v", state, err)
		}
		// What may change does.
		if err := w.G.Exec(`UPDATE actions SET dependency = 'gpu'`).Error; err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}

// A retired action stays retired, with the price that it had.
func TestTheDatabaseKeepsWhatIsRetired(t *testing.T) {
	w := newWorld(t)
	if _, err := w.Pricing.RetireAction(context.Background(), pricing.RetireRequest{OperationID: ids.New(), Actor: by("").Actor, ID: modeltest.Action, Reason: "not sold any more"}); err != nil {
		t.Fatal(err)
	}
	w.refuses("retired", `UPDATE actions SET retired_at = NULL`, `UPDATE actions SET retired_at = now()`, `UPDATE actions SET baseline = '`+v2+`'`)
}
