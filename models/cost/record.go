package cost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

const (
	// MaxBatch is how many records one batch of the API may hold.
	MaxBatch = 1000
	// chunk is how many records one statement writes.
	chunk = 1000
	// rulesLock orders the making of overhead rules after the records that did not see them.
	rulesLock = 0x436f7374
)

// Batch asks for records to be kept: all of them or none.
type Batch struct {
	ledger.Envelope
	Source string
	// Records has 1 to MaxBatch records, or any number where ImportID is set. No external id may come twice.
	Records []NewRecord
	// ImportID names the import of a file, empty for others; FileDigest is then the input in the place of the records:
	// the same file under the same mapping is the same operation.
	ImportID   string
	FileDigest string
	// Reason is why a person imports, for the audit row; empty for programs.
	Reason string
	// Progress is told now and then how many records are written, and stops everything by its error; nil for nobody.
	Progress func(written int) error
}

// BatchResult is the stored result of Record.
type BatchResult struct {
	Source string `json:"source"`
	// Recorded counts the records that are new, Replayed those that were there with the same content.
	Recorded int64 `json:"recorded"`
	Replayed int64 `json:"replayed"`
	// Attributed, Overhead and Unattributed count the new ones by their state.
	Attributed   int64 `json:"attributed"`
	Overhead     int64 `json:"overhead"`
	Unattributed int64 `json:"unattributed"`
	// Replays are the external ids that were there, in order, at most MaxBatch of them.
	Replays []string `json:"replays"`
}

// Record keeps a batch of records in one transaction. A record that is there already with the same content is
// counted as replayed. Faults: invalid_request (a field of a record as records[3].amount), cost_conflict when records are there
// with other content (external_id and existing_operation_id of the first, all of them under DetailConflicts), and those of
// operation.Apply.
func (s *Service) Record(ctx context.Context, b Batch) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(b.Source), ID: b.OperationID, Kind: "costs", Actor: b.Actor, RequestID: b.RequestID, Reason: b.Reason,
		Object: "costs:" + b.Source, Invalid: b.check()}
	if b.ImportID != "" {
		req.Kind, req.Input = "cost_import", operation.Input{"source": b.Source, "file": b.FileDigest}
	} else {
		digests := make([]string, len(b.Records))
		for i, r := range b.Records {
			digests[i] = r.ExternalID + " " + fmt.Sprintf("%x", r.digest())
		}
		slices.Sort(digests)
		req.Input = operation.Input{"source": b.Source, "records": digests}
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		result, err := s.write(ctx, tx, b)
		if err != nil || b.ImportID == "" {
			return result, err
		}
		return result, audit.Record(ctx, tx.DB, audit.Row{Actor: b.Actor, Action: req.Kind, Object: req.Object, Reason: b.Reason, After: result,
			OperationID: b.OperationID, RequestID: b.RequestID, TraceID: tx.TraceID})
	})
}

// maxFaults is how many fields a refusal names.
const maxFaults = 100

func (b Batch) check() []fault.Field {
	var bad []fault.Field
	if err := CheckSource(b.Source); err != nil {
		bad = append(bad, fault.Field{Name: "source", Message: err.Error()})
	}
	switch {
	case len(b.Records) == 0:
		bad = append(bad, fault.Field{Name: "records", Message: "must not be empty"})
	case len(b.Records) > MaxBatch && b.ImportID == "":
		return append(bad, fault.Field{Name: "records", Message: fmt.Sprintf("must have at most %d members", MaxBatch)})
	}
	first := make(map[string]int, len(b.Records))
	for i, r := range b.Records {
		prefix := fmt.Sprintf("records[%d].", i)
		bad = r.Check(prefix, bad)
		if at, twice := first[r.ExternalID]; twice && r.ExternalID != "" {
			bad = append(bad, fault.Field{Name: prefix + "external_id", Message: fmt.Sprintf("is that of records[%d] too", at)})
		}
		first[r.ExternalID] = i
		if len(bad) >= maxFaults {
			break
		}
	}
	return bad
}

// row is a record as the statement below reads it.
type row struct {
	ExternalID  string            `json:"external_id"`
	Amount      string            `json:"amount"`
	Currency    string            `json:"currency"`
	OccurredAt  time.Time         `json:"occurred_at"`
	Until       *time.Time        `json:"occurred_until"`
	AccountID   string            `json:"account_id"`
	JobID       string            `json:"job_id"`
	OperationID string            `json:"job_operation_id"`
	Action      *string           `json:"action"`
	Description string            `json:"description"`
	Dimensions  map[string]string `json:"dimensions"`
	Digest      string            `json:"digest"`
}

// write inserts the records in the order of their ids, so that two batches of the same records never wait for each
// other in a circle.
func (s *Service) write(ctx context.Context, tx *operation.Tx, b Batch) (BatchResult, error) {
	result := BatchResult{Source: b.Source, Replays: []string{}}
	if err := knownActions(ctx, tx.DB, b.Records); err != nil {
		return result, err
	}
	// Shared with other batches; a rule that is made meanwhile waits and then sees these records.
	if err := tx.DB.WithContext(ctx).Exec(`SELECT pg_advisory_xact_lock_shared(?)`, rulesLock).Error; err != nil {
		return result, fmt.Errorf("cost: lock: %w", err)
	}
	order := slices.Clone(b.Records)
	slices.SortFunc(order, func(x, y NewRecord) int {
		switch {
		case x.ExternalID < y.ExternalID:
			return -1
		case x.ExternalID > y.ExternalID:
			return 1
		}
		return 0
	})
	written := 0
	for part := range slices.Chunk(order, chunk) {
		err := s.writeChunk(ctx, tx, b, part, &result)
		if errors.Is(err, errOther) {
			err = refuseOther(ctx, tx.DB, b)
		}
		if err != nil {
			return result, err
		}
		if written += len(part); b.Progress != nil {
			if err := b.Progress(written); err != nil {
				return result, err
			}
		}
	}
	return result, nil
}

func (s *Service) writeChunk(ctx context.Context, tx *operation.Tx, b Batch, part []NewRecord, result *BatchResult) error {
	given, err := rowsOf(part)
	if err != nil {
		return err
	}
	var importID *string
	if b.ImportID != "" {
		importID = &b.ImportID
	}
	g := tx.DB.WithContext(ctx)
	var made []struct {
		Key        int64
		ExternalID string
	}
	err = g.Raw(`INSERT INTO cost_records (source, external_id, amount, currency, occurred_at, occurred_until, account_id, job_id, job_operation_id, action,
			description, dimensions, digest, import_id, actor, operation_id)
		SELECT ?, external_id, amount, currency, occurred_at, occurred_until, account_id, job_id, job_operation_id, action, description, dimensions,
			decode(digest, 'hex'), ?, ?, ?
		FROM jsonb_to_recordset(?::jsonb) AS x `+givenColumns+`
		ORDER BY external_id COLLATE "C" ON CONFLICT (source, external_id) DO NOTHING RETURNING key, external_id`,
		b.Source, importID, b.Actor.String(), b.OperationID, given).Scan(&made).Error
	if err != nil {
		return fmt.Errorf("cost: record: %w", err)
	}
	isNew := make(map[string]bool, len(made))
	keys := make([]int64, len(made))
	for i, m := range made {
		isNew[m.ExternalID], keys[i] = true, m.Key
	}
	if len(made) < len(part) {
		var old []NewRecord
		for _, r := range part {
			if !isNew[r.ExternalID] {
				old = append(old, r)
			}
		}
		if err := sameAsStored(ctx, g, b.Source, old); err != nil {
			return err
		}
		result.Replayed += int64(len(old))
		for _, r := range old {
			if len(result.Replays) < MaxBatch {
				result.Replays = append(result.Replays, r.ExternalID)
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	result.Recorded += int64(len(keys))
	return attributeNew(ctx, g, tx, keys, result)
}

// sameAsStored compares records with those that are there, in a statement of its own: the one that met them has
// waited for their transaction and would not see them. errOther: one of them has other content.
func sameAsStored(ctx context.Context, g *gorm.DB, source string, old []NewRecord) error {
	stored, err := storedUnder(ctx, g, source, old)
	if err != nil {
		return err
	}
	for _, r := range old {
		there, known := stored[r.ExternalID]
		if !known {
			return fmt.Errorf("cost: record %q of %s is there and was not found", r.ExternalID, source)
		}
		if !there.same(r) {
			return errOther
		}
	}
	return nil
}

// knownActions refuses records with an action that nobody has: such a record would concern no rollout, and a
// misspelling would hide a cost.
func knownActions(ctx context.Context, g *gorm.DB, records []NewRecord) error {
	var known []string
	if err := g.WithContext(ctx).Raw(`SELECT id FROM actions`).Scan(&known).Error; err != nil {
		return fmt.Errorf("cost: actions: %w", err)
	}
	var bad []fault.Field
	for i, r := range records {
		if r.Action != "" && !slices.Contains(known, r.Action) && len(bad) < maxFaults {
			bad = append(bad, fault.Field{Name: fmt.Sprintf("records[%d].action", i), Message: "is not an action of this installation"})
		}
	}
	if len(bad) > 0 {
		return fault.InvalidFields(bad...)
	}
	return nil
}

// target joins to a record r what it is put down to at first: t is the job or operation that it names, where there is one,
// u the oldest overhead rule that matches, where there is none.
const target = `LEFT JOIN LATERAL (
			SELECT j.account_key, j.key AS job_key, NULL::text AS operation_id, j.action
			FROM accounts a JOIN jobs j ON j.account_key = a.key AND j.id = r.job_id WHERE a.id = r.account_id AND r.job_id <> ''
			UNION ALL
			SELECT o.account_key, o.job_key, o.id, j.action
			FROM accounts a JOIN operations o ON o.account_key = a.key AND o.scope = '' AND o.id = r.job_operation_id
			LEFT JOIN jobs j ON j.account_key = o.account_key AND j.key = o.job_key WHERE a.id = r.account_id AND r.job_operation_id <> ''
		) t ON r.account_id <> ''
		LEFT JOIN LATERAL (SELECT c.key FROM cost_rules c WHERE ` + ruleMatches + ` ORDER BY c.key LIMIT 1) u ON t.account_key IS NULL`

// givenColumns are the members of row, as jsonb_to_recordset reads them.
const givenColumns = `(external_id text, amount numeric, currency text, occurred_at timestamptz, occurred_until timestamptz, account_id text, job_id text,
			job_operation_id text, action text, description text, dimensions jsonb, digest text)`

// rowsOf are records as the statements read them, as JSON.
func rowsOf(part []NewRecord) (string, error) {
	rows := make([]row, len(part))
	for i, r := range part {
		rows[i] = row{ExternalID: r.ExternalID, Amount: r.Amount.String(), Currency: r.Currency, OccurredAt: r.Time.UTC().Truncate(time.Microsecond),
			AccountID: r.AccountID, JobID: r.JobID, OperationID: r.OperationID, Description: r.Description, Dimensions: r.Dimensions,
			Digest: fmt.Sprintf("%x", r.digest())}
		if r.Action != "" {
			rows[i].Action = &r.Action
		}
		if !r.Until.IsZero() {
			until := r.Until.UTC().Truncate(time.Microsecond)
			rows[i].Until = &until
		}
		if r.Dimensions == nil {
			rows[i].Dimensions = map[string]string{}
		}
	}
	given, err := json.Marshal(rows)
	if err != nil {
		return "", fmt.Errorf("cost: %w", err)
	}
	return string(given), nil
}

// attributeNew writes the first attribution of new records: to the job or operation they name where there is one,
// else to the oldest overhead rule that matches, else to nobody.
func attributeNew(ctx context.Context, g *gorm.DB, tx *operation.Tx, keys []int64, result *BatchResult) error {
	list, err := json.Marshal(keys)
	if err != nil {
		return fmt.Errorf("cost: %w", err)
	}
	var counts []struct {
		State State
		Count int64
	}
	err = g.WithContext(ctx).Raw(`WITH made AS (INSERT INTO cost_attributions
			(record_key, seq, state, account_key, job_key, job_operation_id, rule_key, action, cause, actor, operation_id)
		SELECT r.key, 1, CASE WHEN t.account_key IS NOT NULL THEN 'attributed' WHEN u.key IS NOT NULL THEN 'overhead' ELSE 'unattributed' END,
			t.account_key, t.job_key, t.operation_id, CASE WHEN t.account_key IS NULL THEN u.key END, COALESCE(t.action, r.action),
			CASE WHEN t.account_key IS NULL AND u.key IS NOT NULL THEN 'rule' ELSE 'recorded' END, ?, ?
		FROM cost_records r
		`+target+`
		WHERE r.key IN (SELECT jsonb_array_elements_text(?::jsonb)::bigint)
		RETURNING state)
		SELECT state, count(*) AS count FROM made GROUP BY state`, tx.Request.Actor.String(), tx.Request.ID, string(list)).Scan(&counts).Error
	if err != nil {
		return fmt.Errorf("cost: attribute: %w", err)
	}
	for _, c := range counts {
		switch c.State {
		case Attributed:
			result.Attributed += c.Count
		case Overhead:
			result.Overhead += c.Count
		case Unattributed:
			result.Unattributed += c.Count
		}
	}
	return nil
}
