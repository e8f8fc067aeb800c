package modeltest

import (
	"fmt"
	"testing"
	"time"

	"gorm.io/gorm"
)

// Past is an entry of the past, as Entries writes it.
type Past struct {
	At     time.Time
	Type   string
	Amount int64
	// RuleVersion, RolloutID, Cohort and Category are empty where the entry has none.
	RuleVersion, RolloutID, Cohort, Category string
}

// Operations writes the operations of those entries of an account that have none, each with the result and the
// digests that it would have left: verify holds every entry against them.
func Operations(t testing.TB, g *gorm.DB, account string) {
	t.Helper()
	if err := g.Exec(pastOperations, account).Error; err != nil {
		t.Fatal(err)
	}
}

const pastOperations = `INSERT INTO operations (account_key, scope, id, kind, input_version, input, actor, job_key, started_at, completed_at, result)
	SELECT account_key, '', operation_id, CASE WHEN type IN ('grant', 'charge', 'adjustment') THEN type ELSE 'signal' END, 1,
		json_strip_nulls(json_build_object('amount', encode(substring(sha256('i'::bytea || int8send(amount)) FOR 16), 'hex'),
			'category', encode(substring(sha256('s'::bytea || convert_to(category, 'UTF8')) FOR 16), 'hex'),
			'reference', encode(substring(sha256('s'::bytea || convert_to(reference, 'UTF8')) FOR 16), 'hex'),
			'reason', encode(substring(sha256('s'::bytea || convert_to(reason, 'UTF8')) FOR 16), 'hex'))), actor, job_key, created_at, created_at,
		json_build_object('entry', json_build_object('seq', seq, 'type', type, 'amount', amount, 'balance_after', balance_after, 'created_at', created_at))
	FROM entries WHERE account_key = (SELECT key FROM accounts WHERE id = ?) ORDER BY seq
	ON CONFLICT DO NOTHING`

// Entries appends entries with times of their own to an account, which is made where it does not exist. They
// rise in time and continue the chain; entries of jobs get keys of jobs that are none, so verify has
// something to say of them.
func Entries(t testing.TB, g *gorm.DB, account string, entries ...Past) {
	t.Helper()
	err := g.Transaction(func(tx *gorm.DB) error {
		var head struct {
			Key, Balance, LastSeq int64
			LastHash              []byte
		}
		if err := tx.Exec(`INSERT INTO accounts (id) VALUES (?) ON CONFLICT DO NOTHING`, account).Error; err != nil {
			return err
		}
		if err := tx.Raw(`SELECT key, balance, last_seq, last_hash FROM accounts WHERE id = ? FOR NO KEY UPDATE`, account).Scan(&head).Error; err != nil {
			return err
		}
		for _, e := range entries {
			head.LastSeq++
			head.Balance += e.Amount
			var job *int64
			if e.Type == "charge" || e.Type == "refund" || e.Type == "reclaim" {
				key := head.LastSeq
				job = &key
			}
			err := tx.Raw(`INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, rollout_id, cohort, rule_version,
					actor, category, created_at, hash)
				VALUES (?, ?, ?, ?, ?, ?, ?, NULLIF(?, ''), NULLIF(?, ''), NULLIF(?, ''), 'system', NULLIF(?, ''), ?, ?) RETURNING hash`,
				head.Key, head.LastSeq, e.Type, e.Amount, head.Balance, job, fmt.Sprint("past-", head.LastSeq), e.RolloutID, e.Cohort, e.RuleVersion, e.Category, e.At, head.LastHash).
				Row().Scan(&head.LastHash)
			if err != nil {
				return err
			}
		}
		if err := tx.Exec(pastOperations, account).Error; err != nil {
			return err
		}
		return tx.Exec(`UPDATE accounts SET balance = ?, last_seq = ?, last_hash = ?, last_at = (SELECT max(created_at) FROM entries WHERE account_key = key),
			negative_since = CASE WHEN ?::bigint < 0 THEN COALESCE(negative_since, clock_timestamp()) END WHERE key = ?`,
			head.Balance, head.LastSeq, head.LastHash, head.Balance, head.Key).Error
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Backdate moves all entries into the past, as the owner of the tables can, and makes chains and heads anew,
// so that nothing inside the database tells.
func Backdate(t testing.TB, g *gorm.DB, by time.Duration) {
	t.Helper()
	err := g.Transaction(func(tx *gorm.DB) error {
		for _, s := range []string{
			`ALTER TABLE entries DISABLE TRIGGER USER`,
			`DO $$ DECLARE e record; previous bytea; BEGIN
				FOR e IN SELECT * FROM entries ORDER BY account_key, seq LOOP
					IF e.seq = 1 THEN previous := decode(repeat('00', 32), 'hex'); END IF;
					UPDATE entries SET created_at = e.created_at - interval '` + by.String() + `', hash = entry_hash(previous, e.account_key, e.seq, e.type, e.amount,
						e.balance_after, e.job_key, e.operation_id, e.rollout_id, e.cohort, e.rule_version, e.created_at - interval '` + by.String() + `')
						WHERE account_key = e.account_key AND seq = e.seq RETURNING hash INTO previous;
				END LOOP; END $$`,
			`UPDATE accounts SET last_hash = e.hash, last_at = e.created_at, negative_since = negative_since - interval '` + by.String() + `'
				FROM entries e WHERE e.account_key = accounts.key AND e.seq = accounts.last_seq`,
			`ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_chain`,
			`ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only_row`,
			`ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only`,
		} {
			if err := tx.Exec(s).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
