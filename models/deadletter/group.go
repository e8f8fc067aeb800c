package deadletter

import (
	"context"
	"fmt"
	"time"

	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/page"
	"recoup/models/where"
)

// CodeGroupNotFound says that no death has had this fingerprint.
const CodeGroupNotFound = "group_not_found"

// Group is the deaths of one fingerprint. What is counted is read from the dead letters in the same statement: the
// figures are those of the database at one moment.
type Group struct {
	Fingerprint string
	Action      string
	Dependency  string
	ErrorCode   string
	// Pattern is the normalised message.
	Pattern string
	// Note and Link are shared by all who look at the group; either may be "".
	Note, Link string
	// SnoozedAt is nil while it is not snoozed; SnoozedUntil nil and SnoozeMore 0 for no such end.
	SnoozedAt    *time.Time
	SnoozedUntil *time.Time
	SnoozeMore   int
	// SnoozeLeft is how many of SnoozeMore have not died yet.
	SnoozeLeft int
	ResolvedAt *time.Time
	// Revision counts what people changed; ChangedBy and ChangedAt are who last and when, "" and nil before.
	Revision  int
	ChangedBy string
	ChangedAt *time.Time
	CreatedAt time.Time

	// Open, Accounts, Refunded and Charged are over the open dead letters: how many, of how many accounts, and their
	// credits by whether the customers have them back.
	Open     int64
	Accounts int64
	Refunded credit.Sum
	Charged  credit.Sum
	OldestAt *time.Time
	// Quiet is true while the snooze lasts.
	Quiet bool
	// FirstAt and LastAt are the first and the last death; nil only while none is computed.
	FirstAt *time.Time
	LastAt  *time.Time
}

// Returned tells whether jobs died of it after it was resolved.
func (g Group) Returned() bool {
	return g.ResolvedAt != nil && g.LastAt != nil && g.LastAt.After(*g.ResolvedAt)
}

// GroupTab is one view of the groups.
type GroupTab string

const (
	// OpenGroups have open dead letters and are not snoozed; most open first.
	OpenGroups GroupTab = "open"
	// SnoozedGroups are out of sight; latest first.
	SnoozedGroups GroupTab = "snoozed"
	// ResolvedGroups were resolved by a person; latest first. Those that returned are among them.
	ResolvedGroups GroupTab = "resolved"
	// AllGroups are all; the newest group first.
	AllGroups GroupTab = "all"
)

// GroupPosition is a group's place in a list.
type GroupPosition struct {
	Open        int64     `json:"o"`
	At          time.Time `json:"t"`
	Fingerprint string    `json:"f"`
}

// tallies sums up the open dead letters by group, a few rows each; the rest of the statement names them f.
const tallies = `SELECT fingerprint, sum(open) AS open, sum(accounts) AS accounts, sum(refunded) AS refunded, sum(charged) AS charged
	FROM dead_letter_tallies WHERE open > 0 `

// quiet is true while a group's snooze lasts. More deaths than asked for end it.
const quiet = `g.snoozed_at IS NOT NULL AND (g.snoozed_until IS NULL OR g.snoozed_until > clock_timestamp()) AND (g.snooze_more = 0 OR g.snooze_more >
	(SELECT count(*) FROM (SELECT 1 FROM dead_letters m WHERE m.fingerprint = g.fingerprint AND m.dead_at > g.snoozed_at LIMIT g.snooze_more) x))`

// oldestIn is when the oldest of a group's open dead letters died, among those whose customers have their credits back or
// the others.
const oldestIn = `(SELECT l.dead_at FROM dead_letters l WHERE l.fingerprint = g.fingerprint AND l.closed_at IS NULL AND l.refunded = %t ORDER BY l.dead_at LIMIT 1)`

// selectGroup are a group's columns.
func selectGroup() string {
	return `SELECT g.*, COALESCE(f.open, 0) AS open, COALESCE(f.accounts, 0) AS accounts, COALESCE(f.refunded, 0) AS refunded, COALESCE(f.charged, 0) AS charged,
	LEAST(` + fmt.Sprintf(oldestIn, true) + `, ` + fmt.Sprintf(oldestIn, false) + `) AS oldest_at,
	(SELECT min(dead_at) FROM dead_letters l WHERE l.fingerprint = g.fingerprint) AS first_at,
	(SELECT max(dead_at) FROM dead_letters l WHERE l.fingerprint = g.fingerprint) AS last_at, ` + quiet + ` AS quiet,
	g.snooze_more - (SELECT count(*) FROM (SELECT 1 FROM dead_letters m WHERE m.fingerprint = g.fingerprint AND m.dead_at > g.snoozed_at LIMIT g.snooze_more) x) AS snooze_left `
}

// Groups returns a page of groups. from is nil for the first page. Its cost grows with the number of groups, not with that
// of dead letters.
func (s *Service) Groups(ctx context.Context, tab GroupTab, from *GroupPosition, dir page.Direction, limit int) (page.Page[Group, GroupPosition], error) {
	none := page.Page[Group, GroupPosition]{}
	column, inside, cond := "g.created_at", "dead_letter_groups g LEFT JOIN LATERAL ("+tallies+" AND fingerprint = g.fingerprint GROUP BY fingerprint) f ON true", "true"
	switch tab {
	case OpenGroups:
		column, cond = "f.open", "NOT ("+quiet+")"
		inside = "(" + tallies + " GROUP BY fingerprint) f JOIN dead_letter_groups g ON g.fingerprint = f.fingerprint"
	case SnoozedGroups:
		column, cond = "g.snoozed_at", quiet
	case ResolvedGroups:
		column, cond = "g.resolved_at", "g.resolved_at IS NOT NULL"
	case AllGroups:
	}
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	var args []any
	if from != nil {
		cond += " AND (" + column + ", g.fingerprint) " + compare + " (?, ?)"
		if tab == OpenGroups {
			args = append(args, from.Open)
		} else {
			args = append(args, from.At)
		}
		args = append(args, from.Fingerprint)
	}
	var rows []Group
	// Which groups stand on the page is found before their times are.
	first := "SELECT g.fingerprint, f.open, f.accounts, f.refunded, f.charged FROM " + inside + " WHERE " + cond + " ORDER BY " + column + " " + order + ", g.fingerprint " + order + atMost(limit+1)
	err := s.g.WithContext(ctx).Raw(selectGroup()+"FROM ("+first+") f JOIN dead_letter_groups g ON g.fingerprint = f.fingerprint ORDER BY "+
		column+" "+order+", g.fingerprint "+order, args...).Scan(&rows).Error
	if err != nil {
		return none, fmt.Errorf("deadletter: groups: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(g Group) GroupPosition {
		p := GroupPosition{Open: g.Open, At: g.CreatedAt.UTC(), Fingerprint: g.Fingerprint}
		switch {
		case tab == SnoozedGroups && g.SnoozedAt != nil:
			p.At = g.SnoozedAt.UTC()
		case tab == ResolvedGroups && g.ResolvedAt != nil:
			p.At = g.ResolvedAt.UTC()
		}
		return p
	}), nil
}

// Group returns one group, or fault group_not_found.
func (s *Service) Group(ctx context.Context, fingerprint string) (Group, error) {
	var g Group
	res := s.g.WithContext(ctx).Raw(selectGroup()+`FROM dead_letter_groups g LEFT JOIN (`+tallies+` AND fingerprint = ? GROUP BY fingerprint) f ON true
		WHERE g.fingerprint = ?`, fingerprint, fingerprint).Scan(&g)
	if res.Error != nil {
		return g, fmt.Errorf("deadletter: group: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return g, groupNotFound(fingerprint)
	}
	return g, nil
}

func groupNotFound(fingerprint string) *fault.Error {
	return fault.New(fault.NotFound, CodeGroupNotFound, "No job has died with the fingerprint %q. Nothing was done.", fingerprint)
}

// woken is true of a row of dead_letters in a snoozed group that somebody has brought back since the group was snoozed. The
// statement calls the row alias.
func woken(alias string) string {
	return fmt.Sprintf(`(%[1]s.woken_at IS NOT NULL AND %[1]s.woken_at > (SELECT g.snoozed_at FROM dead_letter_groups g WHERE g.fingerprint = %[1]s.fingerprint))`, alias)
}

// quietGroup is a group that is snoozed now.
type quietGroup struct {
	Fingerprint string
	SnoozedAt   time.Time
}

// named are the fingerprints of groups, for a statement.
func named(groups []quietGroup) any {
	out := make([]string, len(groups))
	for i, g := range groups {
		out[i] = g.Fingerprint
	}
	return where.ListOf(out)
}

// quietGroups are the groups that are snoozed now: few, since people snooze them one by one.
func (s *Service) quietGroups(ctx context.Context) ([]quietGroup, error) {
	var out []quietGroup
	err := s.g.WithContext(ctx).Raw(`SELECT g.fingerprint, g.snoozed_at FROM dead_letter_groups g WHERE ` + quiet + ` LIMIT 10000`).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: snoozed groups: %w", err)
	}
	return out, nil
}

// Trend is how many jobs died in each of n steps of equal length up to now, oldest first, by group. Groups without a
// death are left out.
func (s *Service) Trend(ctx context.Context, fingerprints []string, step time.Duration, n int) (map[string][]int64, error) {
	var rows []struct {
		Fingerprint string
		Ago         int
		Count       int64
	}
	err := s.g.WithContext(ctx).Raw(`SELECT fingerprint, floor(extract(epoch FROM t.now - dead_at) / ?::float8)::int AS ago, count(*) AS count
		FROM dead_letters, (SELECT clock_timestamp() AS now OFFSET 0) t
		WHERE fingerprint = ANY (?::text[]) AND dead_at > statement_timestamp() - ?::float8 * interval '1 second' GROUP BY 1, 2`,
		step.Seconds(), where.ListOf(fingerprints), step.Seconds()*float64(n)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: trend: %w", err)
	}
	out := map[string][]int64{}
	for _, r := range rows {
		if out[r.Fingerprint] == nil {
			out[r.Fingerprint] = make([]int64, n)
		}
		if at := n - 1 - max(r.Ago, 0); at >= 0 {
			out[r.Fingerprint][at] += r.Count
		}
	}
	return out, nil
}

// Share is how many open dead letters of a group have one value.
type Share struct {
	Value string
	Count int64
}

// WorkerVersions counts the open dead letters of a group by the version of the worker that failed last, most first;
// at most limit of them. "" is a job that no worker of a known version had.
func (s *Service) WorkerVersions(ctx context.Context, fingerprint string, limit int) ([]Share, error) {
	var rows []Share
	err := s.g.WithContext(ctx).Raw(`SELECT worker_version AS value, count(*) AS count FROM dead_letters
		WHERE fingerprint = ? AND closed_at IS NULL GROUP BY 1 ORDER BY 2 DESC, 1`+atMost(limit), fingerprint).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: worker versions: %w", err)
	}
	return rows, nil
}

// Accounts counts the open dead letters of a group by account, most first; at most limit of them.
func (s *Service) Accounts(ctx context.Context, fingerprint string, limit int) ([]Share, error) {
	var rows []Share
	err := s.g.WithContext(ctx).Raw(`SELECT a.id AS value, f.count FROM (SELECT account_key, open AS count FROM dead_letter_accounts
			WHERE fingerprint = ? ORDER BY open DESC, account_key`+atMost(limit)+`) f
		JOIN accounts a ON a.key = f.account_key ORDER BY 2 DESC, 1`, fingerprint).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: accounts: %w", err)
	}
	return rows, nil
}
