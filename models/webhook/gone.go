package webhook

import (
	"context"
	"fmt"
	"strconv"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/inbox"
	"recoup/models/operation"
)

// ToldGone is the code of the message that a receiver was disabled because it said that it is gone; its detail is a
// ToldOfGone.
const ToldGone = "webhook_gone"

// ToldOfGone is what a message of ToldGone tells.
type ToldOfGone struct {
	EndpointID string `json:"endpoint_id"`
	URL        string `json:"url"`
}

// disableGone disables an endpoint that says it is gone, in the transaction that notes the call. What happens from then
// on is not kept for it: so the log has a row of it, and whoever made it and all who may make it active again are told.
func disableGone(ctx context.Context, g *gorm.DB, d due) error {
	var madeBy string
	res := g.Raw(`UPDATE webhook_endpoints SET state = 'disabled', disabled_reason = 'gone', version = version + 1, updated_at = clock_timestamp()
		WHERE key = ? AND state = 'active' RETURNING created_by`, d.EndpointKey).Scan(&madeBy)
	if res.Error != nil {
		return fmt.Errorf("webhook: disable: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil
	}
	// Receivers are the administrators' alone.
	var to []string
	if err := g.Raw(`SELECT 'staff:' || id FROM staff WHERE role = 'admin' AND disabled_at IS NULL ORDER BY id`).Scan(&to).Error; err != nil {
		return fmt.Errorf("webhook: whom to tell: %w", err)
	}
	by := operation.Request{Scope: operation.Named("settings"), ID: "gone:" + d.EndpointID + ":" + strconv.FormatInt(d.Key, 10), Actor: actor.System()}
	err := audit.Record(ctx, g, audit.Row{Actor: by.Actor, Action: "set_webhook_state", Object: "webhook:" + d.EndpointID,
		Before: map[string]string{"state": Active}, After: map[string]string{"state": Disabled, "disabled_reason": "gone"}})
	if err != nil {
		return err
	}
	return inbox.Post(ctx, &operation.Tx{DB: g, Request: by}, inbox.Message{Topic: "webhook:" + d.EndpointID, Code: ToldGone, To: append(to, madeBy),
		Detail: ToldOfGone{EndpointID: d.EndpointID, URL: d.URL}})
}
