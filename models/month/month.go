package month

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/rollup"
)

// Verified is what is known of the last run of verify over all accounts.
type Verified struct {
	// StartedAt is when it began.
	StartedAt time.Time
	// Problems are the checks of the ledger that found something, empty when none did. What only concerns the
	// work of jobs, not their money, is left out.
	Problems []string
	// Found is how many problems it found in all, those of the work included.
	Found int64
}

// Deps are what a Service needs.
type Deps struct {
	Ops    *operation.Store
	Rollup *rollup.Store
	// Verified tells of the last run of verify, nil when there was none.
	Verified func(ctx context.Context) (*Verified, error)
	// Anchor anchors the ledger at a moment, inside the database and outside, and returns the digest.
	Anchor func(ctx context.Context, moment time.Time) (string, error)
}

// Service reads and closes months.
type Service struct {
	Deps
	g    *gorm.DB
	zone *time.Location
}

// New makes a Service for the book time zone, which is that of the rollup's days.
func New(d Deps) *Service { return &Service{Deps: d, g: d.Ops.DB(), zone: d.Rollup.Zone()} }

// Zone is the book time zone.
func (s *Service) Zone() *time.Location { return s.zone }

// Closed is a closed month as it was stored.
type Closed struct {
	Figures Figures
	// Digest is that of the figures, HeadsDigest the anchor of the month's last moment.
	Digest, HeadsDigest string
	ClosedAt            time.Time
	Actor, Reason       string
	OperationID         string
}

// stored is a row of closed_months.
type stored struct {
	Month, Zone, Figures, Digest, HeadsDigest, Actor, Reason, OperationID string
	Starts, Ends, ClosedAt                                                time.Time
}

const selectClosed = `SELECT month, zone, figures, digest, heads_digest, actor, reason, operation_id, starts, ends, closed_at FROM closed_months`

func (r stored) closed() (Closed, error) {
	f, err := Parse(r.Figures)
	return Closed{Figures: f, Digest: r.Digest, HeadsDigest: r.HeadsDigest, ClosedAt: r.ClosedAt.UTC(), Actor: r.Actor, Reason: r.Reason, OperationID: r.OperationID}, err
}

// ClosedMonths are all closed months, in order.
func ClosedMonths(ctx context.Context, g *gorm.DB) ([]Closed, error) {
	var rows []stored
	if err := g.WithContext(ctx).Raw(selectClosed + ` ORDER BY starts`).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("month: closed months: %w", db.Fault(err))
	}
	out := make([]Closed, len(rows))
	var err error
	for i, r := range rows {
		if out[i], err = r.closed(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Find returns a closed month, nil when it is not closed.
func (s *Service) Find(ctx context.Context, m calendar.Month) (*Closed, error) {
	return find(ctx, s.g, m)
}

func find(ctx context.Context, g *gorm.DB, m calendar.Month) (*Closed, error) {
	var rows []stored
	if err := g.WithContext(ctx).Raw(selectClosed+` WHERE month = ?`, m.String()).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("month: find: %w", db.Fault(err))
	}
	if len(rows) == 0 {
		return nil, nil
	}
	c, err := rows[0].closed()
	return &c, err
}

// Span is when a month begins and ends. A closed one keeps the moments it was closed with. One that follows a
// closed month begins where that ended, and one before a closed month ends where that begins, also when the book time zone
// was changed in between, so that no entry falls between two months or into both.
func (s *Service) Span(ctx context.Context, m calendar.Month) (from, to time.Time, err error) {
	return s.span(ctx, s.g, m)
}

func (s *Service) span(ctx context.Context, g *gorm.DB, m calendar.Month) (from, to time.Time, err error) {
	rows, err := s.around(ctx, g, m)
	if err != nil {
		return from, to, err
	}
	from, to = s.spanned(m, rows)
	return from, to, nil
}

// around returns, of a month and the two beside it, those that are closed: when they begin and end.
func (s *Service) around(ctx context.Context, g *gorm.DB, m calendar.Month) ([]stored, error) {
	var rows []stored
	err := g.WithContext(ctx).Raw(`SELECT month, starts, ends FROM closed_months WHERE month IN (?, ?, ?)`, m.String(), m.Previous().String(), m.Next().String()).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("month: months around: %w", db.Fault(err))
	}
	return rows, nil
}

// spanned is the span of a month, where rows are those of it and of the months around it that are closed.
func (s *Service) spanned(m calendar.Month, rows []stored) (from, to time.Time) {
	from, to = m.Start(s.zone), m.End(s.zone)
	for _, r := range rows {
		switch r.Month {
		case m.String():
			return r.Starts, r.Ends
		case m.Previous().String():
			from = r.Ends
		case m.Next().String():
			to = r.Starts
		}
	}
	return from, to
}

// Day is one day of a month with the sums of its entries.
type Day struct {
	// Start is its first moment, End the one after its last.
	Start, End time.Time
	Types      map[ledger.Type]Sum
}

// Overview is a month as its page shows it.
type Overview struct {
	Figures
	// Location is the zone of the month's days: the one it was closed in, the book time zone for an open one.
	Location *time.Location
	// Days are all days of the month, also those to come.
	Days []Day
	// Oldest and Newest are the first and the last month there are.
	Oldest, Newest calendar.Month
	// Later is the sum of all entries since To.
	Later credit.Sum
	// Balances are those of all accounts, read in the same moment as the figures.
	Balances rollup.Balances
	// Unsettled are the charges of the month for jobs that are neither delivered nor refunded by now, read in that moment too; nil where
	// there are more than MostUnsettled.
	Unsettled *Sum
	// Before is what the month before was closed with, nil when it is open.
	Before *credit.Sum
	// Closed is the month as it was closed, nil when it is open.
	Closed *Closed
}

// firstClosed is the first month that is closed, as text, empty where none is. After a change of the book time zone the first entry may lie
// in a later month than the one it was closed in.
const firstClosed = `COALESCE((SELECT month FROM closed_months ORDER BY starts LIMIT 1), '')`

// firstEntry is the time of the first entry, the present where there is none.
const firstEntry = `COALESCE((SELECT created_at FROM entries ORDER BY created_at LIMIT 1), clock_timestamp())`

// bounds tells which months there are: from that of the first entry, or the present one where there is none, to
// the present one.
func (s *Service) bounds(ctx context.Context) (oldest, present calendar.Month, now time.Time, err error) {
	var first time.Time
	var closed string
	err = db.Row(ctx, s.g, `SELECT clock_timestamp(), `+firstEntry+`, `+firstClosed).Scan(&now, &first, &closed)
	if err != nil {
		return oldest, present, now, fmt.Errorf("month: %w", db.Fault(err))
	}
	oldest, err = s.oldest(first, closed)
	return oldest, calendar.MonthOf(now.In(s.zone)), now, err
}

// oldest is the month of the first entry, or the first closed one where that is earlier.
func (s *Service) oldest(first time.Time, closed string) (calendar.Month, error) {
	m := calendar.MonthOf(first.In(s.zone))
	if closed == "" {
		return m, nil
	}
	c, err := calendar.ParseMonth(closed)
	if err == nil && c.Before(m) {
		m = c
	}
	return m, err
}

// Read adds a month up, as its entries are now, together with what it is held against. All figures are of one moment.
// Faults: not_found for a month before the first entry or after the present one.
func (s *Service) Read(ctx context.Context, m calendar.Month) (Overview, error) {
	var o Overview
	// What says where the month begins and ends does not change any more, so it may be read before.
	var rows []struct {
		Now, First  time.Time
		FirstClosed string
		Row         stored `gorm:"embedded"`
	}
	err := s.g.WithContext(ctx).Raw(`SELECT clock_timestamp() AS now, `+firstEntry+` AS first, `+firstClosed+` AS first_closed, c.*
		FROM (VALUES (1)) one LEFT JOIN (`+selectClosed+` WHERE month IN (?, ?, ?)) c ON true`, m.String(), m.Previous().String(), m.Next().String()).Scan(&rows).Error
	if err != nil {
		return o, fmt.Errorf("month: read: %w", db.Fault(err))
	}
	if o.Oldest, err = s.oldest(rows[0].First, rows[0].FirstClosed); err != nil {
		return o, err
	}
	o.Newest = calendar.MonthOf(rows[0].Now.In(s.zone))
	if m.Before(o.Oldest) || o.Newest.Before(m) {
		return o, fault.New(fault.NotFound, fault.CodeNotFound, "There is no month %s: the ledger goes from %s to %s.", m, o.Oldest, o.Newest)
	}
	around := make([]stored, 0, len(rows))
	for _, r := range rows {
		if r.Row.Month == "" {
			continue // none is closed
		}
		c, err := r.Row.closed()
		if err != nil {
			return o, err
		}
		switch c.Figures.Month {
		case m:
			o.Closed = &c
		case m.Previous():
			o.Before = &c.Figures.Closing
		}
		around = append(around, r.Row)
	}
	from, to := s.spanned(m, around)
	o.Location = s.zone
	if o.Closed != nil {
		if o.Location, err = time.LoadLocation(o.Closed.Figures.Zone); err != nil {
			return o, fmt.Errorf("month: zone of closed month %s: %w", m, err)
		}
	}
	bounds := calendar.Days(from, to, o.Location)
	var groups []rollup.Group
	err = db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		var err error
		if groups, o.Balances, err = s.Rollup.Tied(ctx, tx, rollup.Filter{}, bounds); err != nil {
			return err
		}
		o.Unsettled, err = unsettled(ctx, tx, from, to)
		return err
	})
	if err != nil {
		return o, fmt.Errorf("month: %w", err)
	}
	o.Days = make([]Day, len(bounds)-1)
	for i := range o.Days {
		o.Days[i] = Day{Start: bounds[i].UTC(), End: bounds[i+1].UTC(), Types: map[ledger.Type]Sum{}}
	}
	var within []rollup.Group
	for _, g := range groups {
		if g.Part == len(bounds) {
			o.Later = o.Later.Plus(g.Amount)
			continue
		}
		within = append(within, g)
		if g.Part > 0 {
			types := o.Days[g.Part-1].Types
			types[ledger.Type(g.Type)] = types[ledger.Type(g.Type)].plus(g.Count, g.Amount)
		}
	}
	o.Figures = Of(m, o.Location.String(), from, to, within)
	return o, nil
}

// figures adds a month up without its days.
func (s *Service) figures(ctx context.Context, g *gorm.DB, m calendar.Month, from, to time.Time) (Figures, error) {
	groups, err := rollupParts(ctx, g, s.Rollup, []time.Time{from, to})
	if err != nil {
		return Figures{}, err
	}
	var within []rollup.Group
	for _, x := range groups {
		if x.Part < 2 {
			within = append(within, x)
		}
	}
	return Of(m, s.zone.String(), from, to, within), nil
}

func rollupParts(ctx context.Context, g *gorm.DB, r *rollup.Store, bounds []time.Time) ([]rollup.Group, error) {
	groups, err := r.PartsIn(ctx, g, rollup.Filter{}, bounds)
	if err != nil {
		return nil, fmt.Errorf("month: %w", err)
	}
	return groups, nil
}

// Listed is a month in the list of months.
type Listed struct {
	Month            calendar.Month
	From, To         time.Time
	Opening, Closing credit.Sum
	Types            map[ledger.Type]Sum
	// Closed is true when it is closed, Over when its end has passed.
	Closed, Over bool
}

// List returns at most limit months, the newest first, from the month before upTo on (from the present one when
// upTo is zero) back to the first with entries; more is true when older ones follow.
func (s *Service) List(ctx context.Context, upTo calendar.Month, limit int) (list []Listed, more bool, err error) {
	oldest, last, now, err := s.bounds(ctx)
	if err != nil {
		return nil, false, err
	}
	if upTo != (calendar.Month{}) && upTo.Previous().Before(last) {
		last = upTo.Previous()
	}
	closed, err := ClosedMonths(ctx, s.g)
	if err != nil {
		return nil, false, err
	}
	known := map[calendar.Month]Closed{}
	for _, c := range closed {
		known[c.Figures.Month] = c
	}
	start := last
	for n := 1; n < limit && oldest.Before(start); n++ {
		start = start.Previous()
	}
	for m := start; !last.Before(m); m = m.Next() {
		l := Listed{Month: m, From: m.Start(s.zone), To: m.End(s.zone), Types: map[ledger.Type]Sum{}}
		if c, ok := known[m.Previous()]; ok {
			l.From = c.Figures.To
		}
		if c, ok := known[m.Next()]; ok {
			l.To = c.Figures.From
		}
		if c, ok := known[m]; ok {
			l.From, l.To, l.Closed = c.Figures.From, c.Figures.To, true
		}
		l.Over = !l.To.After(now)
		list = append(list, l)
	}
	if len(list) == 0 {
		return nil, false, nil
	}
	if err := s.sumList(ctx, list); err != nil {
		return nil, false, err
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list, oldest.Before(start), nil
}

// sumList fills in the sums of months that follow each other, oldest first.
func (s *Service) sumList(ctx context.Context, list []Listed) error {
	bounds := []time.Time{list[0].From}
	for _, l := range list {
		bounds = append(bounds, l.To)
	}
	groups, err := s.Rollup.TypesOfParts(ctx, bounds)
	if err != nil {
		return fmt.Errorf("month: %w", err)
	}
	for _, g := range groups {
		if g.Part == 0 {
			list[0].Opening = list[0].Opening.Plus(g.Amount)
		} else if g.Part <= len(list) {
			types := list[g.Part-1].Types
			types[ledger.Type(g.Type)] = types[ledger.Type(g.Type)].plus(g.Count, g.Amount)
		}
	}
	for i := range list {
		if i > 0 {
			list[i].Opening = list[i-1].Closing
		}
		list[i].Closing = list[i].Opening
		for _, x := range list[i].Types {
			list[i].Closing = list[i].Closing.Plus(x.Amount)
		}
	}
	return nil
}
