package bulk

import (
	"context"

	"gorm.io/gorm"

	"recoup/models/inbox"
	"recoup/models/operation"
)

// ToldStopped is the code of the message that a work stopped by itself.
const ToldStopped = "bulk_stopped"

// ToldOfStop is the detail of a message of ToldStopped.
type ToldOfStop struct {
	BulkWork string `json:"bulk_work"`
	Kind     Kind   `json:"kind"`
	Count    int64  `json:"count"`
	// Failed of Back had failed again, more than StopPercent.
	Failed      int64 `json:"failed"`
	Back        int64 `json:"back"`
	StopPercent int   `json:"stop_percent"`
}

// tellStop tells whoever started a work that it stopped by itself, in the transaction of the stop. The message is of the
// operation that started the work: the stop itself is none.
func tellStop(ctx context.Context, tx *gorm.DB, w Work, failed, back int64) error {
	of := operation.Request{Scope: Scope()}
	if w.OperationID != nil {
		of.ID = *w.OperationID
	}
	return inbox.Post(ctx, &operation.Tx{DB: tx, Request: of}, inbox.Message{Topic: Object(w.ID), Code: ToldStopped, To: []string{w.StartedBy},
		Detail: ToldOfStop{BulkWork: w.ID, Kind: w.Kind, Count: w.Count, Failed: failed, Back: back, StopPercent: w.StopPercent}})
}
