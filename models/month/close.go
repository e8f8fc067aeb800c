package month

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/horizon"
	"recoup/models/operation"
)

// Why a month cannot be closed: the states that a refusal tells, and Obstacle names.
const (
	// StateClosed: it is closed already.
	StateClosed = "month_closed"
	// StateGone: it was closed, as its operation or the audit log says, and the row that says so was taken away.
	StateGone = "month_gone"
	// StateNotOver: its last day is not over.
	StateNotOver = "month_not_over"
	// StateSettling: a transaction that could still write into it is open, or its end is too near.
	StateSettling = "month_settling"
	// StatePrevious: an earlier month with entries is not closed.
	StatePrevious = "month_previous_open"
	// StateLater: a later month is closed, so what is put right now stands after it.
	StateLater = "month_later_closed"
	// StateUnverified: verify has not run since it ended.
	StateUnverified = "month_unverified"
	// StateProblems: the last run of verify found something wrong with the ledger.
	StateProblems = "month_problems"
	// StateUntied: its closing is not the sum of all balances at its end.
	StateUntied = "month_untied"
	// StateMiscounted: its figures are not what its entries add up to. The refusal's detail "differences" names them.
	StateMiscounted = "month_miscounted"
	// StateChanged: its figures are no longer those that the person saw.
	StateChanged = "month_changed"
)

// settle is how long after its end a month is left alone: no statement is allowed to last longer.
const settle = 2 * time.Minute

// Obstacle is what stands in the way of closing a month.
type Obstacle struct {
	// State is one of the states above.
	State string
	// Month is the one that has to be closed first, for StatePrevious.
	Month calendar.Month
	// Checks are those that found something, for StateProblems.
	Checks []string
	// Since is when the oldest transaction began, for StateSettling; nil where it is not known.
	Since *time.Time
}

func (o Obstacle) fault(m calendar.Month) *fault.Error {
	say := map[string]string{
		StateClosed:     "Month %s is closed already.",
		StateGone:       "Month %s was closed before, and what it was closed with was taken away.",
		StateNotOver:    "Month %s is not over.",
		StateSettling:   "A transaction that could still write into month %s may be open. Try again in a few minutes.",
		StatePrevious:   "Before month %s an earlier one has to be closed: " + o.Month.String() + ".",
		StateLater:      "A month after %s is closed already.",
		StateUnverified: "The ledger was not verified since month %s ended.",
		StateProblems:   "Month %s cannot be closed while verify finds something wrong with the ledger: " + strings.Join(o.Checks, ", ") + ".",
		StateUntied:     "The closing of month %s is not the sum of all balances at its end.",
		StateMiscounted: "The figures of month %s, which come from kept sums, are not what its entries add up to.",
		StateChanged:    "The figures of month %s have changed since they were shown.",
	}[o.State]
	return fault.State(o.State, say+" Nothing was changed.", m)
}

// Obstacle returns the first thing that stands in the way of closing a month, nil when nothing does.
func (s *Service) Obstacle(ctx context.Context, m calendar.Month) (*Obstacle, error) {
	return s.settled(ctx, func() (*Obstacle, error) { return s.obstacle(ctx, s.g, m) })
}

// ObstacleTo is Obstacle for whoever has read the month and what is known of verify a moment ago.
func (s *Service) ObstacleTo(ctx context.Context, o Overview, verified *Verified) (*Obstacle, error) {
	if o.Closed != nil {
		return &Obstacle{State: StateClosed}, nil
	}
	return s.settled(ctx, func() (*Obstacle, error) { return s.between(ctx, s.g, o.Month, o.From, o.To, known(verified)) })
}

// settled asks for an obstacle, and once more where the horizon alone may stand in the way: nobody may have moved it since the
// month ended. It is moved for that only, since moving it writes.
func (s *Service) settled(ctx context.Context, ask func() (*Obstacle, error)) (*Obstacle, error) {
	o, err := ask()
	if err != nil || o == nil || o.State != StateSettling {
		return o, err
	}
	if _, err := horizon.Settle(ctx, s.g); err != nil {
		return nil, err
	}
	return ask()
}

func known(v *Verified) func(context.Context) (*Verified, error) {
	return func(context.Context) (*Verified, error) { return v, nil }
}

func (s *Service) obstacle(ctx context.Context, g *gorm.DB, m calendar.Month) (*Obstacle, error) {
	around, err := s.around(ctx, g, m)
	if err != nil {
		return nil, err
	}
	for _, r := range around {
		if r.Month == m.String() {
			return &Obstacle{State: StateClosed}, nil
		}
	}
	from, to := s.spanned(m, around)
	return s.between(ctx, g, m, from, to, s.Verified)
}

// wasClosed is whether the operation that closed a month, or the audit log, still tells of it. Its parameters are the scope, the month and the object.
const wasClosed = `EXISTS (SELECT 1 FROM operations WHERE account_key = 0 AND scope = ? AND kind = 'month_close' AND result ->> 'month' = ?)
			OR EXISTS (SELECT 1 FROM audit_log WHERE object = ? AND action = 'month.close' AND outcome = 'done')`

// between is the obstacle to closing the open month m between two moments.
func (s *Service) between(ctx context.Context, g *gorm.DB, m calendar.Month, from, to time.Time, verified func(context.Context) (*Verified, error)) (*Obstacle, error) {
	var f struct {
		Now, Final time.Time
		// Open is the oldest entry before the month that no closed month holds, Last the last month closed before it.
		Open *time.Time
		Last string
		// Later is true when a month after it is closed, Gone when it was closed itself.
		Later, Gone bool
	}
	// Whoever sees where the horizon is sees every entry before it.
	err := g.WithContext(ctx).Raw(`SELECT clock_timestamp() AS now, (SELECT final_at FROM horizon) AS final, COALESCE(last.month, '') AS last,
			(SELECT created_at FROM entries WHERE created_at < ? AND created_at >= COALESCE(last.ends, 'epoch') ORDER BY created_at LIMIT 1) AS open,
			EXISTS (SELECT 1 FROM closed_months WHERE ends > ?) AS later, `+wasClosed+` AS gone
		FROM (VALUES (1)) one LEFT JOIN (SELECT month, ends FROM closed_months WHERE ends <= ? ORDER BY ends DESC LIMIT 1) last ON true`,
		from, to, Scope().Name, m.String(), Object(m), from).Scan(&f).Error
	switch {
	case err != nil:
		return nil, fmt.Errorf("month: what stands in the way: %w", db.Fault(err))
	case f.Gone:
		return &Obstacle{State: StateGone}, nil
	case f.Now.Before(to):
		return &Obstacle{State: StateNotOver}, nil
	case f.Final.Before(to) || f.Now.Before(to.Add(settle)):
		since, err := horizon.Oldest(ctx, g)
		return &Obstacle{State: StateSettling, Since: since}, err
	case f.Later:
		return &Obstacle{State: StateLater}, nil
	case f.Open != nil:
		first, err := s.firstOpen(*f.Open, f.Last)
		return &Obstacle{State: StatePrevious, Month: first}, err
	}
	last, err := verified(ctx)
	switch {
	case err != nil:
		return nil, err
	case last == nil || last.StartedAt.Before(to):
		return &Obstacle{State: StateUnverified}, nil
	case len(last.Problems) > 0:
		return &Obstacle{State: StateProblems, Checks: last.Problems}, nil
	}
	return nil, nil
}

// firstOpen is the open month that holds a moment after the end of the last closed month, "" where none is closed. By the book
// time zone of today the moment may lie in a month that was closed in another zone and had ended by then.
func (s *Service) firstOpen(at time.Time, last string) (calendar.Month, error) {
	m := calendar.MonthOf(at.In(s.zone))
	if last == "" {
		return m, nil
	}
	closed, err := calendar.ParseMonth(last)
	if err != nil {
		return m, fmt.Errorf("month: %w", err)
	}
	if m.Before(closed.Next()) {
		m = closed.Next()
	}
	return m, nil
}

// CloseRequest asks for a month to be closed.
type CloseRequest struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	Month       calendar.Month
	// Digest is that of the figures the person saw.
	Digest string
	// Reason is required, at most 500 characters.
	Reason string
}

// CloseResult is the stored result of closing a month.
type CloseResult struct {
	Month       string    `json:"month"`
	From        time.Time `json:"from"`
	To          time.Time `json:"to"`
	Opening     string    `json:"opening"`
	Closing     string    `json:"closing"`
	Entries     int64     `json:"entries"`
	Digest      string    `json:"digest"`
	HeadsDigest string    `json:"heads_digest"`
}

// Object names a month in audit rows.
func Object(m calendar.Month) string { return "month:" + m.String() }

// Scope is the scope of closing months.
func Scope() operation.Scope { return operation.Named("months") }

// AlreadyClosed is the fault of who asks for a month to be closed that is closed: state_conflict.
func AlreadyClosed(m calendar.Month) error { return Obstacle{State: StateClosed}.fault(m) }

// Close closes a month: its figures and their digest are stored, and the ledger is anchored at the month's last
// moment. The figures are held against the month's entries themselves, by everything they are told apart by, which
// reads each of these entries once. Of two people who close at once, one does. Faults: state_conflict with one of the states above,
// invalid_request, and those of operation.Apply.
func (s *Service) Close(ctx context.Context, r CloseRequest) (operation.Outcome, error) {
	var bad []fault.Field
	switch reason := strings.TrimSpace(r.Reason); {
	case reason == "":
		bad = append(bad, fault.Field{Name: "reason", Message: "is required"})
	case len([]rune(reason)) > 500:
		bad = append(bad, fault.Field{Name: "reason", Message: "is too long"})
	}
	heads, counted := "", Figures{}
	if bad == nil {
		// What reads long or needs a transaction of its own comes first; all of it is looked at again inside.
		o, err := s.Obstacle(ctx, r.Month)
		if err != nil {
			return operation.Outcome{}, err
		}
		if o == nil {
			from, to, err := s.Span(ctx, r.Month)
			if err != nil {
				return operation.Outcome{}, err
			}
			if counted, err = s.recount(ctx, r.Month, from, to); err != nil {
				return operation.Outcome{}, err
			}
			if heads, err = s.Anchor(ctx, lastMoment(to)); err != nil {
				return operation.Outcome{}, fmt.Errorf("month: anchor: %w", err)
			}
		}
	}
	return s.Ops.Apply(ctx, operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "month_close", Actor: r.Actor, Object: Object(r.Month),
		RequestID: r.RequestID, Reason: r.Reason, Invalid: bad,
		Input: operation.Input{"month": r.Month.String(), "digest": r.Digest, "reason": r.Reason},
	}, func(ctx context.Context, tx *operation.Tx) (any, error) { return s.close(ctx, tx, r, heads, counted) })
}

// lastMoment is the last one of a month that ends at to; times of the ledger have microseconds.
func lastMoment(to time.Time) time.Time { return to.Add(-time.Microsecond) }

func (s *Service) close(ctx context.Context, tx *operation.Tx, r CloseRequest, heads string, counted Figures) (any, error) {
	// One after the other: the second finds the month closed.
	if err := tx.DB.WithContext(ctx).Exec(`SELECT pg_advisory_xact_lock(hashtextextended('recoup months', 0))`).Error; err != nil {
		return nil, fmt.Errorf("month: lock: %w", err)
	}
	o, err := s.obstacle(ctx, tx.DB, r.Month)
	if err != nil {
		return nil, err
	}
	if o == nil && heads == "" {
		// What stood in the way a moment ago is gone; the anchor was not taken.
		o = &Obstacle{State: StateSettling}
	}
	if o != nil {
		return nil, o.fault(r.Month)
	}
	from, to, err := s.span(ctx, tx.DB, r.Month)
	if err != nil {
		return nil, err
	}
	f, err := s.figures(ctx, tx.DB, r.Month, from, to)
	if err != nil {
		return nil, err
	}
	canonical, err := f.Canonical()
	if err != nil {
		return nil, err
	}
	digest, err := f.Digest()
	if err != nil {
		return nil, err
	}
	if digest != r.Digest {
		return nil, Obstacle{State: StateChanged}.fault(r.Month)
	}
	if d := Differences(counted, f); d != nil {
		return nil, Obstacle{State: StateMiscounted}.fault(r.Month).With("differences", differing(d))
	}
	balances, err := balancesAt(ctx, tx.DB, to)
	if err != nil {
		return nil, err
	}
	if balances.Minus(f.Closing).Sign() != 0 {
		return nil, Obstacle{State: StateUntied}.fault(r.Month).With("closing", f.Closing.String()).With("balances", balances.String())
	}
	res := tx.DB.WithContext(ctx).Exec(`INSERT INTO closed_months (month, zone, starts, ends, opening, closing, balances, entries, figures, digest,
			heads_digest, actor, reason, operation_id)
		VALUES (?, ?, ?, ?, ?::numeric, ?::numeric, ?::numeric, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (month) DO NOTHING`,
		r.Month.String(), f.Zone, from, to, f.Opening.String(), f.Closing.String(), balances.String(), f.Entries(), canonical, digest,
		heads, r.Actor.String(), r.Reason, r.OperationID)
	if res.Error != nil {
		return nil, fmt.Errorf("month: close: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return nil, Obstacle{State: StateClosed}.fault(r.Month)
	}
	result := CloseResult{Month: r.Month.String(), From: f.From, To: f.To, Opening: f.Opening.String(), Closing: f.Closing.String(), Entries: f.Entries(),
		Digest: digest, HeadsDigest: heads}
	err = audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: "month.close", Object: Object(r.Month), Reason: r.Reason, After: result,
		OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	return result, err
}

// differing are differences as a refusal tells them: figure, what the entries say, what the figures said.
func differing(list []Difference) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.Name + ": entries " + d.Stored + ", figures " + d.Now
	}
	return out
}

// balancesAt adds up each account's balance before a moment from the entry that holds it. No amount is read, so
// that it is another way to the same figure.
func balancesAt(ctx context.Context, g *gorm.DB, at time.Time) (credit.Sum, error) {
	var sum credit.Sum
	err := db.Row(ctx, g, `SELECT sum(e.balance_after) FROM accounts a CROSS JOIN LATERAL (
			SELECT balance_after FROM entries WHERE account_key = a.key AND created_at < $1 ORDER BY seq DESC LIMIT 1) e`, at).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("month: balances: %w", db.Fault(err))
	}
	return sum, nil
}

// RecordExport appends the audit row of a month's figures that leave the program as a file; call it before the
// first byte is sent.
func (s *Service) RecordExport(ctx context.Context, by actor.Actor, requestID string, m calendar.Month) error {
	return audit.Record(ctx, s.g, audit.Row{Actor: by, Action: "month.export", Object: Object(m), RequestID: requestID, TraceID: operation.TraceID(ctx)})
}
