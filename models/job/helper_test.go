package job_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// tables hold everything that an operation on a job may write, but for audit rows and counted attempts,
// which refusals and replays leave too.
var tables = []string{"accounts", "entries", "operations", "jobs", "attempts", "job_events", "waiting_line", "outbox", "actions", "rule_versions", "decisions", "enrolments"}

// snapshot is the content of all tables of a database.
func snapshot(t testing.TB, m *modeltest.Models) string {
	t.Helper()
	var b strings.Builder
	for _, table := range tables {
		var text sql.NullString
		if err := m.G.Raw(`SELECT string_agg(r::text, E'\n' ORDER BY r::text) FROM ` + table + ` r`).Row().Scan(&text); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s:\n%s\n", table, text.String)
	}
	return b.String()
}

// wrap makes a GORM handle over a transaction.
func wrap(tx *sql.Tx) (*gorm.DB, error) {
	return gorm.Open(postgres.New(postgres.Config{Conn: tx}), &gorm.Config{SkipDefaultTransaction: true, DisableAutomaticPing: true, Logger: logger.Discard})
}

// grantTo gives an account credits.
func grantTo(t testing.TB, m *modeltest.Models, account string, amount int64) {
	t.Helper()
	_, err := m.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: amount, Category: ledger.Paid})
	if err != nil {
		t.Fatal(err)
	}
}
