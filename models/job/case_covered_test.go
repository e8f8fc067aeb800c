package job_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// between runs something once, right before the statement that a part of the text names.
type between struct {
	part string
	do   func()
	once sync.Once
}

func (b *between) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if b.do != nil && strings.Contains(d.SQL, b.part) {
		b.once.Do(b.do)
	}
	return ctx
}

func (b *between) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Credits that arrive between the guard that found too few and the look at why: the charge is not refused for want of
// credits that are there.
func TestAChargeIsNotRefusedForCreditsThatArrived(t *testing.T) {
	url := modeltest.URL(t)
	other := modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())
	other.Price(t, modeltest.Action, 1000)
	other.Account(t, "a", 10)
	b := &between{part: "AS whole", do: func() {
		_, err := other.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: 100, Category: ledger.Paid})
		if err != nil {
			t.Error(err)
		}
	}}
	m := modeltest.New(t, modeltest.Open(t, url, b), modeltest.Fast())
	_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: modeltest.Action, Units: 40})
	if err != nil {
		t.Errorf("charged 40 with 110 there: %v", err)
	}
	if got := m.Balance(t, "a"); got != 70 {
		t.Errorf("balance %d", got)
	}
}
