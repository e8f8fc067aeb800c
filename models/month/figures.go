// Package month adds up the months of the book time zone and closes them.
//
// A month begins with the first moment of its first day in that zone and ends where the next one begins. Its
// figures come from the entries alone, by way of the rollup. Closing one stores them with a digest and an
// anchor of the ledger; it never reopens, and what differs from the ledger later is found and shown.
package month

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/ledger"
	"recoup/models/rollup"
)

// Sum is how many entries there are and what they add up to.
type Sum struct {
	Count  int64
	Amount credit.Sum
}

func (s Sum) plus(count int64, amount credit.Sum) Sum {
	return Sum{s.Count + count, s.Amount.Plus(amount)}
}

// Figures are what a month's entries add up to.
type Figures struct {
	Month calendar.Month
	// Zone is the name of the book time zone.
	Zone string
	// From is the first moment, To the one after the last.
	From, To time.Time
	// Opening is the sum of all entries before From, Closing of all before To.
	Opening, Closing credit.Sum
	// Types holds every type of entry, those without entries too.
	Types map[ledger.Type]Sum
	// Groups are the entries by type, rule version, rollout, cohort and category, in this order; Part is 0.
	Groups []rollup.Group
	// OpenRefunds are the refunds before To that were not reclaimed before To.
	OpenRefunds Sum
}

// Entries is how many there are.
func (f Figures) Entries() int64 {
	var n int64
	for _, s := range f.Types {
		n += s.Count
	}
	return n
}

// Net is the sum of all entries, by which Closing differs from Opening.
func (f Figures) Net() credit.Sum {
	var net credit.Sum
	for _, s := range f.Types {
		net = net.Plus(s.Amount)
	}
	return net
}

// NetOfJobs is what jobs came to in the month: charges, less refunds, plus reclaims. It is positive where credits were earned. It counts
// the charge of a job that is neither delivered nor refunded yet: Overview.NetDelivered goes without.
func (f Figures) NetOfJobs() credit.Sum {
	jobs := f.Types[ledger.Charge].Amount.Plus(f.Types[ledger.Refund].Amount).Plus(f.Types[ledger.Reclaim].Amount)
	return credit.Sum{}.Minus(jobs)
}

// Of makes figures out of groups whose Part is 0 before the month and anything else within it.
func Of(m calendar.Month, zone string, from, to time.Time, groups []rollup.Group) Figures {
	f := Figures{Month: m, Zone: zone, From: from.UTC(), To: to.UTC(), Types: map[ledger.Type]Sum{}}
	for _, t := range ledger.Types() {
		f.Types[t] = Sum{}
	}
	within := map[rollup.Group]Sum{}
	for _, g := range groups {
		switch ledger.Type(g.Type) {
		case ledger.Refund:
			f.OpenRefunds = f.OpenRefunds.plus(g.Count, g.Amount)
		case ledger.Reclaim:
			f.OpenRefunds = f.OpenRefunds.plus(-g.Count, g.Amount)
		}
		f.Closing = f.Closing.Plus(g.Amount)
		if g.Part == 0 {
			f.Opening = f.Opening.Plus(g.Amount)
			continue
		}
		f.Types[ledger.Type(g.Type)] = f.Types[ledger.Type(g.Type)].plus(g.Count, g.Amount)
		key := g
		key.Part, key.Count, key.Amount = 0, 0, credit.Sum{}
		within[key] = within[key].plus(g.Count, g.Amount)
	}
	for key, s := range within {
		key.Count, key.Amount = s.Count, s.Amount
		f.Groups = append(f.Groups, key)
	}
	slices.SortFunc(f.Groups, func(a, b rollup.Group) int {
		return cmp.Or(cmp.Compare(order(a.Type), order(b.Type)), cmp.Compare(a.RuleVersion, b.RuleVersion), cmp.Compare(a.RolloutID, b.RolloutID),
			cmp.Compare(a.Cohort, b.Cohort), cmp.Compare(a.Category, b.Category))
	})
	return f
}

func order(t string) int { return slices.Index(ledger.Types(), ledger.Type(t)) }

// form is the canonical form of figures: JSON with these members in this order, without space, sums as texts
// of decimal digits, times in UTC. A change of it is a new number in Form.
type form struct {
	Form        int         `json:"form"`
	Month       string      `json:"month"`
	Zone        string      `json:"zone"`
	From        string      `json:"from"`
	To          string      `json:"to"`
	Opening     string      `json:"opening"`
	Types       []formSum   `json:"types"`
	Groups      []formGroup `json:"groups"`
	Closing     string      `json:"closing"`
	OpenRefunds formSum     `json:"open_refunds"`
}

type formSum struct {
	Type   string `json:"type,omitempty"`
	Count  int64  `json:"count"`
	Amount string `json:"amount"`
}

type formGroup struct {
	Type        string `json:"type"`
	RuleVersion string `json:"rule_version"`
	RolloutID   string `json:"rollout_id"`
	Cohort      string `json:"cohort"`
	Category    string `json:"category"`
	Count       int64  `json:"count"`
	Amount      string `json:"amount"`
}

// Canonical is the form over which Digest is made, and in which a closed month's figures are stored.
func (f Figures) Canonical() (string, error) {
	out := form{Form: 1, Month: f.Month.String(), Zone: f.Zone, From: f.From.UTC().Format(time.RFC3339Nano), To: f.To.UTC().Format(time.RFC3339Nano),
		Opening: f.Opening.String(), Closing: f.Closing.String(), Groups: []formGroup{},
		OpenRefunds: formSum{Count: f.OpenRefunds.Count, Amount: f.OpenRefunds.Amount.String()}}
	for _, t := range ledger.Types() {
		out.Types = append(out.Types, formSum{string(t), f.Types[t].Count, f.Types[t].Amount.String()})
	}
	for _, g := range f.Groups {
		out.Groups = append(out.Groups, formGroup{g.Type, g.RuleVersion, g.RolloutID, g.Cohort, g.Category, g.Count, g.Amount.String()})
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "", fmt.Errorf("month: canonical form: %w", err)
	}
	return string(b), nil
}

// Digest is the SHA-256 over the canonical form, in hexadecimal.
func (f Figures) Digest() (string, error) {
	c, err := f.Canonical()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(c))
	return hex.EncodeToString(sum[:]), nil
}

// Parse reads a canonical form.
func Parse(canonical string) (Figures, error) {
	var in form
	if err := json.Unmarshal([]byte(canonical), &in); err != nil {
		return Figures{}, fmt.Errorf("month: stored figures: %w", err)
	}
	m, err := calendar.ParseMonth(in.Month)
	if err != nil || in.Form != 1 {
		return Figures{}, fmt.Errorf("month: stored figures are of form %d for %q", in.Form, in.Month)
	}
	f := Figures{Month: m, Zone: in.Zone, Types: map[ledger.Type]Sum{}}
	if f.From, err = time.Parse(time.RFC3339Nano, in.From); err != nil {
		return Figures{}, fmt.Errorf("month: stored figures: %w", err)
	}
	if f.To, err = time.Parse(time.RFC3339Nano, in.To); err != nil {
		return Figures{}, fmt.Errorf("month: stored figures: %w", err)
	}
	sum := func(text string) (s credit.Sum) {
		if err == nil {
			err = s.Scan(text)
		}
		return s
	}
	f.Opening, f.Closing = sum(in.Opening), sum(in.Closing)
	for _, t := range in.Types {
		f.Types[ledger.Type(t.Type)] = Sum{t.Count, sum(t.Amount)}
	}
	for _, g := range in.Groups {
		f.Groups = append(f.Groups, rollup.Group{Type: g.Type, RuleVersion: g.RuleVersion, RolloutID: g.RolloutID, Cohort: g.Cohort, Category: g.Category,
			Count: g.Count, Amount: sum(g.Amount)})
	}
	f.OpenRefunds = Sum{in.OpenRefunds.Count, sum(in.OpenRefunds.Amount)}
	return f, err
}
