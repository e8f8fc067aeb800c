package verify

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// String is the problem on one line: check, where, what is wrong, expected and found.
func (p Problem) String() string {
	var where []string
	if p.AccountID != "" {
		where = append(where, "account "+p.AccountID)
	}
	if p.Seq != 0 {
		where = append(where, "entry "+number(p.Seq))
	}
	if p.JobID != "" {
		where = append(where, "job "+p.JobID)
	}
	if where == nil {
		where = []string{"installation"}
	}
	return fmt.Sprintf("%s  %s: %s Expected %s; found %s.", p.Check, strings.Join(where, ", "), p.Message, p.Expected, p.Found)
}

// WriteText writes a run's outcome for people: what was read, how fast, and the problems by check.
func WriteText(w io.Writer, r Report) error {
	var b strings.Builder
	took := r.Finished.Sub(r.Started)
	fmt.Fprintf(&b, "%d accounts, %d entries, %d jobs in %s", r.Accounts, r.Entries, r.Jobs, took.Round(time.Millisecond))
	if s := took.Seconds(); s > 0 {
		fmt.Fprintf(&b, " (%.0f entries a second)", float64(r.Entries)/s)
	}
	b.WriteByte('\n')
	if r.HeadsDigest != "" {
		fmt.Fprintf(&b, "heads at %s: %s\n", r.HeadsAt.Format(time.RFC3339Nano), r.HeadsDigest)
	}
	if r.OK() {
		b.WriteString("No problem found.\n")
	} else {
		fmt.Fprintf(&b, "%d problems:\n", r.Problems)
		for _, check := range Checks() {
			if n := r.ByCheck[check]; n > 0 {
				fmt.Fprintf(&b, "  %-15s %d\n", check, n)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String says on one line, or on one a problem, what became of the account's head.
func (r Rebuilt) String() string {
	if r.Refused != nil {
		lines := []string{fmt.Sprintf("account %s: refused, its entries are not whole or something speaks against them; the head is left as it is", r.AccountID)}
		for _, p := range r.Refused {
			lines = append(lines, "  "+p.String())
		}
		return strings.Join(lines, "\n")
	}
	s := fmt.Sprintf("account %s: head rebuilt: seq %d → %d, balance %d → %d", r.AccountID,
		r.Before.LastSeq, r.After.LastSeq, r.Before.Balance, r.After.Balance)
	if r.Against > 0 {
		s += "; the entries were believed although the head or operations say otherwise"
	}
	return s
}
