package bulkgrant

import (
	"context"
	"fmt"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/inbox"
	"recoup/models/operation"
	"recoup/models/task"
)

// ToldFailed is the code of the message that a confirmed file could not be granted. Its detail is a Told.
const ToldFailed = "bulk_grant_failed"

// Told is the detail of a message about a file.
type Told struct {
	BulkGrant string `json:"bulk_grant"`
	File      string `json:"file"`
	// Line is the first line that kept the file from being granted, 0 where no line did; Problem and Value are its Problem's.
	Line    int64  `json:"line,omitempty"`
	Problem string `json:"problem,omitempty"`
	Value   string `json:"value,omitempty"`
	// Code is the fault's code.
	Code string `json:"code"`
}

// failed keeps, beside what is rolled back, which line ended the task of a file, and tells whoever uploaded and whoever
// approved it that nothing was granted. Errors that are no faults of the file leave nothing: the task is tried again.
func (s *Store) failed(ctx context.Context, run *task.Run, f File, err error) error {
	bad := fault.As(err)
	if bad == nil || bad.Kind == fault.Busy {
		return nil
	}
	told := Told{BulkGrant: f.ID, File: f.Name, Code: bad.Code}
	if bad.Code == CodeBadLines {
		var number int
		number, _ = bad.Detail["line"].(int)
		told.Line = int64(number)
		told.Problem, _ = bad.Detail["problem"].(string)
		told.Value, _ = bad.Detail["value"].(string)
	}
	to := []string{f.UploadedBy, run.RequestedBy}
	if f.OperationID != nil {
		request, err := s.requests.OfOperation(ctx, Scope(), *f.OperationID)
		if err != nil {
			return err
		}
		if request != nil && request.DecidedBy != nil {
			to = append(to, *request.DecidedBy)
		}
	}
	_, err = s.ops.Apply(ctx, operation.Request{Scope: Scope(), ID: "failed:" + run.ID, Kind: "fail_bulk_grant", Actor: actor.System(), RequestID: run.RequestID,
		Object: Object(f.ID), Input: operation.Input{"bulk_grant": f.ID}}, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if told.Line > 0 {
			res := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_grants SET failed_line = ?, failed_problem = ?, failed_value = ? WHERE id = ? AND applied_at IS NULL`,
				told.Line, told.Problem, told.Value, f.ID)
			if res.Error != nil {
				return nil, fmt.Errorf("bulkgrant: failed: %w", res.Error)
			}
		}
		return told, inbox.Post(ctx, tx, inbox.Message{Topic: Object(f.ID), Code: ToldFailed, Detail: told, To: to})
	})
	if err != nil {
		err = fmt.Errorf("bulkgrant: tell of %s: %w", f.ID, err)
	}
	return err
}
