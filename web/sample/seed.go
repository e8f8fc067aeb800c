// Package sample makes development believable: a small platform with customers, prices and staff, and a
// simulated media pipeline that works on its jobs through the real API.
package sample

import (
	"context"
	"fmt"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// You is the email address of the sample's administrator, who gets the sign-in link.
const You = "you@recoup.example"

// Password is the password of the sample's people. It guards nothing: the sample goes only into an empty
// database on the machine of whoever asked for it.
const Password = "sample data only"

// Seeder puts the sample into a database.
type Seeder struct {
	Staff   *staff.Service
	Pricing *pricing.Service
	Ledger  *ledger.Service
	// Rollouts try prices on a part of the accounts.
	Rollouts *rollout.Service
}

// by is who the sample's changes are by.
func by() actor.Actor { return actor.System() }

// envelope names a step of the seeding. Ids are fixed, so that a seeding that was cut off goes on where it
// was.
func envelope(step string) ledger.Envelope {
	return ledger.Envelope{OperationID: "sample:" + step, Actor: by()}
}

// marker is the last account of the sample: where it is, the seeding was finished.
const marker = "zephyr-audio"

// Seed puts the sample into an empty database and reports whether it did. A database that holds
// anything of somebody else's is left alone.
func (s Seeder) Seed(ctx context.Context) (bool, error) {
	rows, err := s.Ledger.Accounts(ctx, ledger.AccountFilter{}, nil, page.Older, len(customers())+1)
	if err != nil {
		return false, err
	}
	known := map[string]bool{}
	for _, c := range customers() {
		known[c.id] = true
	}
	for _, a := range rows.Rows {
		if a.ID == marker || !known[a.ID] {
			return false, nil
		}
	}
	for _, step := range []func(context.Context) error{s.people, s.prices, s.rollout, s.accounts} {
		if err := step(ctx); err != nil {
			return false, fmt.Errorf("sample: %w", err)
		}
	}
	return true, nil
}

func (s Seeder) people(ctx context.Context) error {
	for _, p := range []staff.NewPerson{
		{Email: You, Name: "Ines Falk", Role: staff.Admin},
		{Email: "mika@recoup.example", Name: "Mika Sato", Role: staff.Product, Preferences: staff.Preferences{Language: "ja", TimeZone: "Asia/Tokyo"}},
		{Email: "fiona@recoup.example", Name: "Fiona Grant", Role: staff.Finance, Preferences: staff.Preferences{Language: "en", TimeZone: "Europe/London"}},
		{Email: "kenji@recoup.example", Name: "Kenji Mori", Role: staff.Support, Preferences: staff.Preferences{Language: "ja", TimeZone: "Asia/Tokyo"}},
		{Email: "lena@recoup.example", Name: "Lena Okafor", Role: staff.Lead, Preferences: staff.Preferences{Language: "en", TimeZone: "America/New_York"}},
		{Email: "vera@recoup.example", Name: "Vera Lind", Role: staff.Viewer, Preferences: staff.Preferences{Language: "en", TimeZone: "UTC"}},
	} {
		p.Password = Password
		if _, err := s.Staff.CreateStaff(ctx, staff.By{Actor: by()}, p); err != nil && !fault.Is(err, staff.CodeEmailTaken) {
			return err
		}
	}
	return nil
}

func (s Seeder) prices(ctx context.Context) error {
	for _, p := range []pricing.NewRule{
		{Action: "video_render", Unit: "second", UnitPrice: 667, Minimum: 5, Rounding: credit.RoundHalfEven},
		{Action: "transcription", Unit: "minute", UnitPrice: 1200, Minimum: 1, Rounding: credit.RoundUp},
		{Action: "image_generation", Unit: "image", UnitPrice: 4000, Rounding: credit.RoundHalfEven},
		{Action: "video_upscale", Unit: "frame", UnitPrice: 25, Minimum: 2, Rounding: credit.RoundUp},
	} {
		e := envelope("price:" + p.Action)
		p.OperationID, p.Actor, p.Reason = e.OperationID, e.Actor, "Price list of the sample"
		if _, err := s.Pricing.SetPrice(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// customer is one account of the sample.
type customer struct {
	id, name, plan, region string
	credits                int64
}

func customers() []customer {
	return []customer{
		{"aurora-films", "Aurora Films", "studio", "eu-north", 12_000},
		{"blue-heron", "Blue Heron Podcasts", "creator", "us-east", 900},
		{"cinq-etoiles", "Cinq Étoiles Média", "studio", "eu-west", 7_400},
		{"driftwood", "Driftwood Documentaries", "creator", "us-west", 1_250},
		{"ember-games", "Ember Games", "enterprise", "us-east", 48_000},
		{"hoshino-works", "星野映像製作所", "studio", "ap-northeast", 9_600},
		{"kita-news", "北日本ニュース株式会社", "enterprise", "ap-northeast", 31_000},
		{"lumen-school", "Lumen School of Design", "education", "eu-west", 640},
		{"monsoon-fm", "Monsoon FM", "creator", "ap-south", 420},
		{"north-pier", "North Pier Weddings", "creator", "eu-north", 310},
		{"pixelfold", "Pixelfold", "studio", "us-west", 5_200},
		{marker, "Zephyr Audio", "creator", "us-east", 60},
	}
}

func (s Seeder) accounts(ctx context.Context) error {
	for _, c := range customers() {
		profile := ledger.Profile{Envelope: envelope("account:" + c.id), AccountID: c.id, Name: &c.name, Plan: &c.plan, Region: &c.region,
			Attributes: map[string]string{"source": "sample"}}
		if _, err := s.Ledger.PutAccount(ctx, profile); err != nil {
			return err
		}
		grant := ledger.GrantRequest{Envelope: envelope("grant:" + c.id), AccountID: c.id, Amount: c.credits, Category: ledger.Paid, Reference: "INV-2026-" + c.id}
		if _, err := s.Ledger.Grant(ctx, grant); err != nil {
			return err
		}
	}
	if err := s.waiting(ctx); err != nil {
		return err
	}
	_, err := s.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: envelope("welcome:monsoon-fm"), AccountID: "monsoon-fm", Amount: 50,
		Category: ledger.Promotion, Reason: "Welcome credits"})
	return err
}

// waiting asks, as a person, for more than one person may grant: so that somebody else finds something to decide.
func (s Seeder) waiting(ctx context.Context) error {
	fiona, err := s.Staff.ByEmail(ctx, "fiona@recoup.example")
	if err != nil {
		return err
	}
	e := envelope("annual:ember-games")
	e.Actor = fiona.Actor()
	_, err = s.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: e, AccountID: "ember-games", Amount: 250_000, Category: ledger.Paid,
		Reference: "INV-2026-2117", Reason: "Annual plan, paid in advance"})
	return err
}

// The names of the sample's API keys.
const (
	pipelineKey = "sample pipeline"
	curlKey     = "sample curl"
)

// PipelineKey makes an API key for the simulated pipeline.
func (s Seeder) PipelineKey(ctx context.Context) (string, error) {
	return s.key(ctx, pipelineKey, staff.JobsWrite, staff.JobsWork, staff.LedgerRead)
}

// CurlKey makes an API key for the first calls by hand: it may do all that the API offers.
func (s Seeder) CurlKey(ctx context.Context) (string, error) {
	return s.key(ctx, curlKey, staff.Scopes()...)
}

// key makes an API key and revokes those of its name from earlier starts: a key is shown once, so it
// cannot be used again.
func (s Seeder) key(ctx context.Context, name string, scopes ...staff.Scope) (string, error) {
	keys, err := s.Staff.ListKeys(ctx)
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		if k.Name != name || k.RevokedAt != nil {
			continue
		}
		if err := s.Staff.RevokeKey(ctx, staff.By{Actor: by()}, k.ID, "A new one was made"); err != nil {
			return "", err
		}
	}
	_, token, err := s.Staff.CreateKey(ctx, staff.By{Actor: by()}, staff.NewKey{Name: name, Scopes: scopes})
	if err != nil {
		return "", fmt.Errorf("sample: no API key: %w", err)
	}
	return token, nil
}
