package webhook

import (
	"context"
	"fmt"
	"strconv"
	"time"

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
	res := g.Raw(`UPDATE webhook_endpoints SET state = 'disabled', disabled_reason = 'gone', version = version + 1, updated_at = clock_timestamp(), updated_by = 'system'
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

// Down is how many receivers hear nothing although nobody wanted that.
type Down struct {
	Count int64
	// URL and Since are of the one that has heard nothing for longest; "" and the zero time where there is none.
	URL   string
	Since time.Time
}

// Down counts the receivers that were disabled because they said that they are gone, and those that have taken no call for
// downFor.
func (s *Service) Down(ctx context.Context) (Down, error) {
	var rows []Down
	err := s.g.WithContext(ctx).Raw(`SELECT count(*) OVER () AS count, url, since FROM (
			SELECT url, CASE WHEN state = 'disabled' THEN updated_at ELSE failing_since END AS since FROM webhook_endpoints
			WHERE state = 'disabled' AND disabled_reason = 'gone' OR state = 'active' AND failing_since < clock_timestamp() - ?::bigint * interval '1 second') x
		ORDER BY since LIMIT 1`, int64(downFor.Seconds())).Scan(&rows).Error
	if err != nil {
		return Down{}, fmt.Errorf("webhook: down: %w", err)
	}
	if len(rows) == 0 {
		return Down{}, nil
	}
	return rows[0], nil
}

// downFor is how long a receiver may take no calls before a person is to look.
const downFor = 15 * time.Minute
