package api_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/models/verify"
)

// A balance that the newest verification found wrong says so, now and of any moment from the first entry concerned on, and so do the
// account and its entries; one of before that is as it was.
func TestABalanceSaysWhatVerificationFound(t *testing.T) {
	w := newWorld(t)
	w.account("acct_7", 100)
	w.account("acct_8", 5)
	before := time.Now().UTC().Format(time.RFC3339Nano)
	w.charge("acct_7", "j1", 40, "")
	w.charge("acct_7", "j2", 10, "")
	verified := func() {
		t.Helper()
		v := verify.New(w.g)
		var evidence verify.Evidence
		report, err := v.Run(context.Background(), verify.Options{OnProblem: evidence.Add})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Keep(context.Background(), verify.Record{Report: report, Evidence: &evidence}); err != nil {
			t.Fatal(err)
		}
	}
	bodies := func(account, at string) []string {
		t.Helper()
		var out []string
		for _, path := range []string{"", "/entries", "/balance", "/balance?at=" + url.QueryEscape(at)} {
			res := w.get("/v1/accounts/" + account + path)
			if res.status != 200 {
				t.Fatalf("%s: %d %s", path, res.status, res.body)
			}
			out = append(out, string(res.body))
		}
		return out
	}
	now := func() string { return time.Now().UTC().Format(time.RFC3339Nano) }
	verified()
	for _, body := range bodies("acct_7", now()) {
		if strings.Contains(body, "found_wrong") || strings.Contains(body, "inconsistent") {
			t.Errorf("nothing is wrong: %s", body)
		}
	}
	for _, s := range []string{`ALTER TABLE entries DISABLE TRIGGER USER`, `UPDATE entries SET amount = -30 WHERE type = 'charge' AND amount = -40`,
		`ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_chain`} {
		if err := w.g.Exec(s).Error; err != nil {
			t.Fatal(err)
		}
	}
	verified()
	for i, body := range bodies("acct_7", now()) {
		if !strings.Contains(body, `"found_wrong":{"started_at":"`) || !strings.Contains(body, `"first_seq":2`) || !strings.Contains(body, `"balance"`) {
			t.Errorf("%d: %s", i, body)
		}
	}
	entries := bodies("acct_7", now())[1]
	if n := strings.Count(entries, `"inconsistent":true`); n != 1 {
		t.Errorf("%d entries are marked: %s", n, entries)
	}
	if at := bodies("acct_7", before)[3]; strings.Contains(at, "found_wrong") || !strings.Contains(at, `"balance":100`) {
		t.Errorf("before it: %s", at)
	}
	for _, body := range bodies("acct_8", now()) {
		if strings.Contains(body, "found_wrong") {
			t.Errorf("another account: %s", body)
		}
	}
}
