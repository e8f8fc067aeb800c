package ledger

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/operation"
	"recoup/models/where"
)

// CountUpTo counts the filtered entries, but no further than limit: what it returns is exact below it.
// Faults: account_not_found.
func (s *Service) CountUpTo(ctx context.Context, f Filter, limit int64) (int64, error) {
	w, _, err := s.where(ctx, f)
	if err != nil {
		return 0, err
	}
	if len(f.Types) > 0 {
		w.And(ofType(f.Types...))
	}
	return countUpTo(s.g.WithContext(ctx), w, limit)
}

func countUpTo(g *gorm.DB, w *where.Clause, limit int64) (n int64, err error) {
	err = g.Raw(`SELECT count(*) FROM (SELECT 1 FROM entries e `+w.SQL()+where.Limit(int(limit))+`) x`, w.Args()...).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("ledger: count: %w", err)
	}
	return n, nil
}

// Exported is one file of entries that leaves the program.
type Exported struct {
	Actor     actor.Actor
	RequestID string
	Filter    Filter
	// Format is the kind of file, Zone the time zone in which its times are written.
	Format, Zone string
}

// ActionExport is the action of the audit row of a file of entries.
const ActionExport = "ledger.export"

// ExportObject names in audit rows whose entries a file holds: the account of the filter, or the ledger.
func ExportObject(f Filter) string {
	if f.AccountID != "" {
		return "account:" + f.AccountID
	}
	return "ledger"
}

// RecordExport appends the audit row of an export, committed when it returns: call it before the first byte is
// sent, so that no file leaves without one. The row's object is the account of the filter, or the ledger.
func (s *Service) RecordExport(ctx context.Context, x Exported) error {
	return audit.Record(ctx, s.g, audit.Row{Actor: x.Actor, Action: ActionExport, Object: ExportObject(x.Filter), RequestID: x.RequestID,
		TraceID: operation.TraceID(ctx), After: struct {
			Filter Filter `json:"filter"`
			Format string `json:"format"`
			Zone   string `json:"zone"`
		}{x.Filter, x.Format, x.Zone}})
}
