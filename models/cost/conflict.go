package cost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
)

// Conflict is a record that cannot be kept: one of its source and external id is there with other content.
type Conflict struct {
	// Record is its place among the records that were given, from 0.
	Record     int    `json:"record"`
	ExternalID string `json:"external_id"`
	// OperationID recorded what is there.
	OperationID string `json:"existing_operation_id"`
}

// DetailConflicts is under what the Detail of a cost_conflict holds a []Conflict.
const DetailConflicts = "conflicts"

// errOther says that a record is there with other content; which ones are is asked of all records at once.
var errOther = errors.New("cost: recorded before with other content")

// Conflicts names the records that are there with other content, in their order, at most a hundred of them.
func (s *Service) Conflicts(ctx context.Context, source string, records []NewRecord) ([]Conflict, error) {
	return conflicts(ctx, s.g, source, records)
}

func conflicts(ctx context.Context, g *gorm.DB, source string, records []NewRecord) ([]Conflict, error) {
	var out []Conflict
	at := 0
	for part := range slices.Chunk(records, chunk) {
		stored, err := storedUnder(ctx, g, source, part)
		if err != nil {
			return nil, err
		}
		for i, r := range part {
			if there, known := stored[r.ExternalID]; known && !there.same(r) && len(out) < maxFaults {
				out = append(out, Conflict{Record: at + i, ExternalID: r.ExternalID, OperationID: there.OperationID})
			}
		}
		if at += len(part); len(out) == maxFaults {
			break
		}
	}
	return out, nil
}

// there is what tells a stored record from another one, and who recorded it.
type there struct {
	ExternalID  string
	Digest      string
	OperationID string
	// Endless tells that the record came with a file and has no end of its period.
	Endless bool
}

// same tells whether a record has this content. A line of a file without an end may have been kept before ends were: then a bill that
// has it is the same bill.
func (t there) same(r NewRecord) bool {
	if t.Digest == string(r.digest()) {
		return true
	}
	r.Until = time.Time{}
	return t.Endless && t.Digest == string(r.digest())
}

// storedUnder returns those of the records that are there, whatever their content, by their external ids.
func storedUnder(ctx context.Context, g *gorm.DB, source string, records []NewRecord) (map[string]there, error) {
	names := make([]string, len(records))
	for i, r := range records {
		names[i] = r.ExternalID
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, fmt.Errorf("cost: %w", err)
	}
	var rows []struct {
		ExternalID  string
		Digest      []byte
		OperationID string
		Endless     bool
	}
	err = g.WithContext(ctx).Raw(`SELECT external_id, digest, operation_id, import_id IS NOT NULL AND occurred_until IS NULL AS endless FROM cost_records
		WHERE source = ? AND external_id IN (SELECT jsonb_array_elements_text(?::jsonb))`, source, string(list)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("cost: compare: %w", err)
	}
	out := make(map[string]there, len(rows))
	for _, r := range rows {
		out[r.ExternalID] = there{ExternalID: r.ExternalID, Digest: string(r.Digest), OperationID: r.OperationID, Endless: r.Endless}
	}
	return out, nil
}

// refuseOther is the refusal of a batch of which records are there with other content.
func refuseOther(ctx context.Context, g *gorm.DB, b Batch) error {
	found, err := conflicts(ctx, g, b.Source, b.Records)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("cost: a record of %s was there with other content and is not any more", b.Source)
	}
	first := found[0]
	return fault.New(fault.Conflict, CodeConflict, "records[%d]: the record %q of %s was recorded before with other content. Nothing of this batch was recorded. "+
		"What is recorded is never changed: leave it out, and send what is new under an external id of its own.", first.Record, first.ExternalID, b.Source).
		With("external_id", first.ExternalID).With("existing_operation_id", first.OperationID).With(DetailConflicts, found)
}
