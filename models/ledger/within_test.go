package ledger_test

import (
	"context"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/modeltest"
)

// A search that takes too long is ended by the database and is a fault of its own; the limit ends with it.
func TestASearchThatTakesTooLongSaysSo(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	sleep := func(g *gorm.DB) error { return g.Exec(`SELECT pg_sleep(0.5)`).Error }
	started := time.Now()
	err := m.Ledger.Within(t.Context(), 20*time.Millisecond, func(g *gorm.DB) error { return g.Exec(`SELECT pg_sleep(30)`).Error })
	if !fault.Is(err, fault.CodeFilterTooWide) || time.Since(started) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(started), err)
	}
	if err := sleep(m.G); err != nil {
		t.Errorf("the limit went on: %v", err)
	}
	// Who goes away is no reason to blame the filter.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := m.Ledger.Within(ctx, time.Minute, func(g *gorm.DB) error { return g.WithContext(ctx).Exec(`SELECT pg_sleep(30)`).Error }); err == nil || fault.Is(err, fault.CodeFilterTooWide) {
		t.Errorf("a request that ended: %v", err)
	}
}
