package verify_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

func rebuild(t *testing.T, m *modeltest.Models) (verify.RebuildReport, []verify.Rebuilt) {
	t.Helper()
	return rebuildAs(t, m, verify.RebuildRequest{Actor: actor.Staff("ana"), Reason: "restored from a backup"})
}

func rebuildAs(t *testing.T, m *modeltest.Models, r verify.RebuildRequest) (verify.RebuildReport, []verify.Rebuilt) {
	t.Helper()
	var told []verify.Rebuilt
	report, err := verify.New(m.G).RebuildHeads(context.Background(), r, func(r verify.Rebuilt) error {
		told = append(told, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return report, told
}

// A head that differs closes the account for charges until it is rebuilt from the entries (L7).
func TestRebuildHeadsReopensTheAccount(t *testing.T) {
	for name, set := range map[string]string{
		"balance":   "balance = balance + 500",
		"last_seq":  "last_seq = last_seq - 1",
		"last_hash": "last_hash = sha256('x')",
	} {
		t.Run(name, func(t *testing.T) {
			m := seed(t)
			before := m.Balance(t, "many")
			damage(t, m.G, "UPDATE accounts SET "+set+" WHERE id = 'many'")
			charge := func(id string) error {
				_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "many",
					JobID: id, Action: modeltest.Action, Units: 10})
				return err
			}
			if err := charge("refused"); !fault.Is(err, fault.CodeAccountInconsistent) {
				t.Fatalf("charge: %v, want account_inconsistent", err)
			}
			if err := m.G.Exec(`UPDATE rollup_state SET tied_at = now(), tied_through = now(), tied_base = 7`).Error; err != nil {
				t.Fatal(err)
			}
			report, told := rebuild(t, m)
			var stale bool
			if err := m.G.Raw(`SELECT tied_at IS NOT NULL FROM rollup_state`).Scan(&stale).Error; err != nil || stale {
				t.Errorf("months are held against balances of before: %v %v", stale, err)
			}
			if report != (verify.RebuildReport{Rebuilt: 1}) || len(told) != 1 || told[0].AccountID != "many" || told[0].Refused != nil {
				t.Fatalf("report %+v, told %+v", report, told)
			}
			if told[0].Against != 0 {
				t.Errorf("told %s", told[0])
			}
			if got := m.Balance(t, "many"); got != before {
				t.Errorf("balance %d after the rebuild, want %d", got, before)
			}
			if err := charge("accepted"); err != nil {
				t.Fatalf("charge after the rebuild: %v", err)
			}
			if _, problems := check(t, m.G, verify.Options{}); problems != nil {
				t.Errorf("problems after the rebuild: %v", problems)
			}
			rows, err := audit.Of(context.Background(), m.G, "account:many", 10)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, row := range rows {
				if row.Action == "account.rebuild_head" {
					found++
					if row.Actor != "staff:ana" || row.Outcome != "done" || row.Reason != "restored from a backup" || row.Before == nil || row.After == nil || *row.Before == *row.After {
						t.Errorf("audit row %+v", row)
					}
				}
			}
			if found != 1 {
				t.Errorf("%d audit rows, want 1", found)
			}
		})
	}
}

// Where it may be the entries that are wrong, the head is evidence: it stays until somebody says that they are right.
func TestRebuildHeadsKeepsTheEvidence(t *testing.T) {
	const newest = "account_key = " + many + " AND seq = (SELECT last_seq FROM accounts WHERE id = 'many')"
	for _, c := range []struct {
		name    string
		damage  []string
		against []verify.Check
	}{
		{"the newest entry was removed", []string{"DELETE FROM entries WHERE " + newest}, []verify.Check{verify.CheckCut, verify.CheckResult}},
		{"the head counts more", []string{"UPDATE accounts SET last_seq = last_seq + 3 WHERE id = 'many'"}, []verify.Check{verify.CheckCut}},
		{"the newest entry was rewritten with its hash", []string{"UPDATE entries SET amount = amount + 5000, balance_after = balance_after + 5000, hash = entry_hash(" +
			"(SELECT p.hash FROM entries p WHERE p.account_key = entries.account_key AND p.seq = entries.seq - 1), account_key, seq, type, amount + 5000, balance_after + 5000, " +
			"job_key, operation_id, rollout_id, cohort, rule_version, created_at) WHERE " + newest}, []verify.Check{verify.CheckResult}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := seed(t)
			before := m.Balance(t, "many")
			damage(t, m.G, c.damage...)
			report, told := rebuild(t, m)
			var against []verify.Check
			for _, p := range told[0].Refused {
				against = append(against, p.Check)
			}
			if report != (verify.RebuildReport{Refused: 1}) || !slices.Equal(against, c.against) {
				t.Fatalf("report %+v, told %+v", report, told)
			}
			if got := m.Balance(t, "many"); got != before {
				t.Fatalf("balance %d, want %d as before", got, before)
			}
			report, told = rebuildAs(t, m, verify.RebuildRequest{Actor: actor.Staff("ana"), Reason: "the backup says so", BelieveEntries: true})
			if report != (verify.RebuildReport{Rebuilt: 1}) || told[0].Against != int64(len(c.against)) || !strings.Contains(told[0].String(), "the entries were believed") {
				t.Fatalf("report %+v, told %+v", report, told)
			}
			rows, err := audit.Of(context.Background(), m.G, "account:many", 1)
			if err != nil || len(rows) != 1 || rows[0].After == nil || !strings.Contains(*rows[0].After, `spoke_against`) {
				t.Errorf("audit %+v, %v", rows, err)
			}
		})
	}
}

func TestRebuildHeadsOfADebt(t *testing.T) {
	m := seed(t)
	damage(t, m.G, "UPDATE accounts SET negative_since = negative_since - interval '1 day' WHERE id = 'debt'")
	if report, _ := rebuild(t, m); report.Rebuilt != 1 {
		t.Fatalf("report %+v", report)
	}
	if _, problems := check(t, m.G, verify.Options{}); problems != nil {
		t.Errorf("problems after the rebuild: %v", problems)
	}
}

// Entries that do not add up are nothing to rebuild from.
func TestRebuildHeadsRefusesABrokenChain(t *testing.T) {
	m := seed(t)
	damage(t, m.G, "UPDATE accounts SET balance = balance + 500 WHERE id = 'many'",
		"UPDATE entries SET amount = amount + 500 WHERE account_key = "+many+" AND seq = 1")
	report, told := rebuild(t, m)
	if report != (verify.RebuildReport{Refused: 1}) || len(told) != 1 || len(told[0].Refused) != 2 {
		t.Fatalf("report %+v, told %+v", report, told)
	}
	if !strings.Contains(told[0].String(), "refused") || told[0].Refused[0].Seq != 1 {
		t.Errorf("told %s", told[0])
	}
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 4 {
		t.Errorf("problems %v, want balance, hash, head and result as before", problems)
	}
}

func TestRebuildHeadsLeavesSoundAccountsAlone(t *testing.T) {
	m := seed(t)
	if report, told := rebuild(t, m); report != (verify.RebuildReport{}) || told != nil {
		t.Fatalf("report %+v, told %+v", report, told)
	}
	_, err := verify.New(m.G).RebuildHeads(context.Background(), verify.RebuildRequest{Actor: actor.Staff("ana")}, nil)
	if !fault.Is(err, fault.CodeInvalid) {
		t.Fatalf("without a reason: %v, want invalid_request", err)
	}
}
