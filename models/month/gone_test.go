package month_test

import (
	"strings"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/month"
	"recoup/models/verify"
)

// closing is what a closed month leaves three times: its row, its operation and its row in the audit log. Where the owner of the
// tables takes one of them away or changes it, verify names it, and a month whose row is gone is not closed a second time.
func TestAClosedMonthThatIsGoneIsNamedAndNotClosedAgain(t *testing.T) {
	for _, c := range []struct {
		name, damage, say, state string
	}{
		{"the row", `DELETE FROM closed_months`, "and the row of the closed month is gone", month.StateGone},
		{"the row and the operation", `DELETE FROM closed_months; DELETE FROM operations WHERE scope = 'months'`, "and the row of the closed month is gone", month.StateGone},
		{"the row and the audit row", `DELETE FROM closed_months; DELETE FROM audit_log WHERE action = 'month.close'`, "and the row of the closed month is gone", month.StateGone},
		{"the operation", `DELETE FROM operations WHERE scope = 'months'`, "there is no operation that closed it", month.StateClosed},
		{"the audit row", `DELETE FROM audit_log WHERE action = 'month.close'`, "there is no row in the audit log", month.StateClosed},
		{"who closed it", `UPDATE closed_months SET actor = 'person:somebody'`, "The row of 2025-08 is not what", month.StateClosed},
		{"why", `UPDATE closed_months SET reason = 'another'`, "The row of 2025-08 is not what", month.StateClosed},
		{"row and audit row alike", `UPDATE closed_months SET reason = 'another'; UPDATE audit_log SET reason = 'another' WHERE action = 'month.close'`,
			"The row of 2025-08 is not what", month.StateClosed},
		{"when it ends", `UPDATE closed_months SET ends = ends + interval '1 day'`, "The row of 2025-08 is not what", month.StateClosed},
		{"what the audit log says", `UPDATE audit_log SET after = jsonb_set(after::jsonb, '{digest}', '"x"') WHERE action = 'month.close'`,
			"The row of 2025-08 is not what", month.StateClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "Asia/Kathmandu")
			w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"})
			w.verified()
			w.mustClose("2025-08")
			if found := w.verified(); len(found) > 0 {
				t.Fatalf("%v", found)
			}
			w.asOwner(c.damage)
			named := false
			for _, p := range w.verified() {
				named = named || p.Check == verify.CheckMonth && strings.Contains(p.Message, c.say) && strings.Contains(p.Message, " 2025-08 ")
			}
			if !named {
				t.Errorf("nothing says %q", c.say)
			}
			_ = w.refused("2025-08", c.state)
		})
	}
}

// With every trace of a closing the owner can take away a month that others follow: that it is open before a closed one says so.
func TestAMonthTakenOutBetweenClosedOnesIsNamed(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
		modeltest.Past{At: at(t, "2025-10-10T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
	w.verified()
	w.mustClose("2025-08")
	w.mustClose("2025-10")
	if found := w.verified(); len(found) > 0 {
		t.Fatalf("%v", found)
	}
	w.asOwner(`DELETE FROM closed_months WHERE month = '2025-08'; DELETE FROM operations WHERE scope = 'months' AND result ->> 'month' = '2025-08';
		DELETE FROM audit_log WHERE object = 'month:2025-08'`)
	found := w.verified()
	if len(found) != 1 || found[0].Check != verify.CheckMonth || !strings.Contains(found[0].Message, "before 2025-10 ") {
		t.Errorf("%v", found)
	}
	_ = w.refused("2025-08", month.StateLater)
}

// asOwner changes what the triggers keep, and sets them again as they were.
func (w *world) asOwner(statements string) {
	w.t.Helper()
	tables := []string{"closed_months", "operations", "audit_log"}
	for _, table := range tables {
		w.exec(`ALTER TABLE ` + table + ` DISABLE TRIGGER USER`)
	}
	for _, s := range strings.Split(statements, ";") {
		w.exec(s)
	}
	for _, table := range tables {
		w.exec(`ALTER TABLE ` + table + ` ENABLE TRIGGER USER`)
		var always []string
		if err := w.G.Raw(`SELECT tgname FROM pg_trigger WHERE tgrelid = ?::regclass AND NOT tgisinternal`, table).Scan(&always).Error; err != nil {
			w.t.Fatal(err)
		}
		for _, name := range always {
			w.exec(`ALTER TABLE ` + table + ` ENABLE ALWAYS TRIGGER ` + name)
		}
	}
}

func (w *world) exec(statement string) {
	w.t.Helper()
	if err := w.G.Exec(statement).Error; err != nil {
		w.t.Fatal(err)
	}
}
