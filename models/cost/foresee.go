package cost

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Foreseen is what recording a batch would come to now.
type Foreseen struct {
	Attributed, Overhead, Unattributed int64
	// Known counts the records that are there already, by source and external id.
	Known int64

	// latest is the last moment that an unattributed record is of, by its action; "" stands for none.
	latest map[string]time.Time
}

// Concerns tells whether an unattributed record concerns an action in a period that began at from: one of that action,
// whenever it arose, or one without any that is of a moment since, which concerns every action.
func (f Foreseen) Concerns(action string, from time.Time) bool {
	if _, known := f.latest[action]; known && action != "" {
		return true
	}
	at, ok := f.latest[""]
	return ok && !at.Before(from)
}

// Foresee tells what recording these records of a source would come to, without recording them. The records are those of
// a batch that Record would take.
func (s *Service) Foresee(ctx context.Context, source string, records []NewRecord) (Foreseen, error) {
	f := Foreseen{latest: map[string]time.Time{}}
	for part := range slices.Chunk(records, chunk) {
		given, err := rowsOf(part)
		if err != nil {
			return f, err
		}
		var rows []struct {
			State  string
			Action string
			Count  int64
			Latest time.Time
		}
		err = s.g.WithContext(ctx).Raw(`SELECT CASE WHEN k.key IS NOT NULL THEN 'known' WHEN t.account_key IS NOT NULL THEN 'attributed'
				WHEN u.key IS NOT NULL THEN 'overhead' ELSE 'unattributed' END AS state, COALESCE(r.action, '') AS action, count(*) AS count, max(`+lastMoment("r")+`) AS latest
			FROM (SELECT ?::text AS source, x.* FROM jsonb_to_recordset(?::jsonb) AS x `+givenColumns+`) r
			LEFT JOIN cost_records k ON k.source = r.source AND k.external_id = r.external_id
			`+target+` GROUP BY 1, 2`, source, given).Scan(&rows).Error
		if err != nil {
			return f, fmt.Errorf("cost: foresee: %w", err)
		}
		for _, x := range rows {
			switch State(x.State) {
			case Attributed:
				f.Attributed += x.Count
			case Overhead:
				f.Overhead += x.Count
			case Unattributed:
				f.Unattributed += x.Count
				if f.latest[x.Action].Before(x.Latest) {
					f.latest[x.Action] = x.Latest
				}
			default:
				f.Known += x.Count
			}
		}
	}
	return f, nil
}
