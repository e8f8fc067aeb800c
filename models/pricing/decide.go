package pricing

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/operation"
)

// The cohorts.
const (
	// Baseline is the cohort of every charge that no candidate priced.
	Baseline = "baseline"
	// Candidate is the cohort of the accounts that a rollout has admitted.
	Candidate = "candidate"
)

// Decision is which price applies to an operation. It is frozen by its first record and never changes.
type Decision struct {
	Action      string
	Units       int64
	RuleVersion string
	Price       credit.Amount
	// RolloutID, RolloutVersion and Bucket are nil outside a rollout. The version is the one that was read.
	RolloutID      *string
	RolloutVersion *int64
	Bucket         *int
	// Stage is the stage that admitted the account, nil for the baseline.
	Stage  *int
	Cohort string
	Reason Reason
	// ExpiresAt is set for a quote: until then a charge may adopt it.
	ExpiresAt *time.Time
	// At is when it was recorded; zero for a decision that is not.
	At time.Time

	// enrol says that the account is to be enrolled.
	enrol bool
	// expired is true for a quote whose time is over by the database's clock.
	expired bool
}

// live is a live rollout as the deciding statement reads it.
type live struct {
	ID             string     `json:"id"`
	Version        int64      `json:"version"`
	State          string     `json:"state"`
	Stage          int        `json:"stage"`
	Salt           string     `json:"salt"`
	Candidate      Rule       `json:"candidate"`
	Stages         []Stage    `json:"stages"`
	Attributes     attributes `json:"attributes"`
	EnrolledStage  *int       `json:"enrolled_stage"`
	EnrolledReason *Reason    `json:"enrolled_reason"`
}

// attributes are those of an account. Values that are no text match no segment, and must not keep anybody from
// being charged.
type attributes map[string]string

// UnmarshalJSON keeps the members that are text.
func (a *attributes) UnmarshalJSON(data []byte) error {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return nil //nolint:nilerr // not even an object: there is nothing to match
	}
	*a = make(attributes, len(all))
	for name, value := range all {
		if text, ok := value.(string); ok {
			(*a)[name] = text
		}
	}
	return nil
}

// choose decides between the baseline and the candidate of a live rollout, as it is at one moment.
func (l live) choose(a Subject) Decision {
	bucket := Bucket(l.Salt, a.AccountID)
	d := Decision{RolloutID: &l.ID, RolloutVersion: &l.Version, Bucket: &bucket, Cohort: Baseline}
	switch {
	case l.EnrolledStage != nil:
		d.Cohort, d.Stage, d.Reason = Candidate, l.EnrolledStage, Enrolled
	case l.State == "paused":
		d.Reason = Paused
	case l.State == "halted":
		d.Reason = Halted
	default:
		var stage int
		if stage, d.Reason = Admit(l.Stages, l.Stage, a, bucket); stage > 0 {
			d.Cohort, d.Stage, d.enrol = Candidate, &stage, true
		}
	}
	return d
}

// Everything that a decision depends on, read by one statement and so of one moment: the action with the
// price in force, its live rollout with the stages reached, what segments ask of the account, whether it is
// enrolled, and the decision that is recorded for the operation already. What most charges do not have comes
// as one JSON value each.
const (
	selectDecision = `SELECT acc.key, acc.id, a.retired_at IS NOT NULL, r.id, r.action, r.unit_price, r.minimum, r.discount_bps, r.rounding,
		acc.plan, acc.region,
		CASE WHEN o.id IS NOT NULL THEN json_build_object('id', o.id, 'version', o.version, 'state', o.state, 'stage', o.stage, 'salt', o.salt,
			'candidate', json_build_object('ID', c.id, 'UnitPrice', c.unit_price, 'Minimum', c.minimum, 'DiscountBps', c.discount_bps, 'Rounding', c.rounding),
			'stages', (SELECT json_agg(json_build_object('stage', s.stage, 'threshold', s.threshold, 'segment', s.segment, 'min_dwell_s', s.min_dwell_s)
				ORDER BY s.stage) FROM rollout_stages s WHERE s.rollout_id = o.id AND s.stage <= o.stage),
			'attributes', acc.attributes,
			'enrolled_stage', n.stage, 'enrolled_reason', n.reason)::text END,
		CASE WHEN d.operation_id IS NOT NULL THEN json_build_object('Action', d.action, 'Units', d.units, 'RuleVersion', d.rule_version, 'Price', d.price,
			'RolloutID', d.rollout_id, 'RolloutVersion', d.rollout_version, 'Bucket', d.bucket, 'Stage', d.stage, 'Cohort', d.cohort, 'Reason', d.reason,
			'ExpiresAt', d.expires_at, 'At', d.at)::text END,
		COALESCE(d.expires_at <= clock_timestamp(), false)`
	fromAccount = ` FROM accounts acc
		LEFT JOIN (actions a JOIN rule_versions r ON r.id = a.baseline) ON `
	joinDecision = `
		LEFT JOIN rollouts o ON o.action = a.id AND o.state IN ('running', 'paused', 'halted')
		LEFT JOIN rule_versions c ON c.id = o.candidate
		LEFT JOIN enrolments n ON n.account_key = acc.key AND n.rollout_id = o.id
		LEFT JOIN decisions d ON d.account_key = acc.key AND d.operation_id = $3
		WHERE acc.`

	decideByKey = selectDecision + `, false` + fromAccount + `a.id = $2` + joinDecision + `key = $1`
	// decideByID also tells whether the operation has been applied.
	decideByID = selectDecision + `, EXISTS (SELECT 1 FROM operations p WHERE p.account_key = acc.key AND p.scope = '' AND p.id = $3)` + fromAccount + `a.id = $2` + joinDecision + `id = $1`
	// decideAll has a row for each action that can be charged, in the order of their names; one without an action where
	// there is none.
	decideAll = selectDecision + `, false` + fromAccount + `a.retired_at IS NULL AND $2 = ''` + joinDecision + `id = $1 ORDER BY a.id`
)

// situation is what the statement above found.
type situation struct {
	accountKey int64
	subject    Subject
	// action is false where there is no such action with a price, retired where it is out of sale.
	action, retired bool
	rule            Rule
	live            *live
	recorded        *Decision
	applied         bool
}

// look reads the situation of an account; account is its key or its id, as the statement asks.
func look(ctx context.Context, g *gorm.DB, statement string, account any, action, operationID string) (situation, error) {
	s, err := scan(db.Row(ctx, g, statement, account, action, operationID))
	if errors.Is(err, sql.ErrNoRows) {
		return s, accountNotFound()
	}
	if err != nil {
		return s, fmt.Errorf("pricing: decide: %w", err)
	}
	return s, nil
}

func accountNotFound() *fault.Error {
	return fault.New(fault.NotFound, fault.CodeAccountNotFound, "There is no such account. Nothing was done.")
}

// scan reads one row of the statements above; its error is the row's own.
func scan(row interface{ Scan(dest ...any) error }) (situation, error) {
	var s situation
	var retired *bool
	var ruleID, ruleAction, rounding, rollout, recorded *string
	var unitPrice, minimum, discount *int64
	var expired bool
	err := row.Scan(&s.accountKey, &s.subject.AccountID, &retired, &ruleID, &ruleAction, &unitPrice, &minimum, &discount, &rounding,
		&s.subject.Plan, &s.subject.Region, &rollout, &recorded, &expired, &s.applied)
	if err != nil {
		return s, err
	}
	if ruleID != nil {
		s.action, s.retired = true, *retired
		s.rule = Rule{ID: *ruleID, Action: *ruleAction, UnitPrice: *unitPrice, Minimum: *minimum, DiscountBps: *discount, Rounding: credit.Rounding(*rounding)}
	}
	if rollout != nil {
		s.live = &live{}
		if err := json.Unmarshal([]byte(*rollout), s.live); err != nil {
			return s, fmt.Errorf("rollout: %w", err)
		}
		s.subject.Attributes = s.live.Attributes
	}
	if recorded != nil {
		s.recorded = &Decision{expired: expired}
		if err := json.Unmarshal([]byte(*recorded), s.recorded); err != nil {
			return s, fmt.Errorf("recorded decision: %w", err)
		}
	}
	return s, nil
}

// decide is the decision for so many units now. Faults: action_not_found, invalid_request when the cost does
// not fit.
func (s situation) decide(action string, units int64) (Decision, error) {
	switch {
	case !s.action:
		return Decision{}, fault.New(fault.Invalid, fault.CodeActionNotFound, "There is no action %q with a price. Nothing was charged.", action).
			With("field", "action")
	case s.retired:
		return Decision{}, fault.New(fault.Invalid, fault.CodeActionNotFound, "The action %q is retired: it is not charged any more. Nothing was charged.", action).
			With("field", "action")
	}
	d := Decision{Cohort: Baseline, Reason: NoRollout}
	rule := s.rule
	if s.live != nil {
		if d = s.live.choose(s.subject); d.Cohort == Candidate {
			rule = s.live.Candidate
		}
	}
	d.Action, d.Units, d.RuleVersion = action, units, rule.ID
	var err error
	if d.Price, err = rule.Cost(units); err != nil {
		return Decision{}, fault.InvalidField("units", "cost more than a signed 64-bit number of credits under %s", rule.ID)
	}
	return d, nil
}

// adopt is the recorded decision for the same input. Faults: operation_conflict with the differing fields,
// quote_expired.
func (s situation) adopt(action string, units int64) (Decision, error) {
	d := *s.recorded
	var differ []fault.Field
	for name, same := range map[string]bool{"action": d.Action == action, "units": d.Units == units} {
		if !same {
			differ = append(differ, fault.Field{Name: name, Message: "differs from the quote"})
		}
	}
	if differ != nil {
		f := fault.New(fault.Mismatch, fault.CodeOperationConflict,
			"Under this operation id a price was quoted for another input. Nothing was done. Use a new operation id for a new change.")
		f.Fields = differ
		return d, f
	}
	if d.expired && !s.applied {
		return d, fault.New(fault.Conflict, fault.CodeQuoteExpired,
			"The quote ended at %s. Nothing was charged. Ask for a new quote under a new operation id.", d.ExpiresAt.UTC().Format(time.RFC3339)).
			With("expired_at", d.ExpiresAt.UTC())
	}
	return d, nil
}

// Decide prices units of an action within the charge's transaction and records the decision with it: the one
// that was quoted under the same operation id, else one by what is in force when its statement starts. The
// first decision for a rollout's candidate enrols the account. One read, and one insert at an enrolment; the
// record goes with the operation's result. Faults: action_not_found, operation_conflict and quote_expired for
// a quote, invalid_request when the cost does not fit.
func Decide(ctx context.Context, tx *operation.Tx, action string, units int64) (Decision, error) {
	s, err := look(ctx, tx.DB, decideByKey, tx.AccountKey, action, tx.Request.ID)
	if err != nil {
		return Decision{}, err
	}
	if s.recorded != nil {
		return s.adopt(action, units)
	}
	d, err := s.decide(action, units)
	if err != nil {
		return Decision{}, err
	}
	if err := d.enrolIn(ctx, tx.DB, s.accountKey, tx.Request.ID); err != nil {
		return Decision{}, err
	}
	tx.Finally(insertDecision, d.row(s.accountKey, tx.Request.ID, nil, 0)...)
	return d, nil
}

// enrolIn makes the row that keeps the account with the candidate, where the decision asks for it. A second one is
// not made: two first charges at once are both right.
func (d Decision) enrolIn(ctx context.Context, g *gorm.DB, accountKey int64, operationID string) error {
	if !d.enrol {
		return nil
	}
	err := g.WithContext(ctx).Exec(`INSERT INTO enrolments (account_key, rollout_id, stage, rollout_version, bucket, reason, operation_id)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		accountKey, *d.RolloutID, *d.Stage, *d.RolloutVersion, *d.Bucket, string(d.Reason), operationID).Error
	if err != nil {
		return fmt.Errorf("pricing: enrol: %w", err)
	}
	return nil
}

// insertDecision records a decision. The transaction's id is kept for decisions of a rollout alone: its checks
// read them in that order.
const insertDecision = `INSERT INTO decisions (account_key, operation_id, action, units, rule_version, price, rollout_id, rollout_version,
		stage, cohort, bucket, reason, trace_id, expires_at, tx)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::bytea, clock_timestamp() + NULLIF(?::bigint, 0) * interval '1 second',
		CASE WHEN ?::bigint IS NOT NULL THEN pg_current_xact_id() END)`

// row are insertDecision's arguments; expires is in seconds, 0 for never.
func (d Decision) row(accountKey int64, operationID string, trace []byte, expires int64) []any {
	return []any{accountKey, operationID, d.Action, d.Units, d.RuleVersion, d.Price, d.RolloutID, d.RolloutVersion,
		d.Stage, d.Cohort, d.Bucket, string(d.Reason), trace, expires, d.RolloutVersion}
}

// Recorded returns the decision that is recorded for an operation, or nil where there is none: for what is no
// charge, and for what was charged before decisions were recorded.
func (s *Service) Recorded(ctx context.Context, accountKey int64, operationID string) (*Decision, error) {
	at, err := look(ctx, s.g.WithContext(ctx), decideByKey, accountKey, "", operationID)
	return at.recorded, err
}
