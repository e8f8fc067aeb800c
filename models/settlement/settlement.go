// Package settlement puts right what charges under a rollout's candidate cost more or less than the baseline.
//
// A settlement is a frozen list of delivered charges with the difference charged − baseline of each. A second
// person approves exactly that list. It is then paid into the ledger by a task, one adjustment a job, or settled
// outside by a document of another system. A job is paid at most once for a rollout, whatever the number of
// settlements: the primary key of the payments holds it. Nothing that was charged is changed.
package settlement

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/task"
)

// Kind is the kind of the task that pays, of the operation that proposes, and of its change request.
const Kind = "settlement"

// Codes of this package's faults.
const (
	CodeNotFound = "settlement_not_found"
	// CodeNothing: there is no delivered charge left that the proposal could hold.
	CodeNothing = "nothing_to_settle"
	// CodeTooLarge: more than MaxJobs charges; a narrower filter leaves the others to the next settlement.
	CodeTooLarge = "settlement_too_large"
	// CodeDamaged: the stored list is not the one that was proposed.
	CodeDamaged = "settlement_damaged"
)

// Why a rollout's state does not allow a settlement: what fault.DetailWhy of a state_conflict holds. Detail has rollout_id,
// too.
const (
	// WhyNotStarted: it was never started, and so charged nobody.
	WhyNotStarted = "rollout_not_started"
	// WhyRolloutLive: it is running, paused or halted.
	WhyRolloutLive = "rollout_not_over"
)

// WhyPaid is why a job was left out that another settlement of the rollout had paid. The other reasons are the
// codes of faults, account_frozen and account_inconsistent above all.
const WhyPaid = "paid_before"

// MaxJobs is how many charges one settlement holds.
const MaxJobs = 200_000

// Scope is the scope of the operations on settlements.
func Scope() operation.Scope { return operation.Named("settlements") }

// Object is how audit rows and change requests name a settlement.
func Object(id string) string { return "settlement:" + id }

// Way is how a settlement reaches the customers.
type Way string

// The ways.
const (
	// Ledger pays by adjustments.
	Ledger Way = "ledger"
	// Outside leaves the payment to another system; the jobs count as paid once its document is named.
	Outside Way = "outside"
)

// Valid reports whether w is one of the ways.
func (w Way) Valid() bool { return w == Ledger || w == Outside }

// State is where a settlement stands.
type State string

// The states. Rejected, withdrawn and expired ones are void: their charges may be proposed again.
const (
	Proposed  State = "proposed"
	Rejected  State = "rejected"
	Withdrawn State = "withdrawn"
	Expired   State = "expired"
	// Paying: approved, its task pays or waits to.
	Paying State = "paying"
	// Approved: to be settled outside, the document is not named yet.
	Approved State = "approved"
	Done     State = "done"
)

// Void reports whether a settlement in this state will never pay anything.
func (s State) Void() bool { return s == Rejected || s == Withdrawn || s == Expired }

// Settlement is one proposal and what became of it.
type Settlement struct {
	Key       int64
	ID        string
	RolloutID string
	// Baseline and Candidate are the rule versions whose prices were compared.
	Baseline  string
	Candidate string
	Way       Way
	Filter    Filter `gorm:"-"`
	// Jobs and Accounts count what it holds; Credits is what accounts get, Debits what they pay, both ≥ 0.
	Jobs     int64
	Accounts int64
	Credits  int64
	Debits   int64
	Digest   []byte
	// Supplement is true when jobs of the rollout had been paid before it was proposed.
	Supplement  bool
	Reason      string
	ProposedBy  string
	ProposedAt  time.Time
	OperationID string
	// ApprovedAt, TaskID and FinishedAt are nil until then; a settlement outside has no task.
	ApprovedAt *time.Time
	TaskID     *string
	FinishedAt *time.Time
	// Reference is the document outside, empty until it is named and for all that is paid in the ledger.
	Reference string
	State     State
	// Paid and Excluded count its jobs that were paid and that were left out, so far; PaidCredits and PaidDebits are
	// what was paid, both ≥ 0.
	Paid        int64
	Excluded    int64
	PaidCredits int64
	PaidDebits  int64
}

// Store keeps settlements.
type Store struct {
	g        *gorm.DB
	ops      *operation.Store
	ledger   *ledger.Service
	requests *approval.Store
	tasks    *task.Store
	// batch is how many jobs of one account are paid in a transaction; tests make it small.
	batch int
}

// New makes a Store.
func New(ops *operation.Store, l *ledger.Service, requests *approval.Store, tasks *task.Store) *Store {
	return &Store{g: ops.DB(), ops: ops, ledger: l, requests: requests, tasks: tasks, batch: 100}
}

// isOpen is the condition that the change request c of a settlement can still be decided.
const isOpen = `c.state = 'open' AND c.expires_at > clock_timestamp()`

// requestOf joins a settlement s with its change request c.
const requestOf = `JOIN change_requests c ON c.account_key = 0 AND c.scope = 'settlements' AND c.operation_id = s.operation_id`

const selectSettlements = `SELECT s.key, s.id, s.rollout_id, s.baseline, s.candidate, s.way, s.filter, s.jobs, s.accounts, s.credits, s.debits, s.digest,
	s.supplement, s.reason, s.proposed_by, s.proposed_at, s.operation_id, s.approved_at, s.task_id, s.finished_at, s.reference,
	CASE WHEN s.finished_at IS NOT NULL THEN 'done' WHEN s.approved_at IS NOT NULL THEN CASE s.way WHEN 'ledger' THEN 'paying' ELSE 'approved' END
		WHEN ` + isOpen + ` THEN 'proposed' WHEN c.state = 'open' THEN 'expired' ELSE c.state END AS state,
	p.paid, p.paid_credits, p.paid_debits, (SELECT count(*) FROM settlement_exclusions x WHERE x.settlement_key = s.key) AS excluded
	FROM settlements s ` + requestOf + ` CROSS JOIN LATERAL (SELECT count(*) AS paid, COALESCE(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS paid_credits,
		COALESCE(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS paid_debits FROM settlement_payments p WHERE p.settlement_key = s.key) p `

// Find returns a settlement, or fault settlement_not_found.
func (s *Store) Find(ctx context.Context, id string) (Settlement, error) { return find(ctx, s.g, id) }

func find(ctx context.Context, g *gorm.DB, id string) (Settlement, error) {
	if rest, ok := strings.CutPrefix(id, "stl_"); !ok || len(rest) != 16 || strings.ContainsFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return Settlement{}, notFound(id)
	}
	rows, err := read(ctx, g, `WHERE s.id = ?`, id)
	if err == nil && len(rows) == 0 {
		err = notFound(id)
	}
	if err != nil {
		return Settlement{}, err
	}
	return rows[0], nil
}

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, "There is no settlement %q. Nothing was done.", id)
}

func read(ctx context.Context, g *gorm.DB, rest string, args ...any) ([]Settlement, error) {
	var rows []struct {
		Settlement `gorm:"embedded"`
		Filter     string
	}
	if err := g.WithContext(ctx).Raw(selectSettlements+rest, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("settlement: read: %w", err)
	}
	out := make([]Settlement, len(rows))
	for i, r := range rows {
		out[i] = r.Settlement
		if err := json.Unmarshal([]byte(r.Filter), &out[i].Filter); err != nil {
			return nil, fmt.Errorf("settlement: filter of %s: %w", r.ID, err)
		}
	}
	return out, nil
}

// digestOf is the digest of items i with their accounts a and jobs j: account, job, operation, units and the three figures
// of each, in the order of their keys. Ids hold no blank and no line break, so the text has one meaning.
const digestOf = `sha256(convert_to(COALESCE(string_agg(format(E'%s %s %s %s %s %s %s\n', a.id, j.id, i.operation_id, i.units, i.charged, i.baseline, i.amount),
	'' ORDER BY i.account_key, i.job_key), ''), 'UTF8'))`

// digest is that of a settlement's items as they are stored.
func digest(ctx context.Context, g *gorm.DB, key int64) ([]byte, error) {
	var sum []byte
	err := g.WithContext(ctx).Raw(`SELECT `+digestOf+` FROM settlement_items i JOIN accounts a ON a.key = i.account_key
		JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key WHERE i.settlement_key = ?`, key).Row().Scan(&sum)
	if err != nil {
		return nil, fmt.Errorf("settlement: digest: %w", err)
	}
	return sum, nil
}
