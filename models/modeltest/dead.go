package modeltest

import (
	"fmt"
	"testing"

	"gorm.io/gorm"
)

// Dead gives an account n jobs named prefix1, prefix2 … that were charged three credits each, failed for good and are
// refunded: what the program writes, but for operations and events. The account has to exist with the credits for one.
func Dead(t testing.TB, g *gorm.DB, account, prefix string, n int) {
	t.Helper()
	err := g.Exec(fmt.Sprintf(`DO $$
		DECLARE h accounts%%ROWTYPE; k bigint; hashed bytea; at timestamptz;
		BEGIN
			SELECT * INTO h FROM accounts WHERE id = '%[1]s';
			at := h.last_at; hashed := h.last_hash;
			FOR i IN 1..%[3]d LOOP
				INSERT INTO jobs (account_key, id, action, units, mode, cost, rule_version, operation_id, is_refunded, refunded_at, state, attempt,
					not_before, expires_at, dead_at, dead_reason, error_class, error_code, error_message, max_attempts, lease_ms, deadline_ms, expires_ms,
					backoff_base_ms, backoff_max_ms, jitter)
				VALUES (h.key, '%[2]s' || i, '%[4]s', 3, 'managed', 3, '%[4]s@v1', '%[2]sop' || i, true, now(), 'dead', 1,
					now(), now() + interval '1 day', now() + i * interval '1 microsecond', 'permanent_error', 'permanent', 'E_STORAGE', 'no room left',
					1, 30000, 60000, 86400000, 1000, 60000, false)
				RETURNING key INTO k;
				INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, cohort, rule_version, actor, created_at, hash)
				VALUES (h.key, h.last_seq + 1, 'charge', -3, h.balance - 3, k, '%[2]sop' || i, 'baseline', '%[4]s@v1', 'key:test', at + interval '1 microsecond', hashed)
				RETURNING hash INTO hashed;
				INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, cohort, rule_version, actor, created_at, hash)
				VALUES (h.key, h.last_seq + 2, 'refund', 3, h.balance, k, '%[2]sop' || i, 'baseline', '%[4]s@v1', 'key:test', at + interval '2 microsecond', hashed)
				RETURNING hash, created_at INTO hashed, at;
				h.last_seq := h.last_seq + 2;
			END LOOP;
			UPDATE accounts SET last_seq = h.last_seq, last_hash = hashed, last_at = at WHERE key = h.key;
		END $$`, account, prefix, n, Action)).Error
	if err != nil {
		t.Fatal(err)
	}
}
