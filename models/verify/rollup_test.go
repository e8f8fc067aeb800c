package verify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/modeltest"
	"recoup/models/rollup"
	"recoup/models/verify"
)

func rollUp(t *testing.T, g *gorm.DB) *rollup.Store {
	t.Helper()
	s := rollup.New(g, time.UTC)
	for range 4 {
		if _, err := s.Advance(context.Background(), 10); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Whatever is changed in the sums or under them is named, and building them anew puts right what was wrong with them.
func TestDamageToTheRollupIsNamed(t *testing.T) {
	ctx := context.Background()
	m := seed(t)
	modeltest.Backdate(t, m.G, 72*time.Hour)
	s := rollUp(t, m.G)
	if report, problems := check(t, m.G, verify.Options{}); !report.OK() {
		t.Fatalf("before: %v", problems)
	}
	for _, c := range []struct{ name, damage, say string }{
		{"a sum", `UPDATE rollup_quarters SET amount = amount + 1 WHERE type = 'grant'`, "The sum of a quarter hour is not that of its entries."},
		{"a count", `UPDATE rollup_quarters SET count = count + 1 WHERE type = 'reclaim'`, "The sum of a quarter hour is not that of its entries."},
		{"a quarter less", `DELETE FROM rollup_quarters WHERE type = 'refund'`, "The sum of a quarter hour is not that of its entries."},
		{"a quarter more", `INSERT INTO rollup_quarters VALUES ('2020-01-01', 'grant', '', '', '', '', 1, 5)`, "The sum of a quarter hour is not that of its entries."},
		{"another rule version", `UPDATE rollup_quarters SET rule_version = 'video_render@v9' WHERE type = 'charge' AND rule_version = 'video_render@v1'`, "rule version video_render@v9"},
		{"a day's sum", `UPDATE rollup_days SET amount = amount - 1 WHERE type = 'grant'`, "The sum of a day is not that of its quarter hours."},
		{"a day's type", `DELETE FROM rollup_days WHERE type = 'charge'`, "The sum of a day is not that of its quarter hours."},
		{"a day", `DELETE FROM rollup_days`, "A day of the rollup is missing."},
		{"what a day reached", `UPDATE rollup_through SET amount = amount - 1 WHERE type = 'grant'`, "What all days before a day come to is not their sum."},
		{"what no day reached", `DELETE FROM rollup_through`, "What all days before a day come to is not their sum."},
		{"too late", `UPDATE rollup_state SET through = through - interval '10 days'`, "The sum of a quarter hour is not that of its entries."},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := m.G.Exec(c.damage)
			if res.Error != nil || res.RowsAffected == 0 {
				t.Fatalf("damage: %d rows, %v", res.RowsAffected, res.Error)
			}
			report, problems := check(t, m.G, verify.Options{})
			if report.OK() || report.ByCheck[verify.CheckRollup] != report.Problems {
				t.Fatalf("%v", problems)
			}
			said := false
			for _, p := range problems {
				said = said || strings.Contains(p.String(), c.say)
			}
			if !said {
				t.Fatalf("nothing says %q: %v", c.say, problems)
			}
			through, err := verify.New(m.G).RebuildRollup(ctx, modeltest.Envelope().Actor, "damaged in a test", s)
			if err != nil || time.Since(through) > time.Hour {
				t.Fatalf("rebuilt through %s: %v", through, err)
			}
			if report, problems := check(t, m.G, verify.Options{}); !report.OK() {
				t.Fatalf("after it was built anew: %v", problems)
			}
			rows, err := audit.Of(ctx, m.G, "rollup", 1)
			if err != nil || len(rows) != 1 || rows[0].Before == nil || !strings.Contains(*rows[0].Before, c.say) {
				t.Fatalf("the audit log does not keep the difference: %+v, %v", rows, err)
			}
		})
	}
}

// An entry that the owner of the tables slips in behind the rollup is found, though chain and head are whole.
func TestAnEntrySlippedInBehindTheRollupIsNamed(t *testing.T) {
	m := modeltest.Ready(t, patient())
	at := time.Now().Add(-48 * time.Hour).UTC().Truncate(time.Microsecond)
	modeltest.Entries(t, m.G, "first", modeltest.Past{At: at, Type: "grant", Amount: 10, Category: "paid"})
	rollUp(t, m.G)
	modeltest.Entries(t, m.G, "second", modeltest.Past{At: at.Add(time.Minute), Type: "adjustment", Amount: 3})
	report, problems := check(t, m.G, verify.Options{})
	if report.Problems != 1 || problems[0].Check != verify.CheckRollup || problems[0].Expected != "1 entries of 3" || problems[0].Found != "0 entries of 0" {
		t.Fatalf("%v", problems)
	}
	if report, problems := check(t, m.G, verify.Options{AccountID: "first"}); !report.OK() {
		t.Fatalf("a run over one account looked at the rollup: %v", problems)
	}
}
