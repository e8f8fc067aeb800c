package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/models/month"
)

// The three places where the closing of a month stands.
const (
	closingRow       = "row"
	closingOperation = "operation"
	closingAudit     = "audit"
)

// closings selects what each of the three places says of each closing, in one moment. Of the reason an operation keeps a digest
// alone; same_reason is whether the row has a reason of that digest.
const closings = `SELECT '` + closingRow + `' AS place, operation_id, actor, reason, true AS same_reason,
		json_build_object('month', month, 'from', starts, 'to', ends, 'opening', opening::text, 'closing', closing::text, 'entries', entries,
			'digest', digest, 'heads_digest', heads_digest)::text AS result
	FROM closed_months
	UNION ALL SELECT '` + closingOperation + `', o.id, o.actor, '', c.reason IS NULL OR o.input_version <> 1
			OR (o.input ->> 'reason') IS NOT DISTINCT FROM encode(substring(sha256('s'::bytea || convert_to(c.reason, 'UTF8')) FOR 16), 'hex'), o.result::text
		FROM operations o LEFT JOIN closed_months c ON c.operation_id = o.id
		WHERE o.account_key = 0 AND o.scope = ? AND o.kind = 'month_close' AND o.result IS NOT NULL
	UNION ALL SELECT '` + closingAudit + `', operation_id, actor, reason, true, after::text FROM audit_log WHERE action = 'month.close' AND outcome = 'done'
	ORDER BY operation_id, place`

// openBeforeClosed are the closed months before which there are entries that no closed month holds.
const openBeforeClosed = `SELECT month FROM (SELECT month, starts, lag(ends, 1, '-infinity') OVER (ORDER BY starts) AS before FROM closed_months) c
	WHERE EXISTS (SELECT 1 FROM entries WHERE created_at >= c.before AND created_at < c.starts) ORDER BY starts`

// closing is what one place says of a closing.
type closing struct {
	Place, OperationID, Actor, Reason, Result string
	SameReason                                bool
	said                                      month.CloseResult
}

// closings holds the row of each closed month against the operation that closed it and against the audit log. Whoever owns the
// tables can take a month back; then the other two still say that it was closed.
func (r *run) closings(ctx context.Context) error {
	var all []closing
	if err := r.v.g.WithContext(ctx).Raw(closings, month.Scope().Name).Scan(&all).Error; err != nil {
		return fmt.Errorf("closings: %w", err)
	}
	byOperation := map[string][]closing{}
	var order []string
	for _, c := range all {
		if err := json.Unmarshal([]byte(c.Result), &c.said); err != nil {
			return fmt.Errorf("closing %s: %w", c.OperationID, err)
		}
		if byOperation[c.OperationID] == nil {
			order = append(order, c.OperationID)
		}
		byOperation[c.OperationID] = append(byOperation[c.OperationID], c)
	}
	for _, id := range order {
		for _, p := range closingProblems(byOperation[id]) {
			if err := r.problem(p); err != nil {
				return err
			}
		}
	}
	var before []string
	if err := r.v.g.WithContext(ctx).Raw(openBeforeClosed).Scan(&before).Error; err != nil {
		return fmt.Errorf("closings: %w", err)
	}
	for _, m := range before {
		err := r.problem(Problem{Check: CheckMonth, Expected: "a closed month", Found: "an open one",
			Message: "A month with entries before " + m + " is not closed: nobody could close the later one while it was open."})
		if err != nil {
			return err
		}
	}
	return nil
}

// closingProblems compares what the places say of one closing.
func closingProblems(said []closing) []Problem {
	at := func(place string) int {
		return slices.IndexFunc(said, func(c closing) bool { return c.Place == place })
	}
	row := at(closingRow)
	if row < 0 {
		c := said[0]
		return []Problem{{Check: CheckMonth, Expected: describeClosing(c), Found: "no row",
			Message: "Month " + c.said.Month + " was closed by operation " + c.OperationID + ", and the row of the closed month is gone."}}
	}
	c := said[row]
	var out []Problem
	if at(closingOperation) < 0 {
		out = append(out, Problem{Check: CheckMonth, Expected: "operation " + c.OperationID, Found: "none",
			Message: "Month " + c.said.Month + " is closed, and there is no operation that closed it."})
	}
	if at(closingAudit) < 0 {
		out = append(out, Problem{Check: CheckMonth, Expected: "an audit row of operation " + c.OperationID, Found: "none",
			Message: "Month " + c.said.Month + " is closed, and there is no row in the audit log that says so."})
	}
	for _, other := range said {
		if other.Place == closingRow {
			continue
		}
		expected, found := closingDiffers(other, c)
		if expected == "" {
			continue
		}
		of := "its operation answered"
		if other.Place == closingAudit {
			of = "the audit log says"
		}
		out = append(out, Problem{Check: CheckMonth, Expected: expected, Found: found, Message: "The row of " + c.said.Month + " is not what " + of + "."})
	}
	return out
}

// values are what every place says of a closing, by name and in one order.
func (c closing) values() (names, values []string) {
	s := c.said
	return []string{"month", "from", "to", "opening", "closing", "entries", "digest", "heads digest", "actor"},
		[]string{s.Month, s.From.UTC().Format(time.RFC3339Nano), s.To.UTC().Format(time.RFC3339Nano), s.Opening, s.Closing, strconv.FormatInt(s.Entries, 10),
			s.Digest, s.HeadsDigest, c.Actor}
}

func describeClosing(c closing) string {
	names, values := c.values()
	out := make([]string, len(names))
	for i := range names {
		out[i] = names[i] + " " + values[i]
	}
	return strings.Join(out, "; ")
}

// closingDiffers names what another place says otherwise than the row of a closed month; empty where nothing differs.
func closingDiffers(other, row closing) (expected, found string) {
	var want, got []string
	names, values := other.values()
	_, is := row.values()
	for i, name := range names {
		if values[i] != is[i] {
			want, got = append(want, name+" "+values[i]), append(got, name+" "+is[i])
		}
	}
	switch {
	case other.Place == closingOperation && !other.SameReason:
		want, got = append(want, "reason as it was asked for"), append(got, "another reason")
	case other.Place == closingAudit && other.Reason != row.Reason:
		want, got = append(want, "reason "+other.Reason), append(got, "reason "+row.Reason)
	}
	return strings.Join(want, "; "), strings.Join(got, "; ")
}
