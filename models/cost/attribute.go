package cost

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// AttributeRequest is a person's correction: whom a record is put down to.
type AttributeRequest struct {
	ledger.Envelope
	RecordKey int64
	// Seq is the record's attribution that the person looked at.
	Seq int64
	// AccountID goes with one of JobID and ToOperationID. All empty: nobody is known after all, and the record is
	// unattributed again.
	AccountID     string
	JobID         string
	ToOperationID string
	// Reason is required.
	Reason string
}

// AttributeResult is the stored result of Attribute.
type AttributeResult struct {
	RecordKey   int64  `json:"record_key"`
	Seq         int64  `json:"seq"`
	State       State  `json:"state"`
	AccountID   string `json:"account_id,omitempty"`
	JobID       string `json:"job_id,omitempty"`
	OperationID string `json:"operation_id,omitempty"`
}

// Target is whom a record can be put down to.
type Target struct {
	AccountKey int64
	AccountID  string
	// JobKey, JobID and Action are nil where an operation concerns no job.
	JobKey *int64
	JobID  *string
	Action *string
	// OperationID is empty where the job was named itself.
	OperationID string
}

// Find returns the job, or the operation with its job, that a person or a record names. Faults: job_not_found,
// operation_not_found.
func (s *Service) Find(ctx context.Context, accountID, jobID, operationID string) (Target, error) {
	return find(ctx, s.g, accountID, jobID, operationID)
}

func find(ctx context.Context, g *gorm.DB, accountID, jobID, operationID string) (Target, error) {
	t := Target{OperationID: operationID}
	var res *gorm.DB
	if jobID != "" {
		res = g.WithContext(ctx).Raw(`SELECT a.key AS account_key, a.id AS account_id, j.key AS job_key, j.id AS job_id, j.action
			FROM accounts a JOIN jobs j ON j.account_key = a.key WHERE a.id = ? AND j.id = ?`, storable(accountID), storable(jobID)).Scan(&t)
	} else {
		res = g.WithContext(ctx).Raw(`SELECT a.key AS account_key, a.id AS account_id, o.job_key, j.id AS job_id, j.action, o.id AS operation_id
			FROM accounts a JOIN operations o ON o.account_key = a.key AND o.scope = '' AND o.id = ?
			LEFT JOIN jobs j ON j.account_key = o.account_key AND j.key = o.job_key WHERE a.id = ?`, storable(operationID), storable(accountID)).Scan(&t)
	}
	switch {
	case res.Error != nil:
		return t, fmt.Errorf("cost: find: %w", res.Error)
	case res.RowsAffected == 0 && jobID != "":
		return t, fault.New(fault.NotFound, fault.CodeJobNotFound, "There is no job %q in account %q.", jobID, accountID)
	case res.RowsAffected == 0:
		return t, fault.New(fault.NotFound, fault.CodeOperationNotFound, "There is no operation %q in account %q.", operationID, accountID)
	}
	return t, nil
}

// Attribute appends a correction to a record. Faults: invalid_request (also for one that corrects nothing), cost_record_not_found, state_conflict when the
// record was attributed meanwhile, and those of operation.Apply. What does not exist is named at its field.
func (s *Service) Attribute(ctx context.Context, r AttributeRequest) (operation.Outcome, error) {
	rec, err := s.Get(ctx, r.RecordKey)
	if err != nil {
		return operation.Outcome{}, err
	}
	req := operation.Request{Scope: Scope(rec.Source), ID: r.OperationID, Kind: "cost_attribute", Actor: r.Actor, RequestID: r.RequestID, Reason: r.Reason,
		Object: Object(rec.Key), Invalid: checkReason(r.checkTarget(), r.Reason),
		Input: operation.Input{"record": r.RecordKey, "seq": r.Seq, "account_id": r.AccountID, "job_id": r.JobID, "operation_id": r.ToOperationID, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		result := AttributeResult{RecordKey: rec.Key, Seq: r.Seq + 1, State: Unattributed}
		var account, jobKey *int64
		var jobOperation, action *string
		if r.AccountID != "" {
			t, err := find(ctx, tx.DB, r.AccountID, r.JobID, r.ToOperationID)
			if err != nil {
				return nil, atField(err)
			}
			result.State, result.AccountID, result.OperationID = Attributed, t.AccountID, t.OperationID
			account, jobKey, action = &t.AccountKey, t.JobKey, t.Action
			if t.OperationID != "" {
				jobOperation = &t.OperationID
			}
			if t.JobID != nil {
				result.JobID = *t.JobID
			}
		}
		if rec.Seq == r.Seq && rec.is(result) {
			return nil, fault.InvalidField("account", "is whom the record is put down to already")
		}
		if action == nil {
			action = rec.Action
		}
		// The lock on the state's row lets one of two people through; the other finds another seq.
		res := tx.DB.WithContext(ctx).Exec(`INSERT INTO cost_attributions
			(record_key, seq, state, account_key, job_key, job_operation_id, action, cause, reason, actor, operation_id)
			SELECT record_key, seq + 1, ?, ?, ?, ?, ?, 'person', ?, ?, ? FROM cost_states WHERE record_key = ? AND seq = ? FOR UPDATE`,
			string(result.State), account, jobKey, jobOperation, action, r.Reason, r.Actor.String(), r.OperationID, rec.Key, r.Seq)
		if res.Error != nil {
			return nil, fmt.Errorf("cost: attribute: %w", res.Error)
		}
		now, err := get(ctx, tx.DB, rec.Key)
		if err != nil {
			return nil, err
		}
		if res.RowsAffected == 0 {
			return nil, fault.State(string(now.State), "The record was put down to somebody else meanwhile: it is %s now. Nothing was changed.", now.State).With("seq", now.Seq)
		}
		return result, audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: req.Kind, Object: req.Object, Reason: r.Reason,
			Before: rec.target(), After: now.target(), OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	})
}

// is reports whether a record is put down already as an attribution says.
func (r Record) is(to AttributeResult) bool {
	same := func(have *string, want string) bool {
		if have == nil {
			return want == ""
		}
		return *have == want
	}
	return r.State == to.State && same(r.ToAccountID, to.AccountID) && same(r.ToOperationID, to.OperationID) && (to.OperationID != "" || same(r.ToJobID, to.JobID))
}

// Object names a record in the audit log.
func Object(key int64) string { return fmt.Sprintf("cost:%d", key) }

func (r Record) target() map[string]any {
	return map[string]any{"state": r.State, "account_id": r.ToAccountID, "job_id": r.ToJobID, "operation_id": r.ToOperationID, "rule_id": r.RuleID}
}

func (r AttributeRequest) checkTarget() []fault.Field {
	var bad []fault.Field
	wrong := func(name, message string) { bad = append(bad, fault.Field{Name: name, Message: message}) }
	switch {
	case r.JobID != "" && r.ToOperationID != "":
		wrong("to_operation", "must not be given beside job_id: name one of them")
	case r.AccountID == "" && (r.JobID != "" || r.ToOperationID != ""):
		wrong("account", "is required with a job or an operation")
	case r.AccountID != "" && r.JobID == "" && r.ToOperationID == "":
		wrong("job", "or an operation is required with an account")
	}
	for _, id := range []struct{ name, value string }{{"account", r.AccountID}, {"job", r.JobID}} {
		if id.value != "" {
			if err := ids.CheckCallerID(id.value); err != nil {
				wrong(id.name, err.Error())
			}
		}
	}
	if r.ToOperationID != "" {
		if err := ids.CheckOperationID(r.ToOperationID); err != nil {
			wrong("to_operation", err.Error())
		}
	}
	return bad
}

// atField names the field of a form that led to nothing.
func atField(err error) error {
	switch {
	case fault.Is(err, fault.CodeJobNotFound):
		return fault.InvalidField("job", "does not exist in this account")
	case fault.Is(err, fault.CodeOperationNotFound):
		return fault.InvalidField("to_operation", "does not exist in this account")
	}
	return err
}

// Attribution is one line of a record's history.
type Attribution struct {
	Seq         int64
	State       State
	AccountID   *string
	JobID       *string
	OperationID *string // the operation it is put down to
	RuleID      *string
	Action      *string
	// Cause is "recorded", "rule" or "person".
	Cause  string
	Reason string
	Actor  string
	At     time.Time
}

// History returns a record's attributions, newest first, at most 1,000.
func (s *Service) History(ctx context.Context, key int64) ([]Attribution, error) {
	var rows []Attribution
	err := s.g.WithContext(ctx).Raw(`SELECT t.seq, t.state, a.id AS account_id, j.id AS job_id, t.job_operation_id AS operation_id, c.id AS rule_id,
		t.action, t.cause, t.reason, t.actor, t.at FROM cost_attributions t
		LEFT JOIN accounts a ON a.key = t.account_key LEFT JOIN jobs j ON j.account_key = t.account_key AND j.key = t.job_key
		LEFT JOIN cost_rules c ON c.key = t.rule_key WHERE t.record_key = ? ORDER BY t.seq DESC LIMIT 1000`, key).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("cost: history: %w", err)
	}
	return rows, nil
}
