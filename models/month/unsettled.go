package month

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/where"
)

// mostUnsettled is how many jobs unsettled adds up.
const mostUnsettled = 10_000

// unsettled is what was charged from one moment up to another for jobs that are, by now, neither delivered nor refunded: the part of
// NetOfJobs that may still be taken back. Amount is what they cost. It is nil where there are more than mostUnsettled of them. Its cost
// grows with the jobs that wait or run.
func unsettled(ctx context.Context, g *gorm.DB, from, to time.Time) (*Sum, error) {
	var sum Sum
	// Whatever is undecided stands in the line: a job leaves it with its delivery or its refund.
	err := db.Row(ctx, g, `SELECT count(*), COALESCE(sum(-amount), 0) FROM (SELECT e.amount FROM waiting_line w
			JOIN jobs j ON j.account_key = w.account_key AND j.key = w.job_key AND NOT j.is_refunded AND j.delivered_at IS NULL
			JOIN entries e ON e.account_key = w.account_key AND e.job_key = w.job_key AND e.type = 'charge' AND e.created_at >= $1 AND e.created_at < $2
			`+where.Limit(mostUnsettled+1)+`) x`, from, to).Scan(&sum.Count, &sum.Amount)
	if err != nil {
		return nil, fmt.Errorf("month: unsettled: %w", db.Fault(err))
	}
	if sum.Count > mostUnsettled {
		return nil, nil
	}
	return &sum, nil
}

// NetDelivered is what was earned with what was delivered: the net of jobs without the charges of those that are neither delivered nor
// refunded by now. It is nil where these are too many to be added up.
func (o Overview) NetDelivered() *credit.Sum {
	if o.Unsettled == nil {
		return nil
	}
	net := o.NetOfJobs().Minus(o.Unsettled.Amount)
	return &net
}

// MostUnsettled is how many jobs Overview.Unsettled adds up at most.
func MostUnsettled() int64 { return mostUnsettled }
