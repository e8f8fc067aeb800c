package job

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// Sound tells whether the flags and the cost of a job are what its entries moved: one charge of the cost, a refund of it where
// the job is refunded and nowhere else, and the same of the reclaim. It is false only for what an owner of the tables changed.
func (s *Service) Sound(ctx context.Context, j Job) (bool, error) { return sound(ctx, s.g, j) }

func sound(ctx context.Context, g *gorm.DB, j Job) (bool, error) {
	var entries []struct {
		Type   ledger.Type
		Amount int64
	}
	err := g.WithContext(ctx).Raw(`SELECT type, amount FROM entries WHERE account_key = ? AND job_key = ? AND type IN ('charge', 'refund', 'reclaim')`,
		j.AccountKey, j.Key).Scan(&entries).Error
	if err != nil {
		return false, fmt.Errorf("job: entries: %w", err)
	}
	want := map[ledger.Type]int64{ledger.Charge: -j.Cost}
	if j.IsRefunded {
		want[ledger.Refund] = j.Cost
	}
	if j.IsReclaimed {
		want[ledger.Reclaim] = -j.Cost
	}
	if len(entries) != len(want) {
		return false, nil
	}
	for _, e := range entries {
		if amount, is := want[e.Type]; !is || amount != e.Amount {
			return false, nil
		}
	}
	return true, nil
}

// mustBeSound refuses a person's change that moves credits by flags which the entries do not bear out. The guards of signals do
// without: they run for every job, and the database refuses a second entry of a kind.
func (s *Service) mustBeSound(ctx context.Context, tx *operation.Tx, j Job) error {
	ok, err := sound(ctx, tx.DB, j)
	if err != nil || ok {
		return err
	}
	return fault.New(fault.Conflict, fault.CodeJobInconsistent, "The entries of job %s are not what its flags and its cost say. Nothing was changed.", j.ID)
}
