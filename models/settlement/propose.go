package settlement

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/task"
)

// Proposal asks for a settlement.
type Proposal struct {
	ledger.Envelope
	RolloutID string
	Filter    Filter
	// Way is Ledger when empty.
	Way Way
	// Reason is required, up to 300 characters; it is the reason of each adjustment.
	Reason string
	// Replaces names the settlement of the same rollout, with its change request as it was seen, that this one is put
	// in the place of by an edit; nil for none.
	Replaces *Replaced
}

// Replaced is what an edit takes the place of.
type Replaced struct {
	SettlementID string
	approval.Replaced
}

// Content is what a change request holds for a settlement.
type Content struct {
	Settlement string `json:"settlement"`
	Rollout    string `json:"rollout"`
	Way        Way    `json:"way"`
	Baseline   string `json:"baseline"`
	Candidate  string `json:"candidate"`
	Filter     Filter `json:"filter"`
	Jobs       int64  `json:"jobs"`
	Accounts   int64  `json:"accounts"`
	Credits    int64  `json:"credits"`
	Debits     int64  `json:"debits"`
	// Digest is over the figures of every job.
	Digest string `json:"sha256"`
}

// ReadProposed reads what a change request of this package's kind proposes.
func ReadProposed(r approval.Request) (Content, error) {
	var p Content
	if err := json.Unmarshal([]byte(r.Proposal), &p); err != nil {
		return p, fmt.Errorf("settlement: proposal of %s: %w", r.ID, err)
	}
	return p, nil
}

// input is the operation's input: the filter field by field.
func (p Proposal) input() operation.Input {
	in := operation.Input{"rollout": p.RolloutID, "way": string(p.Way), "sign": string(p.Filter.Sign), "minimum": p.Filter.Minimum, "reason": p.Reason}
	for name, at := range map[string]*time.Time{"from": p.Filter.From, "to": p.Filter.To} {
		if at != nil {
			in[name] = at.UTC().Format(time.RFC3339Nano)
		}
	}
	if len(p.Filter.Accounts) > 0 {
		in["accounts"] = p.Filter.Accounts
	}
	if p.Replaces != nil {
		in["replaces"] = p.Replaces.SettlementID
	}
	return in
}

func (p Proposal) check() []fault.Field {
	bad := p.Filter.check()
	if !p.Way.Valid() {
		bad = append(bad, fault.Field{Name: "way", Message: "must be ledger or outside"})
	}
	return checkText(bad, "reason", p.Reason, 300)
}

func checkText(bad []fault.Field, name, value string, limit int) []fault.Field {
	if problem := freetext.Problem(value, limit, true); problem != "" {
		return append(bad, fault.Field{Name: name, Message: problem})
	}
	return bad
}

// Propose freezes what the filter finds now and asks a second person: the outcome always waits, and its result is an
// approval.Required. Charges that an earlier settlement paid, or may still pay, are not in it. Faults: invalid_request,
// rollout_not_found, state_conflict for a rollout that was never started or is live, nothing_to_settle, settlement_too_large,
// amount_overflow, those of approval.Store.Replace where Replaces is set, those of a void change request, and those of
// operation.Apply.
func (s *Store) Propose(ctx context.Context, p Proposal) (operation.Outcome, error) {
	if p.Way == "" {
		p.Way = Ledger
	}
	if p.Filter.Sign == "" {
		p.Filter.Sign = Credits
	}
	slices.Sort(p.Filter.Accounts)
	p.Filter.Accounts = slices.Compact(p.Filter.Accounts)
	req := operation.Request{Scope: Scope(), ID: p.OperationID, Kind: Kind, Actor: p.Actor, RequestID: p.RequestID, Object: "rollout:" + p.RolloutID,
		Reason: p.Reason, Input: p.input(), Invalid: p.check(), Waiting: s.requests.Standing}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		g := tx.DB.WithContext(ctx)
		// One proposal of a rollout at a time: two at once would hold the same charges, and only one of them could pay each.
		if err := g.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('settlements of ' || ?, 0))`, p.RolloutID).Error; err != nil {
			return nil, fmt.Errorf("settlement: lock: %w", err)
		}
		r, err := readRollout(ctx, tx.DB, p.RolloutID)
		if err == nil {
			err = r.over()
		}
		if err != nil {
			return nil, err
		}
		if err := s.checkAccounts(ctx, tx.DB, p.Filter.Accounts); err != nil {
			return nil, err
		}
		if p.Replaces != nil {
			if err := s.replace(ctx, tx, p); err != nil {
				return nil, err
			}
		}
		st, err := s.freeze(ctx, tx, r, p)
		if err != nil {
			return nil, err
		}
		what := Content{Settlement: st.ID, Rollout: r.ID, Way: p.Way, Baseline: st.Baseline, Candidate: st.Candidate, Filter: p.Filter, Jobs: st.Jobs, Accounts: st.Accounts,
			Credits: st.Credits, Debits: st.Debits, Digest: hex.EncodeToString(st.Digest)}
		required, err := s.requests.Propose(ctx, tx, approval.Proposal{Object: Object(st.ID), What: what, Reason: p.Reason})
		if err != nil {
			return nil, err
		}
		return required, operation.ErrWait
	})
}

// replace voids the settlement that an edit takes the place of, so that its charges are free for the new one.
func (s *Store) replace(ctx context.Context, tx *operation.Tx, p Proposal) error {
	old, err := find(ctx, tx.DB, p.Replaces.SettlementID)
	if err != nil {
		return err
	}
	if old.RolloutID != p.RolloutID {
		return fault.InvalidField("replaces", "is about something else")
	}
	return s.requests.Replace(ctx, tx, p.Replaces.Replaced, Object(old.ID), p.Reason)
}

// freeze writes the settlement with its items, in one statement and so of one moment.
func (s *Store) freeze(ctx context.Context, tx *operation.Tx, r rollout, p Proposal) (Settlement, error) {
	st := Settlement{ID: "stl_" + strings.ToLower(rand.Text())[:16], Baseline: r.Baseline.ID, Candidate: r.Candidate}
	with, args, err := due(ctx, tx.DB, r, p.Filter, "")
	if err != nil {
		return st, err
	}
	filter, err := json.Marshal(p.Filter)
	if err != nil {
		return st, fmt.Errorf("settlement: filter: %w", err)
	}
	for name, value := range map[string]any{"id": st.ID, "baseline": st.Baseline, "candidate": st.Candidate, "way": string(p.Way), "filter": string(filter),
		"reason": p.Reason, "by": tx.Request.Actor.String(), "op": tx.Request.ID, "most": MaxJobs} {
		args[name] = value
	}
	var row struct {
		Key, Jobs, Accounts, Credits, Debits int64
		Digest                               []byte
	}
	res := tx.DB.WithContext(ctx).Raw(with+`,
		sum AS (SELECT `+sums+`, `+digestOf+` AS digest FROM due i JOIN accounts a ON a.key = i.account_key JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key),
		s AS (INSERT INTO settlements (id, rollout_id, baseline, candidate, way, filter, jobs, accounts, credits, debits, digest, supplement, reason, proposed_by, operation_id)
			SELECT @id, @ro, @baseline, @candidate, @way, @filter, jobs, accounts, credits, debits, digest,
				EXISTS (SELECT 1 FROM settlement_payments WHERE rollout_id = @ro), @reason, @by, @op
			FROM sum WHERE jobs BETWEEN 1 AND @most RETURNING key),
		i AS (INSERT INTO settlement_items (settlement_key, account_key, job_key, operation_id, charged_at, units, charged, baseline, amount)
			SELECT s.key, d.account_key, d.job_key, d.operation_id, d.charged_at, d.units, d.charged, d.baseline, d.amount FROM s CROSS JOIN due d)
		SELECT COALESCE(s.key, 0) AS key, sum.jobs, sum.accounts, sum.credits, sum.debits, sum.digest FROM sum LEFT JOIN s ON true`, args).Scan(&row)
	st.Key, st.Jobs, st.Accounts, st.Credits, st.Debits, st.Digest = row.Key, row.Jobs, row.Accounts, row.Credits, row.Debits, row.Digest
	switch {
	case res.Error != nil:
		return st, fmt.Errorf("settlement: freeze: %w", res.Error)
	case st.Jobs == 0:
		return st, fault.New(fault.Conflict, CodeNothing, "No delivered charge under the candidate of %q is left that this settlement could hold. Nothing was proposed.", r.ID)
	case st.Jobs > MaxJobs:
		return st, fault.New(fault.Conflict, CodeTooLarge, "%d charges are more than the %d of one settlement: choose a shorter period; the others are for the next one. Nothing was proposed.",
			st.Jobs, MaxJobs)
	}
	return st, nil
}

// Begun is the stored result of an approved proposal: the task that pays it; empty for one that is settled outside.
type Begun struct {
	Settlement string `json:"settlement"`
	Task       string `json:"task,omitempty"`
}

// Executors begin approved settlements, for approval.NewDesk.
func (s *Store) Executors() map[approval.Kind]approval.Executor {
	return map[approval.Kind]approval.Executor{Kind: func(ctx context.Context, tx *operation.Tx, r approval.Request) (any, error) {
		p, err := ReadProposed(r)
		if err != nil {
			return nil, err
		}
		st, err := find(ctx, tx.DB, p.Settlement)
		if err != nil {
			return nil, err
		}
		// An earlier release proposed for live rollouts, too.
		o, err := readRollout(ctx, tx.DB, st.RolloutID)
		if err == nil {
			err = o.over()
		}
		if err != nil {
			return nil, err
		}
		sum, err := digest(ctx, tx.DB, st.Key)
		if err != nil {
			return nil, err
		}
		if hex.EncodeToString(sum) != p.Digest || hex.EncodeToString(st.Digest) != p.Digest {
			return nil, fault.New(fault.Conflict, CodeDamaged, "The charges stored for the settlement %s are not those that were proposed. Nothing was paid.", st.ID)
		}
		res := tx.DB.WithContext(ctx).Exec(`UPDATE settlements SET approved_at = clock_timestamp() WHERE key = ? AND approved_at IS NULL`, st.Key)
		if res.Error != nil || res.RowsAffected != 1 {
			return nil, errors.Join(fmt.Errorf("settlement: approve %s: %d rows", st.ID, res.RowsAffected), res.Error)
		}
		if st.Way == Outside {
			return Begun{Settlement: st.ID}, nil
		}
		return s.begin(ctx, tx, st)
	}}
}

// begin starts a task that pays what is left of a settlement, in place of one that is over.
func (s *Store) begin(ctx context.Context, tx *operation.Tx, st Settlement) (Begun, error) {
	t, err := s.tasks.Start(ctx, tx, task.NewTask{Kind: Kind, Title: st.ID, Input: Begun{Settlement: st.ID}, Total: st.Jobs})
	if err != nil {
		return Begun{}, err
	}
	res := tx.DB.WithContext(ctx).Exec(`UPDATE settlements SET task_id = ? WHERE key = ? AND finished_at IS NULL AND task_id IS NOT DISTINCT FROM ?`, t.ID, st.Key, st.TaskID)
	if res.Error != nil {
		return Begun{}, fmt.Errorf("settlement: begin: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return Begun{}, fault.State("changed", "The settlement %s is being paid already. Nothing was done.", st.ID)
	}
	err = audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: tx.Request.Kind, Object: Object(st.ID), Reason: st.Reason,
		After:       map[string]any{"jobs": st.Jobs, "credits": st.Credits, "debits": st.Debits, "task": t.ID},
		OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
	return Begun{Settlement: st.ID, Task: t.ID}, err
}

// Resume starts a new task for a settlement whose task was given up. What it paid stays paid. Faults:
// settlement_not_found, state_conflict, invalid_request, and those of operation.Apply.
func (s *Store) Resume(ctx context.Context, e ledger.Envelope, id, reason string) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: e.OperationID, Kind: "resume_settlement", Actor: e.Actor, RequestID: e.RequestID, Object: Object(id), Reason: reason,
		Input: operation.Input{"settlement": id, "reason": reason}, Invalid: checkText(nil, "reason", reason, 300)}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		st, err := find(ctx, tx.DB, id)
		if err != nil {
			return nil, err
		}
		if st.State != Paying || st.TaskID == nil {
			return nil, fault.State(string(st.State), "The settlement %s is %s: there is nothing to take up again. Nothing was done.", id, st.State)
		}
		t, err := s.tasks.Find(ctx, *st.TaskID)
		if err != nil {
			return nil, err
		}
		if !t.State.Over() {
			return nil, fault.State(string(t.State), "The settlement %s is being paid. Nothing was done.", id)
		}
		st.Reason = reason
		return s.begin(ctx, tx, st)
	})
}
