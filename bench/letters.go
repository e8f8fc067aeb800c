package main

import (
	"context"
	"errors"

	"recoup/models/deadletter"
	"recoup/models/page"
)

// findLetters looks for the largest group and for a dead letter in the middle.
func (p *pageLedger) findLetters(ctx context.Context) error {
	err := p.g.WithContext(ctx).Raw(`SELECT fingerprint FROM dead_letters WHERE closed_at IS NULL GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`).Scan(&p.outage).Error
	return errors.Join(err, p.g.WithContext(ctx).Raw(`SELECT '/accounts/' || a.id || '/jobs/' || j.id FROM dead_letters d JOIN accounts a ON a.key = d.account_key
		JOIN jobs j ON j.account_key = d.account_key AND j.key = d.job_key WHERE d.closed_at IS NULL ORDER BY d.account_key DESC LIMIT 1`).Scan(&p.letter).Error)
}

// measuredLetters are the pages that support has open on the morning after an outage.
func measuredLetters() []measured {
	same := func(path string) func(*pageLedger) string { return func(*pageLedger) string { return path } }
	return []measured{
		{"needs review", same("/dead-letters")},
		{"needs review, deep", func(p *pageLedger) string {
			return deepInLetters(p.middle())
		}},
		{"mine", same("/dead-letters?tab=mine")},
		{"snoozed", same("/dead-letters?tab=snoozed")},
		{"late success", same("/dead-letters?tab=late")},
		{"resolved", same("/dead-letters?tab=resolved")},
		{"of one account", same("/dead-letters?account=acct_1")},
		{"of a name", same("/dead-letters?account=Harbour+Films+17")},
		{"of a code", same("/dead-letters?code=storage_unavailable")},
		{"of a code that none has", same("/dead-letters?code=nothing_like_it")},
		{"of an action", same("/dead-letters?action=transcription")},
		{"with a text that many have", same("/dead-letters?text=bucket+renders")},
		{"with a text that none has", same("/dead-letters?text=nothing+like+it")},
		{"of large amounts", same("/dead-letters?min=75")},
		{"of the outage", func(p *pageLedger) string { return "/dead-letters?group=" + p.outage }},
		{"groups", same("/dead-letters/groups")},
		{"all groups", same("/dead-letters/groups?view=all")},
		{"the outage's group", func(p *pageLedger) string { return "/dead-letters/groups/" + p.outage }},
		{"a dead letter", func(p *pageLedger) string { return p.letter }},
		{"jobs that are dead", same("/jobs?state=dead")},
		{"search, a job", same("/search?q=job-77")},
		{"overview", same("/")},
	}
}

// middle is a place half way through the open dead letters.
func (p *pageLedger) middle() deadletter.Position {
	var at deadletter.Position
	p.g.Raw(`SELECT refunded, dead_at AS at, account_key, job_key, generation FROM dead_letters WHERE closed_at IS NULL
		ORDER BY refunded, dead_at OFFSET (SELECT count(*) / 2 FROM dead_letters WHERE closed_at IS NULL) LIMIT 1`).Scan(&at)
	return at
}

// deepInLetters is the address of the page behind a position.
func deepInLetters(at deadletter.Position) string {
	cursor, err := page.Cursor[string, deadletter.Position]{Query: "/dead-letters?", Position: at, Direction: page.Older}.Encode()
	if err != nil {
		panic(err) // a position always encodes
	}
	return "/dead-letters?cursor=" + cursor
}
