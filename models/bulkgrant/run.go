package bulkgrant

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/task"
)

// Result is the stored result of a file that was applied, and of its task.
type Result struct {
	BulkGrant string `json:"bulk_grant"`
	// Granted lines are new, Done ones had been granted before.
	Granted int64 `json:"granted"`
	Done    int64 `json:"done"`
	Credits int64 `json:"credits"` // of the new ones
}

// part is a line with the claimed operation of its grant.
type part struct {
	Line
	key   int64
	grant ledger.GrantRequest
	claim *operation.Part
}

// Run is the task that applies a file: every line in one transaction, as an operation of its own in its account's
// scope, by whoever asked for the file. First all operations are claimed, then all entries are written, both in
// the order of accounts: so nobody waits in a circle. It may run again after a crash: the whole is an operation
// too. A line that cannot be applied ends it with a fault, and nothing of the file is.
func (s *Store) Run(ctx context.Context, run *task.Run) (any, error) {
	var in Confirmed
	if err := run.Decode(&in); err != nil {
		return nil, err
	}
	f, err := s.Find(ctx, in.BulkGrant)
	if err != nil {
		return nil, err
	}
	env := ledger.Envelope{Actor: actor.Parse(run.RequestedBy), RequestID: run.RequestID}
	out, err := s.ops.Apply(ctx, operation.Request{Scope: Scope(), ID: "apply:" + f.ID, Kind: "apply_bulk_grant", Actor: env.Actor, RequestID: env.RequestID,
		Object: Object(f.ID), Input: operation.Input{"bulk_grant": f.ID}}, func(ctx context.Context, tx *operation.Tx) (any, error) {
		return s.apply(ctx, tx, run, f, env)
	})
	if err != nil {
		return nil, errors.Join(err, s.failed(ctx, run, f, err))
	}
	var result Result
	return result, out.Decode(&result)
}

func (s *Store) apply(ctx context.Context, tx *operation.Tx, run *task.Run, f File, env ledger.Envelope) (Result, error) {
	parts, err := s.parts(ctx, f, env)
	if err != nil {
		return Result{}, err
	}
	taken, err := s.takeReferences(ctx, tx, f)
	if err != nil {
		return Result{}, err
	}
	result := Result{BulkGrant: f.ID}
	for i := range parts {
		p := &parts[i]
		if p.claim, err = s.ops.Claim(ctx, tx, p.grant.Operation()); err != nil {
			return Result{}, atLine(p.Line, err)
		}
		if by, there := taken[p.Reference]; there && by != p.Account && !p.claim.Replayed {
			return Result{}, badLines([]Problem{{Line: p.Number, Column: colReference, Code: "reference_taken", Value: by}})
		}
	}
	if err := s.withinLimit(ctx, tx, f, parts); err != nil {
		return Result{}, err
	}
	for i, p := range parts {
		if p.claim.Replayed {
			result.Done++
		} else {
			posted, err := s.ledger.PostGrant(ctx, p.claim.Tx(), p.grant)
			if err == nil {
				err = p.claim.Finish(ctx, posted)
			}
			if err != nil {
				return Result{}, atLine(p.Line, db.Fault(err))
			}
			result.Granted++
			result.Credits += p.Amount
		}
		// Progress goes by a connection of its own, so that others see it before this transaction ends.
		if err := run.Progress(ctx, int64(i+1), f.Count); err != nil {
			return Result{}, err
		}
	}
	res := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_grants SET applied_at = clock_timestamp(), granted = ? WHERE id = ? AND applied_at IS NULL`, result.Granted, f.ID)
	if res.Error != nil {
		return Result{}, fmt.Errorf("bulkgrant: applied: %w", res.Error)
	}
	return result, nil
}

// takeReferences takes the references of all lines, in one order everywhere and before anything else, so that two
// files with one of them wait for each other here, and returns whose each of them is.
func (s *Store) takeReferences(ctx context.Context, tx *operation.Tx, f File) (map[string]string, error) {
	lines, err := json.Marshal(f.Lines)
	if err != nil {
		return nil, fmt.Errorf("bulkgrant: %w", err)
	}
	err = tx.DB.WithContext(ctx).Exec(`INSERT INTO bulk_grant_references (reference, account_key, bulk_key)
		SELECT l.reference, a.key, ? FROM json_to_recordset(?::json) AS l (reference text, account text) JOIN accounts a ON a.id = l.account
		ORDER BY l.reference COLLATE "C" ON CONFLICT DO NOTHING`, f.Key, string(lines)).Error
	if err != nil {
		return nil, fmt.Errorf("bulkgrant: take references: %w", err)
	}
	// A second statement: the first does not see what it waited for.
	return takenReferences(ctx, tx.DB, f.Lines)
}

// withinLimit holds what a file that no second person approved gives each account, together with what the same person
// gave it before, to the limit of one person: since it was confirmed there may be more.
func (s *Store) withinLimit(ctx context.Context, tx *operation.Tx, f File, parts []part) error {
	if f.OperationID == nil {
		return nil
	}
	request, err := s.requests.OfOperation(ctx, Scope(), *f.OperationID)
	if err != nil || request != nil {
		// Only approved files come here that had to wait.
		return err
	}
	amounts, first := map[int64]int64{}, map[int64]part{}
	var keys []int64
	for _, p := range parts {
		if p.claim.Replayed {
			continue
		}
		if _, there := amounts[p.key]; !there {
			keys, first[p.key] = append(keys, p.key), p
		}
		amounts[p.key] += p.Amount
	}
	if err := s.ledger.LockAccounts(ctx, tx, keys); err != nil {
		return err
	}
	over, err := s.ledger.OverTogether(ctx, tx.DB, tx.Request.Actor, amounts)
	if err != nil || len(over) == 0 {
		return err
	}
	var problems []Problem
	for _, key := range over {
		problems = append(problems, Problem{Line: first[key].Number, Column: colAmount, Code: "second_person"})
	}
	return badLines(problems)
}

// parts are the lines in the order in which everybody locks: by account, then by reference.
func (s *Store) parts(ctx context.Context, f File, env ledger.Envelope) ([]part, error) {
	accounts := make([]string, len(f.Lines))
	for i, l := range f.Lines {
		accounts[i] = l.Account
	}
	known, err := s.ledger.Known(ctx, accounts)
	if err != nil {
		return nil, err
	}
	parts := make([]part, len(f.Lines))
	for i, l := range f.Lines {
		key, there := known[l.Account]
		if !there {
			return nil, badLines([]Problem{{Line: l.Number, Column: colAccount, Code: "unknown_account"}})
		}
		parts[i] = part{Line: l, key: key, grant: l.grant(env)}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Reference, b.Reference))
	})
	return parts, nil
}

// atLine adds the line to a fault; other errors stay as they are, so that the task is tried again.
func atLine(l Line, err error) error {
	f := fault.As(err)
	if f == nil || f.Kind == fault.Busy {
		return err
	}
	code := f.Code
	switch code {
	case fault.CodeOperationConflict:
		code = "conflict"
	case fault.CodeAmountOverflow:
		code = "balance_too_large"
	}
	return badLines([]Problem{{Line: l.Number, Code: code}})
}
