package verify

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
)

// HeadState is what an account row says of its newest entry.
type HeadState struct {
	Balance       int64      `json:"balance"`
	LastSeq       int64      `json:"last_seq"`
	LastHash      string     `json:"last_hash"`
	LastAt        *time.Time `json:"last_at"`
	NegativeSince *time.Time `json:"negative_since"`
}

// Rebuilt is what became of one account whose head differed from its entries.
type Rebuilt struct {
	AccountID     string
	Before, After HeadState
	// Refused holds what speaks against the entries: such an account's head is left as it is. Entries that do not add
	// up are nothing to rebuild from, whatever is asked for. Where the head knows of more entries than there are
	// (CheckCut), or operations answered otherwise (CheckResult), it may be the entries that are wrong: such heads are
	// put right only if somebody says that the entries are to be believed. nil when the head was put right.
	Refused []Problem
	// Against counts what spoke against the entries of a head that was put right all the same.
	Against int64
}

// RebuildRequest asks for heads to be put right.
type RebuildRequest struct {
	// Actor is stored as who did it.
	Actor actor.Actor
	// Reason is required.
	Reason string
	// BelieveEntries rebuilds also where the head or operations speak of other entries than there are: somebody
	// compared with a backup or an anchor and knows that the entries are right.
	BelieveEntries bool
}

// RebuildReport counts what RebuildHeads did.
type RebuildReport struct {
	// Rebuilt heads were put right, Refused ones could not be.
	Rebuilt, Refused int64
}

// refusedProblems is how many problems of one account's entries are told; one is enough to refuse.
const refusedProblems = 10

// RebuildHeads puts the head of every account right that differs from its entries: under the account's
// lock, from its newest entry, if its chain is whole and nothing speaks against it, with an audit row in the
// same transaction. tell hears of each such account, rebuilt or refused; nil for nothing. Fault:
// invalid_request without a reason.
func (v *Verifier) RebuildHeads(ctx context.Context, r RebuildRequest, tell func(Rebuilt) error) (RebuildReport, error) {
	var report RebuildReport
	if r.Reason == "" {
		return report, fault.InvalidField("reason", "is required")
	}
	run := ids.New()
	for after := int64(0); ; {
		keys, err := v.differing(ctx, after)
		if err == nil && len(keys) == 0 && report.Rebuilt > 0 {
			// The balances of all accounts were added up with the wrong heads: they are added up anew before a month is held against them.
			err = v.g.WithContext(ctx).Exec(`UPDATE rollup_state SET tied_at = NULL, tied_through = NULL, tied_base = NULL`).Error
		}
		if err != nil || len(keys) == 0 {
			return report, err
		}
		for _, key := range keys {
			after = key
			var one *Rebuilt
			err := db.InTx(ctx, v.g, func(tx *gorm.DB) (err error) {
				one, err = rebuild(ctx, tx, key, r, run)
				return err
			})
			if err != nil {
				return report, fmt.Errorf("verify: rebuild head of account key %d: %w", key, err)
			}
			if one == nil {
				continue // it was put right, or written to, before we had the lock
			}
			if one.Refused == nil {
				report.Rebuilt++
			} else {
				report.Refused++
			}
			if tell != nil {
				if err := tell(*one); err != nil {
					return report, err
				}
			}
		}
	}
}

// differing lists the next accounts whose head is not what the newest entry says.
func (v *Verifier) differing(ctx context.Context, after int64) ([]int64, error) {
	var keys []int64
	err := v.g.WithContext(ctx).Raw(`SELECT a.key FROM accounts a
		LEFT JOIN LATERAL (SELECT seq, balance_after, hash, created_at FROM entries
			WHERE account_key = a.key ORDER BY seq DESC LIMIT 1) e ON true
		WHERE a.key > ? AND ((a.last_seq, a.balance, a.last_hash, a.last_at) IS DISTINCT FROM
				(COALESCE(e.seq, 0), COALESCE(e.balance_after, 0), COALESCE(e.hash, decode(repeat('00', 32), 'hex')), e.created_at)
			OR a.negative_since IS NOT NULL AND a.negative_since IS DISTINCT FROM (SELECT created_at FROM entries
				WHERE account_key = a.key AND seq > (SELECT COALESCE(max(seq), 0) FROM entries WHERE account_key = a.key AND balance_after >= 0)
				ORDER BY seq LIMIT 1))
		ORDER BY a.key LIMIT 100`, after).Scan(&keys).Error
	if err != nil {
		return nil, fmt.Errorf("verify: find differing heads: %w", err)
	}
	return keys, nil
}

// rebuild puts one head right within tx; nil when it is right already.
func rebuild(ctx context.Context, tx *gorm.DB, key int64, r RebuildRequest, run string) (*Rebuilt, error) {
	g := tx.WithContext(ctx)
	// A long chain takes longer to walk than a statement may otherwise last.
	if err := g.Exec(`SELECT set_config('statement_timeout', '0', true)`).Error; err != nil {
		return nil, err
	}
	var row struct {
		ID            string
		Balance       int64
		LastSeq       int64
		LastHash      []byte
		LastAt        *time.Time
		NegativeSince *time.Time
	}
	res := g.Raw(`SELECT id, balance, last_seq, last_hash, last_at, negative_since FROM accounts WHERE key = ? FOR NO KEY UPDATE`, key).Scan(&row)
	if res.Error != nil {
		return nil, res.Error
	}
	h := head{key: key, id: row.ID, balance: row.Balance, lastSeq: row.LastSeq, lastAt: optionalOf(row.LastAt), negativeSince: optionalOf(row.NegativeSince)}
	copy(h.lastHash[:], row.LastHash)

	out := &Rebuilt{AccountID: row.ID}
	var c chain
	c.begin(row.ID, func(p Problem) error {
		if len(out.Refused) < refusedProblems {
			out.Refused = append(out.Refused, p)
		}
		return nil
	})
	// Whoever appends to the account holds its lock, so what this statement sees is all there is.
	if err := walk(g, key, &c); err != nil {
		return nil, err
	}
	broken := c.problems > 0
	c.emit = func(Problem) error { return nil }
	agree, err := c.end(&h)
	if err != nil || agree && !broken {
		return nil, err
	}
	out.Before, out.After = stateOf(h), stateOf(c.head(h))
	if broken {
		return out, nil
	}
	against, err := against(g, key, h, c)
	if err != nil {
		return nil, err
	}
	if len(against) > 0 && !r.BelieveEntries {
		out.Refused = against
		return out, nil
	}
	out.Against = int64(len(against))
	err = g.Exec(`UPDATE accounts SET balance = ?, last_seq = ?, last_hash = ?::bytea, last_at = ?, negative_since = ?, updated_at = clock_timestamp()
		WHERE key = ?`, c.balance, c.seq, c.hash[:], out.After.LastAt, out.After.NegativeSince, key).Error
	if err != nil {
		return nil, err
	}
	after := struct {
		HeadState
		// Against counts what spoke against the entries that were believed.
		Against int64 `json:"spoke_against,omitempty"`
	}{out.After, out.Against}
	return out, audit.Record(ctx, tx, audit.Row{Actor: r.Actor, Action: "account.rebuild_head", Object: "account:" + row.ID, Reason: r.Reason,
		Before: out.Before, After: after, RequestID: run, TraceID: operation.TraceID(ctx)})
}

// against is what speaks against the entries of an account whose chain is whole: a head that counts more of them, and
// operations that answered otherwise, told of at most refusedProblems.
func against(g *gorm.DB, key int64, h head, c chain) ([]Problem, error) {
	var out []Problem
	if h.lastSeq > c.seq {
		out = append(out, Problem{Check: CheckCut, AccountID: h.id, Expected: "entries up to " + number(h.lastSeq), Found: "entries up to " + number(c.seq),
			Message: "The account row knows of more entries than there are: entries may have been removed."})
	}
	n, err := otherResults(g, key)
	if err == nil && n > 0 {
		out = append(out, Problem{Check: CheckResult, AccountID: h.id, Expected: "entries as their operations answered", Found: number(n) + " that differ",
			Message: "Operations say otherwise than the entries: entries may have been changed or removed."})
	}
	return out, err
}

// walk adds an account's entries to c, oldest first.
func walk(g *gorm.DB, key int64, c *chain) error {
	rows, err := g.Raw(`SELECT `+entryColumns+` FROM entries WHERE account_key = ? ORDER BY seq`, key).Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var e entry
		var job sql.NullInt64
		var at time.Time
		// Copies, not sql.RawBytes: NULL must stay apart from the empty text.
		var operationID, rollout, cohort, rule, kind, hash []byte
		if err := rows.Scan(&e.AccountKey, &e.Seq, &kind, &e.Amount, &e.BalanceAfter, &job, &operationID, &rollout, &cohort, &rule, &at, &hash); err != nil {
			return err
		}
		e.Type, e.JobKey, e.HasJob, e.OperationID, e.RolloutID, e.Cohort, e.RuleVersion = kind, job.Int64, job.Valid, operationID, rollout, cohort, rule
		e.CreatedAt, e.hash = at.UnixMicro(), hash
		if err := c.add(&e); err != nil {
			return err
		}
	}
	return rows.Err()
}

// head is the account row as the entries say it must be.
func (c *chain) head(h head) head {
	h.balance, h.lastSeq, h.lastHash, h.lastAt, h.negativeSince = c.balance, c.seq, c.hash, optional{c.at, c.count > 0}, c.since
	return h
}

func stateOf(h head) HeadState {
	return HeadState{Balance: h.balance, LastSeq: h.lastSeq, LastHash: hex.EncodeToString(h.lastHash[:]),
		LastAt: h.lastAt.time(), NegativeSince: h.negativeSince.time()}
}

func optionalOf(t *time.Time) optional {
	if t == nil {
		return optional{}
	}
	return optional{t.UnixMicro(), true}
}

func (o optional) time() *time.Time {
	if !o.set {
		return nil
	}
	t := time.UnixMicro(o.value).UTC()
	return &t
}
