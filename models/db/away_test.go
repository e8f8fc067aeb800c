package db_test

import (
	"context"
	"errors"
	"testing"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/modeltest"
)

// TestFaultOfAnAbsentDatabase asks a server that is not there and one that ends the connection in the
// middle of a transaction: both are database_unavailable, and a query that is merely wrong is not.
func TestFaultOfAnAbsentDatabase(t *testing.T) {
	ctx := context.Background()
	if _, err := db.Open(ctx, db.Config{URL: "postgres://nobody@127.0.0.1:1/none"}); !fault.Is(db.Fault(err), fault.CodeDatabaseUnavailable) {
		t.Errorf("nobody listens: %v", err)
	}
	url := modeltest.URL(t)
	g, killer := modeltest.Open(t, url, nil), modeltest.Open(t, url, nil)
	err := db.InTx(ctx, g, func(tx *gorm.DB) error {
		var pid int
		if err := tx.Raw(`SELECT pg_backend_pid()`).Scan(&pid).Error; err != nil {
			return err
		}
		if err := killer.Exec(`SELECT pg_terminate_backend(?)`, pid).Error; err != nil {
			return err
		}
		return tx.Exec(`SELECT 1`).Error
	})
	if !fault.Is(err, fault.CodeDatabaseUnavailable) {
		t.Errorf("the connection was ended: %v", err)
	}
	if f := fault.As(err); f != nil && (f.Kind != fault.Busy || f.RetryAfter <= 0) {
		t.Errorf("the caller is not told to try again: %+v", f)
	}
	wrong := db.InTx(ctx, g, func(tx *gorm.DB) error { return tx.Exec(`SELECT nothing FROM nowhere`).Error })
	if wrong == nil || fault.As(wrong) != nil {
		t.Errorf("a wrong statement: %v", wrong)
	}
	if err := db.Fault(context.Canceled); !errors.Is(err, context.Canceled) || fault.As(err) != nil {
		t.Errorf("a caller that left: %v", err)
	}
}
