package deadletter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/models/fault"
	"recoup/models/page"
	"recoup/models/where"
)

// Tab is one view of the dead letters.
type Tab string

const (
	// Review has the open ones that nobody has put out of sight, oldest first.
	Review Tab = "review"
	// Snoozed has the open ones that are out of sight, by themselves or with their group.
	Snoozed Tab = "snoozed"
	// Open has all open ones.
	Open Tab = "open"
	// Closed has those that were requeued, discarded, canceled or delivered after all, latest first.
	Closed Tab = "closed"
)

// maxAccounts is how many accounts a filter by name may match.
const maxAccounts = 200

// Filter selects dead letters. Zero members do not restrict.
type Filter struct {
	// Account is an account's id, or the beginning of its name in any case.
	Account       string
	Action        string
	ErrorClass    string
	ErrorCode     string
	Dependency    string
	WorkerVersion string
	// ErrorText matches a part of the error message, in any case.
	ErrorText string
	// Fingerprints selects what is in one of these groups.
	Fingerprints []string
	// Outcome is one of Outcomes; for Closed.
	Outcome string
	// Assignee is an actor; a pointer to "" selects what nobody takes care of.
	Assignee *string
	// Refunded selects by the job's flag: false are those whose money does not fit.
	Refunded *bool
	// MinCost and MaxCost bound the credits, both included.
	MinCost, MaxCost *int64
	// From and Before restrict to those that died at From or later, and before Before.
	From, Before *time.Time
}

// List returns a page of a tab: money that does not fit first, then oldest first; Closed latest first. from is nil
// for the first page. Fault: invalid_request where the account's name matches more than 200 accounts.
func (s *Service) List(ctx context.Context, tab Tab, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Letter, Position], error) {
	none := page.Page[Letter, Position]{}
	w, err := s.where(ctx, tab, f)
	if err != nil {
		return none, err
	}
	columns, compare, order := []string{"refunded", "dead_at", "account_key", "job_key", "generation"}, ">", "ASC"
	var at []any
	if from != nil {
		at = []any{from.Refunded, from.At, from.AccountKey, from.JobKey, from.Generation}
	}
	if tab == Closed {
		columns, compare, order = append([]string{"closed_at"}, columns[2:]...), "<", "DESC"
		if from != nil {
			at = at[1:]
		}
	}
	if dir == page.Newer {
		compare, order = map[string]string{">": "<", "<": ">"}[compare], map[string]string{"ASC": "DESC", "DESC": "ASC"}[order]
	}
	if from != nil {
		w.And("(d."+strings.Join(columns, ", d.")+") "+compare+" ("+strings.TrimSuffix(strings.Repeat("?, ", len(at)), ", ")+")", at...)
	}
	by := "d." + strings.Join(columns, " "+order+", d.") + " " + order
	var rows []Letter
	err = s.g.WithContext(ctx).Raw(selectLetter+`FROM (SELECT * FROM dead_letters d `+w.SQL()+` ORDER BY `+by+atMost(limit+1)+`) d `+joinLetter+` ORDER BY `+by,
		w.Args()...).Scan(&rows).Error
	if err != nil {
		return none, fmt.Errorf("deadletter: list: %w", err)
	}
	if tab != Review { // which leaves out what is out of sight with its group
		if err := s.markQuiet(ctx, rows); err != nil {
			return none, err
		}
	}
	return page.Cut(rows, limit, from, dir, func(l Letter) Position {
		p := Position{Refunded: l.Refunded, At: l.DeadAt.UTC(), AccountKey: l.AccountKey, JobKey: l.JobKey, Generation: l.Generation}
		if tab == Closed && l.ClosedAt != nil {
			p.At = l.ClosedAt.UTC()
		}
		return p
	}), nil
}

// atMost is a limit as part of the statement. As an argument the plan would not know it, take it for a tenth of all dead
// letters, and join them with all jobs.
func atMost(n int) string { return fmt.Sprintf(" LIMIT %d", n) }

const selectLetter = `SELECT d.*, a.id AS account_id, a.name AS account_name, j.id AS job_id, j.attempt, j.state, j.resolution, j.is_reclaimed, j.late_success_of `

const joinLetter = `JOIN jobs j ON j.account_key = d.account_key AND j.key = d.job_key JOIN accounts a ON a.key = d.account_key`

// CountSince counts what has come into a tab since a moment, no further than limit.
func (s *Service) CountSince(ctx context.Context, tab Tab, f Filter, since time.Time, limit int) (int64, error) {
	w, err := s.where(ctx, tab, f)
	if err != nil {
		return 0, err
	}
	w.And("d.dead_at > ?", since)
	var n int64
	err = s.g.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM dead_letters d `+w.SQL()+` ORDER BY d.dead_at DESC`+atMost(limit)+`) x`, w.Args()...).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("deadletter: new: %w", err)
	}
	return n, nil
}

// Latest returns the newest dead letters of a group that are open, at most limit.
func (s *Service) Latest(ctx context.Context, fingerprint string, limit int) ([]Letter, error) {
	var rows []Letter
	err := s.g.WithContext(ctx).Raw(selectLetter+`FROM (SELECT * FROM dead_letters d WHERE fingerprint = ? AND closed_at IS NULL
		ORDER BY dead_at DESC`+atMost(limit)+`) d `+joinLetter+` ORDER BY d.dead_at DESC`, fingerprint).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: samples: %w", err)
	}
	return rows, nil
}

// Find returns the dead letter of a job's newest death, open or closed; nil when the job never died.
func (s *Service) Find(ctx context.Context, accountKey, jobKey int64) (*Letter, error) {
	var rows []Letter
	err := s.g.WithContext(ctx).Raw(selectLetter+`FROM (SELECT * FROM dead_letters d WHERE account_key = ? AND job_key = ?
		ORDER BY generation DESC LIMIT 1) d `+joinLetter, accountKey, jobKey).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: find: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], s.markQuiet(ctx, rows)
}

// markQuiet tells of letters which are out of sight with their group.
func (s *Service) markQuiet(ctx context.Context, letters []Letter) error {
	open := func(l Letter) bool { return l.ClosedAt == nil && l.Fingerprint != "" }
	if !slices.ContainsFunc(letters, open) {
		return nil
	}
	groups, err := s.quietGroups(ctx)
	if err != nil {
		return err
	}
	for i, l := range letters {
		letters[i].WithGroup = open(l) && slices.ContainsFunc(groups, func(g quietGroup) bool {
			return g.Fingerprint == l.Fingerprint && (l.WokenAt == nil || !l.WokenAt.After(g.SnoozedAt))
		})
	}
	return nil
}

// Where is the conditions under which a row d of dead_letters is in a tab and matches a filter, for those who do
// something with all of them. Fault as for List.
func (s *Service) Where(ctx context.Context, tab Tab, f Filter) (where.Clause, error) {
	return s.where(ctx, tab, f)
}

func (s *Service) where(ctx context.Context, tab Tab, f Filter) (where.Clause, error) {
	var w where.Clause
	if tab == Closed {
		w.And("d.closed_at IS NOT NULL")
	} else {
		w.And("d.closed_at IS NULL")
	}
	if tab == Review || tab == Snoozed {
		quiet, err := s.quietGroups(ctx)
		if err != nil {
			return w, err
		}
		const out = "d.snoozed_until > statement_timestamp() AND d.snoozed_until IS NOT NULL"
		switch {
		case tab == Snoozed && len(quiet) == 0:
			w.And(out)
		case tab == Snoozed:
			// Each of the two has its index; of one condition with OR none would be used.
			const key = "SELECT d.account_key, d.job_key, d.generation FROM dead_letters d WHERE d.closed_at IS NULL AND "
			w.And("(d.account_key, d.job_key, d.generation) IN ("+key+out+" UNION "+key+"d.fingerprint = ANY (?::text[]) AND NOT "+woken("d")+")", named(quiet))
		case len(quiet) > 0:
			w.And("(d.snoozed_until IS NULL OR d.snoozed_until <= clock_timestamp()) AND (d.fingerprint <> ALL (?::text[]) OR "+woken("d")+")", named(quiet))
		default:
			w.And("d.snoozed_until IS NULL OR d.snoozed_until <= clock_timestamp()")
		}
	}
	if f.Account != "" {
		keys, err := s.AccountKeys(ctx, f.Account)
		if err != nil {
			return w, err
		}
		if len(keys) == 1 {
			w.And("d.account_key = ?", keys[0])
		} else {
			w.And("d.account_key = ANY (?::bigint[])", where.ListOf(keys))
		}
	}
	equal := func(column, value string) {
		if value != "" {
			w.And("d."+column+" = ?", value)
		}
	}
	equal("action", f.Action)
	equal("error_class", f.ErrorClass)
	equal("error_code", f.ErrorCode)
	equal("dependency", f.Dependency)
	equal("worker_version", f.WorkerVersion)
	switch len(f.Fingerprints) {
	case 0:
	case 1:
		w.And("d.fingerprint = ?", f.Fingerprints[0])
	default:
		w.And("d.fingerprint = ANY (?::text[])", where.ListOf(f.Fingerprints))
	}
	equal("outcome", f.Outcome)
	if f.ErrorText != "" {
		if tab != Closed {
			if err := s.inGroupsThatMayHold(ctx, &w, f.ErrorText); err != nil {
				return w, err
			}
		}
		w.And("strpos(fold(d.error_message), (SELECT fold(?))) > 0", f.ErrorText)
	}
	switch {
	case f.Assignee == nil:
	case *f.Assignee == "":
		w.And("d.assignee = ''")
	default:
		w.And("d.assignee <> '' AND d.assignee = ?", *f.Assignee)
	}
	if f.Refunded != nil {
		w.And("d.refunded = ?", *f.Refunded)
	}
	if f.MinCost != nil {
		w.And("d.cost >= ?", *f.MinCost)
	}
	if f.MaxCost != nil {
		w.And("d.cost <= ?", *f.MaxCost)
	}
	if f.From != nil {
		w.And("d.dead_at >= ?", *f.From)
	}
	if f.Before != nil {
		w.And("d.dead_at < ?", *f.Before)
	}
	return w, nil
}

// AccountKeys finds the accounts that a text of Filter.Account means: the one of this id and those whose name begins so.
// Fault: invalid_request where they are more than 200.
func (s *Service) AccountKeys(ctx context.Context, text string) ([]int64, error) {
	var keys []int64
	err := s.g.WithContext(ctx).Raw(`SELECT key FROM accounts WHERE id = ? UNION SELECT key FROM (
		SELECT key FROM accounts WHERE fold(name) ~>=~ fold(?) AND fold(name) ~<~ fold(?)`+atMost(maxAccounts+1)+`) x`, text, text, text+string(utf8.MaxRune)).Scan(&keys).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: accounts: %w", err)
	}
	if len(keys) > maxAccounts {
		return nil, fault.InvalidField("account", "matches more than %d accounts", maxAccounts)
	}
	return keys, nil
}
