package db

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// Row runs one statement inside tx, or on the pool where tx is none, past GORM: for the few statements
// that every operation runs, where building the statement anew and scanning by reflection cost more
// than the network. Placeholders are PostgreSQL's own ($1). Errors come from Scan; Fault is up to the
// caller.
func Row(ctx context.Context, tx *gorm.DB, statement string, args ...any) *sql.Row {
	return tx.Statement.ConnPool.QueryRowContext(ctx, statement, args...)
}

// Rows is Row for a statement that may find several. The caller closes what it returns.
func Rows(ctx context.Context, tx *gorm.DB, statement string, args ...any) (*sql.Rows, error) {
	return tx.Statement.ConnPool.QueryContext(ctx, statement, args...)
}
