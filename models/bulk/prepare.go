package bulk

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/where"
)

// Ticked is a dead letter that a person ticked.
type Ticked struct {
	AccountID  string
	JobID      string
	Generation int64
}

// String is the value of a row's box.
func (t Ticked) String() string {
	return t.AccountID + "/" + t.JobID + "/" + strconv.FormatInt(t.Generation, 10)
}

// ParseTicked reads what String wrote.
func ParseTicked(text string) (Ticked, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || ids.CheckCallerID(parts[0]) != nil || ids.CheckCallerID(parts[1]) != nil {
		return Ticked{}, fault.InvalidField("row", "is no dead letter")
	}
	n, err := strconv.ParseInt(parts[2], 10, 32)
	if err != nil || n < 0 {
		return Ticked{}, fault.InvalidField("row", "is no dead letter")
	}
	return Ticked{AccountID: parts[0], JobID: parts[1], Generation: n}, nil
}

// Selection says which dead letters a bulk work is about.
type Selection struct {
	// Rows are those that were ticked; where there are none, Tab and Filter select.
	Rows []Ticked
	// Tab is one of open dead letters.
	Tab    deadletter.Tab
	Filter deadletter.Filter
	// Query is the filter as the query of the list's address, for people to read later; "" with Rows.
	Query string
}

// PreparedSet is the stored result of Prepare.
type PreparedSet struct {
	ID       string `json:"bulk_work"`
	Kind     Kind   `json:"kind"`
	Count    int64  `json:"count"`
	Accounts int64  `json:"accounts"`
	Credits  string `json:"credits"`
	Excluded int64  `json:"excluded"`
	Digest   string `json:"digest"`
}

// Prepare freezes the set that a selection selects now, as a bulk work that is not started. It changes no dead letter.
// Rows that the work would not touch are in it as excluded, each with its reason. Faults: invalid_request when nothing
// or more than MaxItems match, or what deadletter.Where returns; and those of operation.Apply.
func (s *Store) Prepare(ctx context.Context, e ledger.Envelope, kind Kind, sel Selection) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: e.OperationID, Kind: KindPrepare, Actor: e.Actor, RequestID: e.RequestID,
		Input: operation.Input{"kind": string(kind), "query": sel.Query}}
	if !slices.Contains(Kinds(), kind) {
		req.Invalid = append(req.Invalid, fault.Field{Name: "kind", Message: "is none that there is"})
	}
	var from string
	var args []any
	switch {
	case len(sel.Rows) > MaxTicked:
		req.Invalid = append(req.Invalid, fault.Field{Name: "row", Message: "are too many"})
	case len(sel.Rows) > 0:
		accounts, jobs, generations := make([]string, len(sel.Rows)), make([]string, len(sel.Rows)), make([]int64, len(sel.Rows))
		names := make([]string, len(sel.Rows))
		for i, r := range sel.Rows {
			accounts[i], jobs[i], generations[i], names[i] = r.AccountID, r.JobID, r.Generation, r.String()
		}
		req.Input["rows"] = strings.Join(names, " ")
		from = `SELECT DISTINCT d.* FROM unnest(?::text[], ?::text[], ?::bigint[]) AS t (account, job, generation)
			JOIN accounts a ON a.id = t.account JOIN jobs j ON j.account_key = a.key AND j.id = t.job
			JOIN dead_letters d ON d.account_key = a.key AND d.job_key = j.key AND d.generation = t.generation`
		args = []any{where.ListOf(accounts), where.ListOf(jobs), where.ListOf(generations)}
	default:
		if sel.Tab == deadletter.Closed {
			req.Invalid = append(req.Invalid, fault.Field{Name: "tab", Message: "has no open dead letters"})
			break
		}
		// Before the transaction: it needs one connection only.
		w, err := s.letters.Where(ctx, sel.Tab, sel.Filter)
		if err != nil {
			return operation.Outcome{}, err
		}
		from, args = `SELECT d.* FROM dead_letters d `+w.SQL()+where.Limit(MaxItems+1), w.Args()
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		return s.freeze(ctx, tx, kind, sel.Query, from, args)
	})
}

// freeze writes the rows in one statement, and the work with what they come to.
func (s *Store) freeze(ctx context.Context, tx *operation.Tx, kind Kind, query, from string, args []any) (PreparedSet, error) {
	out := PreparedSet{ID: "bw_" + strings.ToLower(rand.Text())[:16], Kind: kind}
	who := tx.Request.Actor.String()
	var key int64
	err := tx.DB.WithContext(ctx).Raw(`INSERT INTO bulk_works (id, kind, filter, state, count, accounts, credits, excluded, digest, prepared_by, changed_by)
		VALUES (?, ?, ?, 'prepared', 0, 0, 0, 0, sha256(''), ?, ?) RETURNING key`, out.ID, string(kind), query, who, who).Scan(&key).Error
	if err != nil {
		return out, fmt.Errorf("bulk: prepare: %w", err)
	}
	// What workers run comes first: the first few of a requeue, for which the others wait, tell something only if it is known
	// how they end.
	res := tx.DB.WithContext(ctx).Exec(`INSERT INTO bulk_items (bulk_key, no, account_key, job_key, generation, cost, outcome, code, acted_at)
		SELECT ?, row_number() OVER (ORDER BY external, dead_at, account_key, job_key), account_key, job_key, generation, cost,
			CASE WHEN why <> '' THEN 'excluded' ELSE '' END, why, CASE WHEN why <> '' THEN clock_timestamp() END
		FROM (SELECT d.account_key, d.job_key, d.generation, d.cost, d.dead_at, j.mode = 'external' AND ?::boolean AS external, CASE
				WHEN d.closed_at IS NOT NULL THEN d.outcome
				WHEN NOT d.refunded AND ?::boolean THEN '`+ExcludedMoney+`'
				WHEN a.frozen_at IS NOT NULL AND ?::boolean THEN '`+ExcludedFrozen+`'
				WHEN EXISTS (SELECT 1 FROM bulk_items o JOIN bulk_works w ON w.key = o.bulk_key AND w.state IN ('running', 'paused', 'stopped')
					WHERE (o.account_key, o.job_key, o.generation) = (d.account_key, d.job_key, d.generation) AND o.outcome = '') THEN '`+ExcludedInBulk+`'
				ELSE '' END AS why
			FROM (`+from+`) d JOIN accounts a ON a.key = d.account_key JOIN jobs j ON j.account_key = d.account_key AND j.key = d.job_key) x`,
		append([]any{key, kind == Requeue, kind.paced(), kind == Requeue}, args...)...)
	switch {
	case res.Error != nil:
		return out, fmt.Errorf("bulk: freeze: %w", res.Error)
	case res.RowsAffected == 0:
		return out, fault.InvalidField("selection", "selects no dead letter")
	case res.RowsAffected > MaxItems:
		return out, fault.InvalidField("selection", "selects more than %d dead letters", MaxItems)
	}
	var sums struct {
		Count, Accounts, Excluded int64
		Credits                   string
		Digest                    []byte
	}
	err = tx.DB.WithContext(ctx).Raw(`UPDATE bulk_works w SET (count, accounts, credits, excluded, digest) = (`+sumUp+`) WHERE key = ?
		RETURNING count, accounts, credits::text AS credits, excluded, digest`, key, key).Scan(&sums).Error
	if err != nil {
		return out, fmt.Errorf("bulk: sums: %w", err)
	}
	out.Count, out.Accounts, out.Credits, out.Excluded = sums.Count, sums.Accounts, sums.Credits, sums.Excluded
	out.Digest = Work{Digest: sums.Digest}.DigestHex()
	return out, nil
}

// sumUp is what the rows of a work come to that nobody has begun. The digest is over what is to be done.
const sumUp = `SELECT count(*) FILTER (WHERE outcome = ''), count(DISTINCT account_key) FILTER (WHERE outcome = ''),
	COALESCE(sum(cost) FILTER (WHERE outcome = ''), 0), count(*) FILTER (WHERE outcome <> ''),
	sha256(convert_to(COALESCE(string_agg(account_key || ':' || job_key || ':' || generation, ' ' ORDER BY no) FILTER (WHERE outcome = ''), ''), 'UTF8'))
	FROM bulk_items WHERE bulk_key = ?`

// DeletePrepared removes sets that nobody started within KeepPrepared, and returns how many. It leaves them an hour more,
// in which nobody can start them any more, so that it meets no start.
func (s *Store) DeletePrepared(ctx context.Context) (int64, error) {
	var n int64
	// Rows first: the trigger of the rows reads the work.
	for _, del := range []string{
		`DELETE FROM bulk_items WHERE bulk_key IN (SELECT key FROM bulk_works WHERE state = 'prepared' AND created_at < clock_timestamp() - ?::bigint * interval '1 millisecond')`,
		`DELETE FROM bulk_works w WHERE state = 'prepared' AND created_at < clock_timestamp() - ?::bigint * interval '1 millisecond'
			AND NOT EXISTS (SELECT 1 FROM bulk_items i WHERE i.bulk_key = w.key)`,
	} {
		res := s.g.WithContext(ctx).Exec(del, (KeepPrepared + time.Hour).Milliseconds())
		if res.Error != nil {
			return n, fmt.Errorf("bulk: old sets: %w", res.Error)
		}
		n = res.RowsAffected
	}
	return n, nil
}
