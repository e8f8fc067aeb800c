// Package comparison shows what a rollout does: its candidate beside the baseline in the same days and beside the time
// before the start, what it has given away so far, and what its next stage would do.
//
// All of it is derived from entries, jobs, attempts, replays and costs, and decides about nothing. What is heavy is made
// in the background or when somebody asks, within a time limit, and kept with its time.
package comparison

import (
	"time"

	"recoup/models/decimal"
	"recoup/models/stats"
)

const (
	// Level is how sure the intervals are. It is 99 % rather than 95 %, since a page compares about twenty figures: at
	// 95 % one of them would differ by chance on most pages.
	Level = 0.99
	// Enough is how many charges (attempts, claims, jobs with a known cost) each side needs, EnoughAccounts from how
	// many accounts, before anything is said about a difference.
	Enough         = 200
	EnoughAccounts = 10
)

const (
	// longest is how far back a comparison looks at most.
	longest = 28 * 24 * time.Hour
	// shortest is how far a period is shortened at most to keep it readable.
	shortest = time.Hour
	// readable is how many charges of a side a period may hold; beyond that it is halved.
	readable = 1_000_000
	// sampled is Service.sampled where nobody says.
	sampled = 50_000
	// ways is into how many parts accounts are dealt for that.
	ways = 1024
	// readFor bounds one statement of a comparison.
	readFor = 20 * time.Second
)

// Side is one of the three that are compared.
type Side int

// The sides.
const (
	// Candidate are the charges that the rollout's candidate priced since the stage began.
	Candidate Side = iota
	// Baseline are the charges that the baseline priced in the same time, because the rollout did not admit the account.
	Baseline
	// History are the charges that the baseline priced in as much time before the start.
	History
)

// Sides are all of them, in the order of Comparison.Sides.
func Sides() []Side { return []Side{Candidate, Baseline, History} }

// Comparison is a rollout's stage at one time.
type Comparison struct {
	RolloutID string `json:"rollout_id"`
	// Stage is the one that was compared.
	Stage int `json:"stage"`
	// At is when it was made; From and To the time since the stage began, HistoryFrom and HistoryTo the time before the
	// start. To is exclusive.
	At          time.Time `json:"at"`
	From        time.Time `json:"from"`
	To          time.Time `json:"to"`
	HistoryFrom time.Time `json:"history_from"`
	HistoryTo   time.Time `json:"history_to"`
	// Shortened is true where the stage began before From.
	Shortened bool `json:"shortened"`
	// Sides are the three, in the order of their names.
	Sides [3]Counts `json:"sides"`
	// Measures are what is compared. A currency has two of them.
	Measures []Measure `json:"measures"`
}

// Counts are what one side consists of. All but Total count the accounts that were looked at.
type Counts struct {
	// Total is every charge of the period: the times that the rule was applied.
	Total int64 `json:"total"`
	// Part is how many of 1024 parts of the accounts were looked at; 1024 is all.
	Part      int   `json:"part"`
	Accounts  int64 `json:"accounts"`
	Charges   int64 `json:"charges"`
	Replays   int64 `json:"replays"`
	Conflicts int64 `json:"conflicts"`
	// Attempts are those that ended, Failed those of them that failed, by class.
	Attempts int64            `json:"attempts"`
	Failed   map[string]int64 `json:"failed"`
	// Claims are attempts that a worker was handed.
	Claims    int64 `json:"claims"`
	Delivered int64 `json:"delivered"`
	// Known are jobs with at least one attributed cost, KnownDelivered those of them that are delivered.
	Known          int64 `json:"known"`
	KnownDelivered int64 `json:"known_delivered"`
	// Costs are the costs of those jobs, one sum a currency.
	Costs []Money `json:"costs"`
}

// Money is an exact sum in one currency.
type Money struct {
	Currency string          `json:"currency"`
	Amount   decimal.Decimal `json:"amount"`
}

// Name says what a measure measures.
type Name string

// The measures.
const (
	// PerAccount: charges an account that charged at all.
	PerAccount Name = "per_account"
	// Resent: the share of charges whose operation was sent again; Conflicting: with another input under the same id.
	Resent      Name = "resent"
	Conflicting Name = "conflicting"
	// LagMedian and LagP95: from the time an attempt could begin to its claim, in seconds.
	LagMedian Name = "lag_median"
	LagP95    Name = "lag_p95"
	// Failed: the share of attempts that failed or timed out.
	Failed Name = "failed"
	// CostCharged and CostDelivered: what jobs with a known cost cost, over the charged and over the delivered ones of
	// them. What a job cost that was never delivered counts in both.
	CostCharged   Name = "cost_charged"
	CostDelivered Name = "cost_delivered"
)

// Measure is one figure of the three sides.
type Measure struct {
	Name Name `json:"name"`
	// Currency is set for costs.
	Currency string   `json:"currency,omitempty"`
	Values   [3]Value `json:"values"`
	// Against are the candidate against the baseline and against history.
	Against [2]Verdict `json:"against"`
}

// Value is the figure of one side.
type Value struct {
	// Of is how many observations it is over: charges, claims, attempts or jobs; 0 for none, and then there is no value.
	Of int64 `json:"of"`
	// Accounts is how many accounts they are of.
	Accounts int64 `json:"accounts"`
	stats.Estimate
	// Interval is false where there is too little for one: Low and High mean nothing then.
	Interval bool `json:"interval"`
	// Exact is the value of a cost, to eight digits behind the point.
	Exact *decimal.Decimal `json:"exact,omitempty"`
}

// Finding is what a comparison says.
type Finding string

// The findings.
const (
	Higher Finding = "higher"
	Lower  Finding = "lower"
	// None: no difference is shown. It does not say that there is none.
	None Finding = "none"
	// Lacking: there is too little data to say anything.
	Lacking Finding = "lacking"
)

// Verdict is the candidate against another side.
type Verdict struct {
	Finding Finding `json:"finding"`
	// By is candidate minus the other side, with its interval; zero where data is lacking.
	By stats.Estimate `json:"by"`
	// Lack says what is missing; nil unless the finding is Lacking.
	Lack *Lack `json:"lack,omitempty"`
}

// Lack is what keeps a verdict back.
type Lack struct {
	Of   Shortage `json:"of"`
	Side Side     `json:"side"`
	// Have and Need are counts, for KnownCosts hundredths of a percent.
	Have int64 `json:"have"`
	Need int64 `json:"need"`
}

// Shortage is a kind of lack.
type Shortage string

// The shortages.
const (
	Charges    Shortage = "charges"
	Attempts   Shortage = "attempts"
	Claims     Shortage = "claims"
	Jobs       Shortage = "jobs"
	Accounts   Shortage = "accounts"
	KnownCosts Shortage = "known_costs"
	// Spread: the values hang together so closely in a few accounts that nothing bounds the figure. Have and Need are 0.
	Spread Shortage = "spread"
	// Retention: replays and conflicts of that time are not kept any more. Have and Need are 0.
	Retention Shortage = "retention"
)
