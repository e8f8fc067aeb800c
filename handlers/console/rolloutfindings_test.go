package console_test

import (
	"regexp"
	"strings"
	"testing"

	"recoup/models/staff"
)

// What one check found does not crowd out what another found, and there is a way to all of it.
func TestAllThatTheChecksFoundCanBeSeen(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 10)
	b := w.as(staff.Product)
	at := "/rollouts/" + roID
	w.saysNot(b.page(at), "What the checks found")
	err := w.G.Exec(`INSERT INTO rollout_findings (rollout_id, "check", account_key, operation_id, what, expected, found)
		SELECT ?, CASE WHEN n <= 3 THEN 'consistency' ELSE 'reconciliation' END, (SELECT key FROM accounts WHERE id = 'acct_7'), 'op-' || n, 'charge', '', '' FROM generate_series(1, 45) n`, roID).Error
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	walk := func(page string) (pages int) {
		next := regexp.MustCompile(`href="([^"]*cursor=[^"#]*)#findings" rel="next"`)
		for pages = 1; ; pages++ {
			for _, m := range regexp.MustCompile(`id=(op-\d+)`).FindAllStringSubmatch(page, -1) {
				seen[m[1]] = true
			}
			to := next.FindStringSubmatch(page)
			if to == nil {
				return pages
			}
			page = b.page(strings.ReplaceAll(to[1], "&amp;", "&"))
		}
	}
	if pages := walk(b.page(at)); pages != 3 || len(seen) != 45 {
		t.Errorf("%d of 45 findings on %d pages", len(seen), pages)
	}
	clear(seen)
	page := b.page(at + "?check=consistency")
	if walk(page); len(seen) != 3 || !strings.Contains(page, `href="`+at+`?check=reconciliation#findings"`) {
		t.Errorf("%v of one check", seen)
	}
	w.says(b.page(at+"?check=uniqueness"), "This check found nothing.")
}
