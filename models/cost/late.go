package cost

import (
	"context"
	"fmt"

	"recoup/models/actor"
	"recoup/models/db"
)

// mostLate is how many records one look puts down.
const mostLate = 1000

// AttributeLate puts records down to the job or operation that they name and that came only after them: a bill may overtake the
// charge that it is for. It looks at the records of the last seven days that nobody, neither a person nor a rule, has decided about
// since they were recorded, and returns how many it put down, a thousand at most; the rest is for the next look. Each is an
// attribution of its own by the system, so nothing is overwritten, and whoever decides meanwhile has decided.
func (s *Service) AttributeLate(ctx context.Context) (int64, error) {
	// The lock on the state's row lets one of this and a person through, as in Attribute.
	res := s.ops.DB().WithContext(ctx).Exec(`INSERT INTO cost_attributions
			(record_key, seq, state, account_key, job_key, job_operation_id, action, cause, actor, operation_id)
		SELECT c.record_key, c.seq + 1, 'attributed', t.account_key, t.job_key, t.operation_id, COALESCE(t.action, r.action), 'came_later', ?, r.operation_id
		FROM cost_states c
		JOIN cost_records r ON r.key = c.record_key
		JOIN cost_attributions a ON a.record_key = c.record_key AND a.seq = c.seq
		`+target+`
		WHERE c.state = 'unattributed' AND a.cause = 'recorded' AND r.account_id <> '' AND r.recorded_at > clock_timestamp() - interval '7 days'
			AND t.account_key IS NOT NULL
		ORDER BY c.record_key LIMIT ? FOR UPDATE OF c SKIP LOCKED`, actor.System().String(), mostLate)
	if res.Error != nil {
		return 0, fmt.Errorf("cost: attribute what came later: %w", db.Fault(res.Error))
	}
	return res.RowsAffected, nil
}
