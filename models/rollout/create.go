package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/inbox"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
)

// Scope is the scope in which rollouts are created.
func Scope() operation.Scope { return operation.Named("rollouts") }

// What the checks need where a rollout does not say.
const (
	DefaultMinCharges  = 20
	DefaultMinCostsBps = 5000
)

// NewRollout asks for a draft.
type NewRollout struct {
	ledger.Envelope
	// ID names the rollout for ever: letters, digits, . _ and -, up to 64, beginning with a letter or digit. It is the
	// salt of the buckets, too.
	ID string
	// Title is for people; up to 200 characters, may be empty.
	Title  string
	Action string
	// Baseline is the rule version in force; empty for the one in force now.
	Baseline  string
	Candidate string
	// Stages are at least one; they are numbered as they come.
	Stages []pricing.Stage
	// MinCharges and MinCostsBps are nil for the defaults.
	MinCharges  *int64
	MinCostsBps *int64
	// Second is which steps need a second person; nil for what the installation's configuration says.
	Second *Second
	// CapPerDay is how many credits it may give away a day before it pauses by itself; nil for any number.
	CapPerDay *int64
	// Reason is required.
	Reason string
}

// Result is the stored result of a step.
type Result struct {
	RolloutID string `json:"rollout_id"`
	State     State  `json:"state"`
	Stage     int    `json:"stage"`
	Version   int64  `json:"version"`
	// StateBefore and StageBefore are those before the step.
	StateBefore State `json:"state_before"`
	StageBefore int   `json:"stage_before"`
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Create makes a draft, which decides about nothing until it is started. Faults: invalid_request (also for accounts that a
// stage names and that there are not, see DetailMissing), rule_not_found,
// state_conflict (the candidate or the action is retired), and those of operation.Apply.
func (s *Service) Create(ctx context.Context, n NewRollout) (operation.Outcome, error) {
	for i := range n.Stages {
		n.Stages[i].Number = i + 1
	}
	stages, err := json.Marshal(n.Stages)
	if err != nil {
		return operation.Outcome{}, fmt.Errorf("rollout: %w", err)
	}
	req := operation.Request{Scope: Scope(), ID: n.OperationID, Kind: "create_rollout", Actor: n.Actor, RequestID: n.RequestID, Reason: n.Reason,
		Object: object(n.ID), Invalid: n.check(),
		Input: operation.Input{"id": n.ID, "title": optional(n.Title), "action": n.Action, "baseline": optional(n.Baseline), "candidate": n.Candidate,
			"stages": json.RawMessage(stages), "min_charges": n.MinCharges, "min_costs_bps": n.MinCostsBps, "reason": n.Reason}}
	if n.Second != nil {
		req.Input["second"] = n.Second.String()
	}
	if n.CapPerDay != nil {
		req.Input["cap_per_day"] = *n.CapPerDay
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) { return s.create(ctx, tx, n, string(stages)) })
}

func (n NewRollout) check() []fault.Field {
	bad := append(pricing.CheckStages(n.Stages), shrinking(n.Stages)...)
	refuse := func(wrong bool, name, message string) {
		if wrong {
			bad = append(bad, fault.Field{Name: name, Message: message})
		}
	}
	refuse(!idPattern.MatchString(n.ID), "id", "must be 1 to 64 letters, digits or . _ -, beginning with a letter or digit")
	refuse(!shown(n.Title, 200), "title", "must have at most 200 characters, none of them a control character")
	refuse(n.Candidate == "", "candidate", "is required")
	refuse(n.MinCharges != nil && (*n.MinCharges < 1 || *n.MinCharges > 1_000_000), "min_charges", "must be 1 to 1000000")
	refuse(n.MinCostsBps != nil && (*n.MinCostsBps < 0 || *n.MinCostsBps > 10000), "min_costs_bps", "must be 0 to 10000")
	refuse(n.Second != nil && n.Second.Above != nil && (*n.Second.Above < 0 || *n.Second.Above > pricing.Buckets), "approve_above", "must be 0 to 100000")
	refuse(n.CapPerDay != nil && *n.CapPerDay < 1, "cap_per_day", "must be at least 1")
	return append(bad, checkReason(n.Reason)...)
}

// shrinking refuses stages that promise to admit a smaller share than one before them admits of everybody: stages add up, so
// that such a stage would admit nobody, whatever its label says.
func shrinking(stages []pricing.Stage) []fault.Field {
	var bad []fault.Field
	widest := 0
	for i, s := range stages {
		if s.Threshold > 0 && s.Threshold < widest {
			bad = append(bad, fault.Field{Name: fmt.Sprintf("stages[%d].threshold", i+1), Message: "is below that of a stage before it, which admits more"})
		}
		if s.Segment.Everybody() {
			widest = max(widest, s.Threshold)
		}
	}
	return bad
}

func (s *Service) create(ctx context.Context, tx *operation.Tx, n NewRollout, stages string) (any, error) {
	rule, action, err := pricing.LockRule(ctx, tx.DB, n.Candidate)
	if err != nil {
		return nil, err
	}
	switch {
	case rule.Action != n.Action:
		return nil, fault.InvalidField("candidate", "is a rule version of another action")
	case action.Baseline == nil:
		return nil, fault.InvalidField("action", "has no price in force to begin from")
	case n.Baseline != "" && n.Baseline != *action.Baseline:
		return nil, fault.InvalidField("baseline", "is not in force")
	case rule.ID == *action.Baseline:
		return nil, fault.InvalidField("candidate", "is in force already")
	}
	if err := knownAccounts(ctx, tx, n.Stages); err != nil {
		return nil, err
	}
	charges, costs := int64(DefaultMinCharges), int64(DefaultMinCostsBps)
	if n.MinCharges != nil {
		charges = *n.MinCharges
	}
	if n.MinCostsBps != nil {
		costs = *n.MinCostsBps
	}
	second := s.second
	if n.Second != nil {
		second = *n.Second
	}
	g := tx.DB.WithContext(ctx)
	res := g.Exec(`INSERT INTO rollouts (id, title, action, baseline, candidate, salt, min_charges, min_costs_bps,
			approve_start, approve_above, approve_complete, cap_per_day, created_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		n.ID, n.Title, n.Action, *action.Baseline, rule.ID, n.ID, charges, costs,
		second.Start, second.Above, second.Complete, n.CapPerDay, n.Actor.String())
	if res.Error != nil {
		return nil, fmt.Errorf("rollout: create: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, fault.InvalidField("id", "is taken: a name is never used again")
	}
	err = g.Exec(`INSERT INTO rollout_stages (rollout_id, stage, threshold, segment, min_dwell_s)
		SELECT ?, (s->>'stage')::int, (s->>'threshold')::int, s->'segment', (s->>'min_dwell_s')::bigint FROM jsonb_array_elements(?::jsonb) s`, n.ID, stages).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: stages: %w", err)
	}
	made := Result{RolloutID: n.ID, State: Draft, Version: 1}
	if err := record(ctx, tx, "created", made, nil, cause{}); err != nil {
		return nil, err
	}
	return made, inbox.Follow(ctx, tx.DB, Topic(n.ID), n.Actor)
}

// DetailMissing is under what the Detail of a refused draft holds the accounts that its stages name and that there are not:
// a map from the number of the stage to their ids.
const DetailMissing = "missing_accounts"

// knownAccounts refuses stages that name accounts which there are not: a slip of the pen would admit nobody, and nothing
// would tell.
func knownAccounts(ctx context.Context, tx *operation.Tx, stages []pricing.Stage) error {
	var bad []fault.Field
	named := map[string][]string{}
	for _, s := range stages {
		missing, err := ledger.MissingAccounts(ctx, tx.DB, s.Segment.Accounts)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			named[strconv.Itoa(s.Number)] = missing
			bad = append(bad, fault.Field{Name: fmt.Sprintf("stages[%d].segment.accounts", s.Number), Message: "names accounts that do not exist: " + strings.Join(missing, ", ")})
		}
	}
	if bad == nil {
		return nil
	}
	return fault.InvalidFields(bad...).With(DetailMissing, named)
}

// record leaves a step in the rollout's history and in the audit log.
func record(ctx context.Context, tx *operation.Tx, kind string, r Result, checks *Checks, why cause) error {
	var text *string
	if checks != nil {
		b, err := json.Marshal(checks)
		if err != nil {
			return fmt.Errorf("rollout: %w", err)
		}
		s := string(b)
		text = &s
	}
	detail, err := why.json()
	if err != nil {
		return err
	}
	req := tx.Request
	tx.Finally(`INSERT INTO rollout_events (rollout_id, version, kind, state_before, state_after, stage_before, stage_after, enrolled, checks,
			actor, reason, code, detail, scope, operation_id, request_id, trace_id)
		SELECT ?, ?, ?, ?, ?, ?, ?, (SELECT count(*) FROM enrolments WHERE rollout_id = ?), ?::jsonb, ?, ?, NULLIF(?, ''), ?::jsonb, ?, ?, ?, ?::bytea`,
		r.RolloutID, r.Version, kind, string(r.StateBefore), string(r.State), r.StageBefore, r.Stage, r.RolloutID, text,
		req.Actor.String(), req.Reason, why.code, detail, req.Scope.String(), req.ID, req.RequestID, tx.TraceID)
	type side struct {
		State State `json:"state"`
		Stage int   `json:"stage"`
	}
	var before any
	if r.StateBefore != "" {
		before = side{r.StateBefore, r.StageBefore}
	}
	return audit.Record(ctx, tx.DB, audit.Row{Actor: req.Actor, Action: req.Kind, Object: object(r.RolloutID), Reason: req.Reason,
		Before: before, After: side{r.State, r.Stage}, OperationID: req.ID, RequestID: req.RequestID, TraceID: tx.TraceID})
}

func checkReason(reason string) []fault.Field {
	switch {
	case freetext.Blank(reason):
		return []fault.Field{{Name: "reason", Message: "is required"}}
	case !shown(reason, 500):
		return []fault.Field{{Name: "reason", Message: "must have at most 500 characters, none of them a control character"}}
	}
	return nil
}

// shown reports whether s can be stored and shown: at most limit characters of UTF-8, none of them a control
// character but tab and line breaks.
func shown(s string, limit int) bool {
	return freetext.Problem(s, limit, false) == ""
}

// optional is nil for an empty text: absent and empty are the same input.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}
