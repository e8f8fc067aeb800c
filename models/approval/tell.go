package approval

import (
	"context"
	"strings"

	"recoup/models/inbox"
	"recoup/models/operation"
)

// Codes of the messages about change requests. Their detail is a Told.
const (
	ToldAsked   = "approval_asked"
	ToldDecided = "approval_decided"
)

// Told is the detail of a message about a change request.
type Told struct {
	ID     string `json:"id"`
	Kind   Kind   `json:"kind"`
	Object string `json:"object"`
	State  State  `json:"state"`
	// By is whoever asked, decided, or moved on what it was about; an actor.
	By string `json:"by"`
	// Code is why it is void; empty for others.
	Code string `json:"code,omitempty"`
}

// tell posts what happened to a change request to who follows its object, and to whoever asked; never to whoever did it.
func tell(ctx context.Context, tx *operation.Tx, code string, r Request, to State, why string) error {
	topic, _, _ := strings.Cut(r.Object, "/")
	by := tx.Request.Actor.String()
	return inbox.Post(ctx, tx, inbox.Message{Topic: topic, Code: code, Detail: Told{ID: r.ID, Kind: r.Kind, Object: r.Object, State: to, By: by, Code: why},
		To: []string{r.RequestedBy}, Except: by})
}
