package rollout

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/horizon"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
)

// CodeCapReached: the day's cap is reached. The detail has given, cap, day and zone.
const CodeCapReached = "cap_reached"

// GivenToday is what a rollout has given away on a day of the book time zone: the baseline's price less the candidate's,
// over all charges under the candidate, whether they were refunded later or not.
type GivenToday struct {
	// Day is written like 2026-11-30; Until is the moment at which it is over.
	Day   string
	Zone  string
	Until time.Time
	Given credit.Sum
	// Cap is what may be given away before the rollout pauses.
	Cap int64
	// Lifted is true where the rollout was paused for this day's cap and goes on all the same because a person resumed it.
	Lifted bool
}

// Over reports whether more was given away than the cap allows.
func (g GivenToday) Over() bool { return g.Given.Minus(credit.SumOf(g.Cap)).Sign() > 0 }

// Share is how much of the cap was given away, in hundredths of a percent: 0 to 10000.
func (g GivenToday) Share() int64 {
	if g.Given.Sign() <= 0 {
		return 0
	}
	if g.Over() {
		return 10_000
	}
	return int64(g.Given.Ratio(credit.SumOf(g.Cap)) * 10_000)
}

// day is a day of the book time zone.
type day struct {
	name        string
	begin, end  time.Time
	from, until time.Time // first and last moment that count, by the microsecond
}

func dayOf(now time.Time, zone *time.Location, start time.Time) day {
	local := now.In(zone)
	d := day{name: local.Format("2006-01-02"), begin: calendar.Day(local.Year(), local.Month(), local.Day(), zone), end: calendar.Day(local.Year(), local.Month(), local.Day()+1, zone)}
	d.from, d.until = d.begin.Add(-time.Microsecond), d.end.Add(-time.Microsecond)
	if start.After(d.begin) {
		d.from = start.Add(-time.Microsecond)
	}
	return d
}

// Today returns what a rollout with a cap has given away today, to this moment; nil for one without a cap or that never
// started. What is final was added up before; only what came since is read.
func (s *Service) Today(ctx context.Context, r Rollout) (*GivenToday, error) {
	if r.CapPerDay == nil || r.StartedAt == nil {
		return nil, nil
	}
	now, err := clock(ctx, s.g)
	if err != nil {
		return nil, err
	}
	return s.today(ctx, s.g, r, dayOf(now, s.zone, *r.StartedAt))
}

func clock(ctx context.Context, g *gorm.DB) (time.Time, error) {
	var now time.Time
	if err := db.Row(ctx, g, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return now, fmt.Errorf("rollout: clock: %w", db.Fault(err))
	}
	return now, nil
}

func (s *Service) today(ctx context.Context, g *gorm.DB, r Rollout, d day) (*GivenToday, error) {
	base, err := pricing.ReadRule(ctx, g, r.Baseline)
	if err != nil {
		return nil, err
	}
	var kept []struct {
		Through time.Time
		Given   credit.Sum
	}
	err = g.WithContext(ctx).Raw(`SELECT through, given FROM rollout_days WHERE rollout_id = ? AND zone = ? AND day = ?::date`, r.ID, s.zone.String(), d.name).Scan(&kept).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: given: %w", err)
	}
	out := GivenToday{Day: d.name, Zone: s.zone.String(), Until: d.end, Cap: *r.CapPerDay}
	from := d.from
	if len(kept) == 1 {
		from, out.Given = kept[0].Through, kept[0].Given
	}
	tail, err := given(ctx, g, r, base, from, d.until)
	if err != nil {
		return nil, err
	}
	out.Given = out.Given.Plus(tail)
	err = g.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM operations WHERE account_key = 0 AND scope = ? AND id = ? AND result IS NOT NULL)`,
		SystemScopeOf(r.ID).Name, capID(d.name, s.zone)).Scan(&out.Lifted).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: given: %w", err)
	}
	out.Lifted = out.Lifted && r.State == Running
	return &out, nil
}

// given adds up what charges of a time gave away: after from, up to until. It reads the rollout's entries of that time by
// their index.
func given(ctx context.Context, g *gorm.DB, r Rollout, base pricing.Rule, from, until time.Time) (credit.Sum, error) {
	var all []struct {
		Units   int64
		N       int64
		Charged credit.Sum
	}
	err := g.WithContext(ctx).Raw(`SELECT j.units, count(*) AS n, sum(-e.amount) AS charged
		FROM (SELECT account_key, job_key, amount FROM entries WHERE rollout_id = ? AND created_at > ? AND created_at <= ? AND type = 'charge' AND cohort = 'candidate' OFFSET 0) e
		CROSS JOIN LATERAL (SELECT units FROM jobs WHERE account_key = e.account_key AND key = e.job_key OFFSET 0) j GROUP BY 1`, r.ID, from, until).Scan(&all).Error
	if err != nil {
		return credit.Sum{}, fmt.Errorf("rollout: given: %w", err)
	}
	var sum credit.Sum
	for _, x := range all {
		// Of any size: a price that the baseline could not have charged must not keep the cap from being reached.
		sum = sum.Plus(base.WouldCost(x.Units).Times(x.N)).Minus(x.Charged)
	}
	return sum, nil
}

// capID is the operation id of the pause for a day's cap: there is one a day, so a person who resumes lifts the cap for
// the rest of it.
func capID(day string, zone *time.Location) string { return "cap:" + day + ":" + zone.String() }

// WatchCaps takes up what rollouts with a cap have given away today, and pauses those that are past it, as Recoup itself,
// once a day. Any number of processes may call it. It goes on after a failure and returns the first.
func (s *Service) WatchCaps(ctx context.Context) error {
	capped, err := list(ctx, s.g, `WHERE o.state = 'running' AND o.cap_per_day IS NOT NULL ORDER BY o.id`)
	if err != nil || len(capped) == 0 {
		return err
	}
	final, err := horizon.Advance(ctx, s.g)
	if err != nil {
		return err
	}
	var first error
	for _, r := range capped {
		if err := s.watchCap(ctx, r, final); err != nil && first == nil {
			first = fmt.Errorf("rollout %s: cap: %w", r.ID, err)
		}
	}
	return first
}

func (s *Service) watchCap(ctx context.Context, r Rollout, final time.Time) error {
	now, err := clock(ctx, s.g)
	if err != nil {
		return err
	}
	d := dayOf(now, s.zone, *r.StartedAt)
	if err := s.takeUp(ctx, r, d, final); err != nil {
		return err
	}
	t, err := s.today(ctx, s.g, r, d)
	if err != nil || !t.Over() || t.Lifted {
		return err
	}
	_, err = s.step(ctx, StepRequest{Envelope: ledger.Envelope{OperationID: capID(d.name, s.zone), Actor: actor.System()}, RolloutID: r.ID, Version: r.Version,
		Reason: fmt.Sprintf("Gave away %s credits on %s, the cap is %d", t.Given, d.name, t.Cap)},
		step{kind: "pause_rollout", event: "paused", from: []State{Running}, to: Paused, scope: SystemScopeOf(r.ID), input: operation.Input{"day": d.name},
			cause: cause{code: CodeCapReached, detail: map[string]any{"given": t.Given.String(), "cap": t.Cap, "day": d.name, "zone": t.Zone}}})
	if f := fault.As(err); f != nil && f.Kind == fault.Conflict {
		return nil // it has moved in this moment: the next look sees where to
	}
	return err
}

// takeUp adds the day's charges that are final to what is kept.
func (s *Service) takeUp(ctx context.Context, r Rollout, d day, final time.Time) error {
	base, err := pricing.ReadRule(ctx, s.g, r.Baseline)
	if err != nil {
		return err
	}
	upto := final
	if upto.After(d.until) {
		upto = d.until
	}
	return db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		err := tx.Exec(`INSERT INTO rollout_days (rollout_id, zone, day, through) VALUES (?, ?, ?::date, ?) ON CONFLICT DO NOTHING`, r.ID, s.zone.String(), d.name, d.from).Error
		if err != nil {
			return fmt.Errorf("rollout: given: %w", err)
		}
		var through time.Time
		err = db.Row(ctx, tx, `SELECT through FROM rollout_days WHERE rollout_id = $1 AND zone = $2 AND day = $3::date FOR UPDATE`, r.ID, s.zone.String(), d.name).Scan(&through)
		if err != nil {
			return fmt.Errorf("rollout: given: %w", db.Fault(err))
		}
		if !upto.After(through) {
			return nil
		}
		sum, err := given(ctx, tx, r, base, through, upto)
		if err != nil {
			return err
		}
		err = tx.Exec(`UPDATE rollout_days SET through = ?, given = given + ?::numeric WHERE rollout_id = ? AND zone = ? AND day = ?::date`,
			upto, sum.String(), r.ID, s.zone.String(), d.name).Error
		if err != nil {
			return fmt.Errorf("rollout: given: %w", err)
		}
		return nil
	})
}
