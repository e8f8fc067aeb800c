package operation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Tx is the transaction of one operation that is being applied for the first time.
type Tx struct {
	// DB runs statements inside the transaction.
	DB *gorm.DB
	// Request is what was asked.
	Request Request
	// AccountKey is the scope's account, 0 for scopes of no account.
	AccountKey int64
	// StartedAt is when the operation was claimed, by the database's clock.
	StartedAt time.Time
	// TraceID is stored with everything the operation writes; nil outside a trace.
	TraceID []byte
	// JobKey is set by the change when the operation concerns one job, so that the job's page finds it.
	JobKey int64

	final       []statement
	afterCommit []func()
}

type statement struct {
	sql  string
	args []any
}

// Finally adds a data-modifying statement to those that run together with the storing of the
// result, in one round trip. They all see the state before the round trip, so none may depend on
// another's rows but through RETURNING: the name under which a later statement can select what this
// one returns is the result. Two may not change the same row.
func (tx *Tx) Finally(sql string, args ...any) (name string) {
	tx.final = append(tx.final, statement{sql, args})
	return fmt.Sprintf("f%d", len(tx.final)-1)
}

// AfterCommit adds something to do once the transaction is committed. It must not block or fail:
// what has to happen needs a row.
func (tx *Tx) AfterCommit(fn func()) { tx.afterCommit = append(tx.afterCommit, fn) }

func (tx *Tx) finish(ctx context.Context, result []byte) error {
	var b strings.Builder
	var args []any
	for i, st := range tx.final {
		if i == 0 {
			b.WriteString("WITH ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "f%d AS (%s)", i, st.sql)
		args = append(args, st.args...)
	}
	b.WriteString(` UPDATE operations SET result = ?::json, completed_at = clock_timestamp(), job_key = NULLIF(?::bigint, 0)
		WHERE account_key = ? AND scope = ? AND id = ?`)
	args = append(args, string(result), tx.JobKey, tx.AccountKey, tx.Request.Scope.Name, tx.Request.ID)
	res := tx.DB.WithContext(ctx).Exec(b.String(), args...)
	if res.Error != nil {
		return fmt.Errorf("operation: finish %s: %w", tx.Request.Kind, res.Error)
	}
	if res.RowsAffected != 1 {
		return fmt.Errorf("operation: finish %s: the claimed row is gone", tx.Request.Kind)
	}
	return nil
}
