package ledger

import (
	"context"
	"fmt"
)

// checkpointBatch is how many checkpoints one call of WriteCheckpoints looks for.
const checkpointBatch = 500

// WriteCheckpoints writes checkpoints that are still missing, each of them the sums by type of an account's entries up
// to its 200th, 400th and so on, and returns how many: call it again until that is 0. What it writes is
// final: an account's entries are numbered without a gap and committed in that order, so none can turn up behind one
// that is seen. Any number of processes may call it at once.
func (s *Service) WriteCheckpoints(ctx context.Context) (int, error) {
	var due []struct{ AccountKey, Seq int64 }
	g := s.g.WithContext(ctx)
	err := g.Raw(`SELECT account_key, seq FROM entries e WHERE seq % 200 = 0
			AND NOT EXISTS (SELECT 1 FROM entry_checkpoints c WHERE c.account_key = e.account_key AND c.seq = e.seq)
		ORDER BY account_key, seq LIMIT ?`, checkpointBatch).Scan(&due).Error
	if err != nil {
		return 0, fmt.Errorf("ledger: missing checkpoints: %w", err)
	}
	for n, d := range due {
		// On from the checkpoint before, whichever is the nearest.
		err := g.Exec(`WITH before AS (SELECT COALESCE(max(seq), 0) AS seq FROM entry_checkpoints WHERE account_key = ? AND seq < ?)
			INSERT INTO entry_checkpoints (account_key, seq, type, count, amount)
			SELECT ?, ?, type, sum(count), sum(amount) FROM (
				SELECT type, count, amount FROM entry_checkpoints WHERE account_key = ? AND seq = (SELECT seq FROM before)
				UNION ALL
				SELECT type, 1, amount FROM entries WHERE account_key = ? AND seq > (SELECT seq FROM before) AND seq <= ?) x
			GROUP BY type ON CONFLICT DO NOTHING`,
			d.AccountKey, d.Seq, d.AccountKey, d.Seq, d.AccountKey, d.AccountKey, d.Seq).Error
		if err != nil {
			return n, fmt.Errorf("ledger: checkpoint %d of account key %d: %w", d.Seq, d.AccountKey, err)
		}
	}
	return len(due), nil
}

// RewriteCheckpoints removes all checkpoints and writes them anew from the entries. Totals are right meanwhile, only
// slower. It returns how many there are now.
func (s *Service) RewriteCheckpoints(ctx context.Context) (int64, error) {
	if err := s.g.WithContext(ctx).Exec(`DELETE FROM entry_checkpoints`).Error; err != nil {
		return 0, fmt.Errorf("ledger: remove checkpoints: %w", err)
	}
	for {
		n, err := s.WriteCheckpoints(ctx)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			break
		}
	}
	var there int64
	err := s.g.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT DISTINCT account_key, seq FROM entry_checkpoints) x`).Scan(&there).Error
	if err != nil {
		return 0, fmt.Errorf("ledger: count checkpoints: %w", err)
	}
	return there, nil
}

// span is a run of an account's entries: those behind seq after, up to and including upTo.
type span struct{ account, after, upTo int64 }

// spanOf finds the entries of a period. Time rises with seq within an account, so a search over seq finds its ends by
// a few primary key reads, however long the account is.
func (s *Service) spanOf(ctx context.Context, accountKey int64, f Filter) (span, error) {
	p := span{account: accountKey}
	var err error
	if f.From != nil {
		if p.after, err = s.seqBefore(ctx, accountKey, *f.From); err != nil {
			return p, err
		}
	}
	if f.To != nil {
		p.upTo, err = s.seqBefore(ctx, accountKey, *f.To)
		return p, err
	}
	// The entries say how many there are: the head may be wrong.
	err = s.g.WithContext(ctx).Raw(`SELECT COALESCE(max(seq), 0) FROM entries WHERE account_key = ?`, accountKey).Scan(&p.upTo).Error
	if err != nil {
		return p, fmt.Errorf("ledger: newest entry: %w", err)
	}
	return p, nil
}

// totals sums up a span by type: the difference of two checkpoints and the entries between them and the ends of the
// span, at most some four hundred rows where no checkpoint is missing. Types is an array literal, "" for all.
func (s *Service) totals(ctx context.Context, p span, types string) ([]Total, error) {
	var at struct{ Low, High *int64 }
	g := s.g.WithContext(ctx)
	// Before the first entry stands a checkpoint of nothing.
	err := g.Raw(`SELECT CASE WHEN ?::bigint = 0 THEN 0 ELSE (SELECT min(seq) FROM entry_checkpoints WHERE account_key = ? AND seq >= ?) END AS low,
		(SELECT max(seq) FROM entry_checkpoints WHERE account_key = ? AND seq <= ?) AS high`,
		p.after, p.account, p.after, p.account, p.upTo).Scan(&at).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: checkpoints: %w", err)
	}
	low, high := p.upTo, p.upTo
	if at.Low != nil && at.High != nil && *at.Low < *at.High {
		low, high = *at.Low, *at.High
	}
	return sumByType(g, `SELECT type, sum(count)::bigint AS count, sum(amount) AS amount FROM (
			SELECT type, count, amount FROM entry_checkpoints WHERE account_key = ? AND seq = ? AND ?
			UNION ALL
			SELECT type, -count, -amount FROM entry_checkpoints WHERE account_key = ? AND seq = ? AND ?
			UNION ALL
			SELECT type, 1, amount FROM entries WHERE account_key = ? AND seq > ? AND seq <= ?
			UNION ALL
			SELECT type, 1, amount FROM entries WHERE account_key = ? AND seq > ? AND seq <= ?) x
		WHERE ? = '' OR type = ANY (NULLIF(?, '')::text[]) GROUP BY type HAVING sum(count) <> 0`,
		p.account, high, low < high, p.account, low, low < high, p.account, p.after, low, p.account, high, p.upTo, types, types)
}
