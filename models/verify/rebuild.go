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
	// Refused holds what is wrong with the entries themselves: such an account's head is left as it is,
	// because entries that do not add up are nothing to rebuild from. nil when the head was put right.
	Refused []Problem
	// Shorter is true when the head knew of more entries than there are: entries may have been removed.
	// The entries stay the truth, so the head is put right all the same; compare the heads digest.
	Shorter bool
}

// RebuildReport counts what RebuildHeads did.
type RebuildReport struct {
	// Rebuilt heads were put right, Refused ones could not be.
	Rebuilt, Refused int64
}

// refusedProblems is how many problems of one account's entries are told; one is enough to refuse.
const refusedProblems = 10

// RebuildHeads puts the head of every account right that differs from its entries: under the account's
// lock, from its newest entry, if its chain is whole, with an audit row in the same transaction. tell
// hears of each such account, rebuilt or refused; nil for nothing. who is stored as the actor; reason
// is required (fault invalid_request).
func (v *Verifier) RebuildHeads(ctx context.Context, who actor.Actor, reason string, tell func(Rebuilt) error) (RebuildReport, error) {
	var report RebuildReport
	if reason == "" {
		return report, fault.InvalidField("reason", "is required")
	}
	run := ids.New()
	for after := int64(0); ; {
		keys, err := v.differing(ctx, after)
		if err != nil || len(keys) == 0 {
			return report, err
		}
		for _, key := range keys {
			after = key
			var one *Rebuilt
			err := db.InTx(ctx, v.g, func(tx *gorm.DB) (err error) {
				one, err = rebuild(ctx, tx, key, who, reason, run)
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
func rebuild(ctx context.Context, tx *gorm.DB, key int64, who actor.Actor, reason, run string) (*Rebuilt, error) {
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
	out.Shorter = h.lastSeq > c.seq
	err = g.Exec(`UPDATE accounts SET balance = ?, last_seq = ?, last_hash = ?::bytea, last_at = ?, negative_since = ?, updated_at = clock_timestamp()
		WHERE key = ?`, c.balance, c.seq, c.hash[:], out.After.LastAt, out.After.NegativeSince, key).Error
	if err != nil {
		return nil, err
	}
	return out, audit.Record(ctx, tx, audit.Row{Actor: who, Action: "account.rebuild_head", Object: "account:" + row.ID, Reason: reason,
		Before: out.Before, After: out.After, RequestID: run, TraceID: operation.TraceID(ctx)})
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
