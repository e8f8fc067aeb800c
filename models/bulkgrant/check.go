package bulkgrant

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// Check is what a file would do as things stand.
type Check struct {
	// New lines would be granted, Done ones were granted before.
	New, Done int64
	// NewCredits is the sum of the new ones.
	NewCredits int64
	// Problems are in the order of the lines.
	Problems []Problem
	// States are one for each line of the file, in its order.
	States []State
}

// State is what a line would do as things stand.
type State struct {
	Line
	// Standing is "new", "done" or "bad".
	Standing string
	// Before and After are the balance around a new line, when the lines are applied in their order: by account, and in
	// it by reference.
	Before, After int64

	key int64 // of the account, 0 where there is none
}

// The standings of a line.
const (
	StandingNew  = "new"
	StandingDone = "done"
	StandingBad  = "bad"
)

// Check looks at each line's account, reference and balance.
func (s *Store) Check(ctx context.Context, f File) (Check, error) {
	return s.check(ctx, s.g, f.Lines, nil)
}

// Examine reads a file that was not uploaded and names everything that is wrong with it, in the order of the lines:
// what Read says, and of the lines that it could read, what Check would.
func (s *Store) Examine(ctx context.Context, content []byte) ([]Problem, error) {
	lines, problems := Read(content)
	bad := map[int]bool{}
	for _, p := range problems {
		bad[p.Line] = true
	}
	c, err := s.check(ctx, s.g, lines, bad)
	if err != nil {
		return nil, err
	}
	for _, p := range c.Problems {
		// The account is looked at even where another column is wrong, but not where it is itself.
		if !slices.ContainsFunc(problems, func(q Problem) bool { return q.Line == p.Line && q.Column == p.Column }) {
			problems = append(problems, p)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems, nil
}

// check is Check for lines of which those with the numbers bad are known to be none that can be granted.
func (s *Store) check(ctx context.Context, g *gorm.DB, lines []Line, bad map[int]bool) (Check, error) {
	var c Check
	accounts := make([]string, len(lines))
	var sound []int
	for i, l := range lines {
		accounts[i] = l.Account
		if !bad[l.Number] {
			sound = append(sound, i)
		}
	}
	heads, err := s.ledger.Heads(ctx, g, accounts)
	if err != nil {
		return c, err
	}
	reqs := make([]operation.Request, len(sound))
	for n, i := range sound {
		reqs[n] = lines[i].grant(ledger.Envelope{}).Operation()
	}
	standings, err := s.ops.Standings(ctx, g, reqs)
	if err != nil {
		return c, err
	}
	taken, err := takenReferences(ctx, g, lines)
	if err != nil {
		return c, err
	}
	c.States = make([]State, len(lines))
	problem := func(i int, column, code, value string) {
		c.States[i].Standing = StandingBad
		c.Problems = append(c.Problems, Problem{Line: lines[i].Number, Column: column, Code: code, Value: value})
	}
	for i, l := range lines {
		c.States[i] = State{Line: l, Standing: StandingBad, key: heads[l.Account].Key}
		if _, there := heads[l.Account]; !there && l.Account != "" {
			problem(i, colAccount, "unknown_account", cut(l.Account))
		}
	}
	for n, i := range sound {
		l, state := lines[i], &c.States[i]
		if state.key == 0 {
			continue
		}
		switch standings[n] {
		case operation.Applied:
			state.Standing = StandingDone
			c.Done++
		case operation.Differs:
			problem(i, colReference, "conflict", cut(l.Reference))
		case operation.Undecided:
			problem(i, colReference, "undecided", cut(l.Reference))
		case operation.Unused:
			if by, there := taken[l.Reference]; there && by != l.Account {
				problem(i, colReference, "reference_taken", by)
				continue
			}
			state.Standing = StandingNew
			c.New++
			c.NewCredits += l.Amount // the sum of all lines fits, or Read has told
		}
	}
	for _, i := range c.inOrder() {
		state := &c.States[i]
		head := heads[state.Account]
		after, err := credit.Add(head.Balance, state.Amount)
		if err != nil {
			c.New--
			c.NewCredits -= state.Amount
			problem(i, colAmount, "balance_too_large", strconv.FormatInt(head.Balance, 10))
			continue
		}
		state.Before, state.After = head.Balance, after
		head.Balance = after
		heads[state.Account] = head
	}
	slices.SortStableFunc(c.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return c, nil
}

// inOrder are the new lines in the order in which they are applied.
func (c Check) inOrder() []int {
	var order []int
	for i, state := range c.States {
		if state.Standing == StandingNew {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := c.States[a], c.States[b]
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.Reference, y.Reference))
	})
	return order
}

// newByAccount is what the new lines give each account, by its key.
func (c Check) newByAccount() map[int64]int64 {
	out := map[int64]int64{}
	for _, state := range c.States {
		if state.Standing == StandingNew {
			out[state.key] += state.Amount
		}
	}
	return out
}

// takenReferences are the accounts that have those of the lines' references that a file granted before.
func takenReferences(ctx context.Context, g *gorm.DB, lines []Line) (map[string]string, error) {
	references, err := referencesOf(lines)
	if err != nil {
		return nil, err
	}
	var rows []struct{ Reference, Account string }
	err = db.Planned(ctx, g, func(tx *gorm.DB) error {
		return tx.Raw(`SELECT r.reference, a.id AS account FROM (SELECT DISTINCT value FROM json_array_elements_text(?::json)) w
			JOIN LATERAL (SELECT reference, account_key FROM bulk_grant_references WHERE reference = w.value OFFSET 0) r ON true
			JOIN accounts a ON a.key = r.account_key`, references).Scan(&rows).Error
	})
	if err != nil {
		return nil, fmt.Errorf("bulkgrant: references: %w", err)
	}
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Reference] = r.Account
	}
	return out, nil
}

func referencesOf(lines []Line) (string, error) {
	references := make([]string, len(lines))
	for i, l := range lines {
		references[i] = l.Reference
	}
	b, err := json.Marshal(references)
	if err != nil {
		return "", fmt.Errorf("bulkgrant: %w", err)
	}
	return string(b), nil
}
