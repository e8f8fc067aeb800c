package main

import (
	"io"
	"os"
	"testing"

	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// What is generated is a ledger like any other: as many entries as were asked for, and nothing that verify minds.
func TestGeneratedLedgerIsSound(t *testing.T) {
	const n = 6000
	url := modeltest.URL(t)
	if err := generate(t.Context(), url, n, fewDead, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := verifyGenerated(t.Context(), url, os.Stderr); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Entries, Hot, Accounts, Negative, Dead int64
		Types                                  int64
	}
	err := modeltest.Open(t, url, nil).Raw(`SELECT count(*) AS entries, count(*) FILTER (WHERE account_key = 1) AS hot, count(DISTINCT type) AS types,
		(SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM accounts WHERE balance < 0) AS negative,
		(SELECT count(*) FROM jobs WHERE state = 'dead') AS dead FROM entries`).Scan(&got).Error
	if err != nil {
		t.Fatal(err)
	}
	if got.Entries != n || got.Accounts != n/40 || got.Types != 5 || got.Negative == 0 || got.Dead == 0 {
		t.Errorf("generated %+v", got)
	}
	if got.Hot < n/20 || got.Hot > n/5 {
		t.Errorf("the hot account has %d of %d entries", got.Hot, n)
	}
	if err := generate(t.Context(), url, n, fewDead, io.Discard); err == nil {
		t.Error("a database that is in use was filled")
	}
}

// With all that failed for good as dead letters there is one of every forty entries, in groups of which one is an outage.
func TestGeneratedDeadLetters(t *testing.T) {
	const n = 8000
	url := modeltest.URL(t)
	if err := generate(t.Context(), url, n, allDead, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := verifyGenerated(t.Context(), url, os.Stderr); err != nil {
		t.Fatal(err)
	}
	var got struct{ Dead, Letters, Groups, Largest int64 }
	err := modeltest.Open(t, url, nil).Raw(`SELECT (SELECT count(*) FROM jobs WHERE state = 'dead') AS dead, (SELECT count(*) FROM dead_letters WHERE closed_at IS NULL) AS letters,
		(SELECT count(*) FROM dead_letter_groups) AS groups, (SELECT max(n) FROM (SELECT count(*) AS n FROM dead_letters GROUP BY fingerprint) x) AS largest`).Scan(&got).Error
	if err != nil {
		t.Fatal(err)
	}
	if got.Dead < n/60 || got.Letters != got.Dead || got.Groups < 10 || got.Largest < got.Dead/10 {
		t.Errorf("generated %+v", got)
	}
}
