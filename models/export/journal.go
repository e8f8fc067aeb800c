package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"recoup/models/ledger"
)

// commodity is the unit of amounts in a journal.
const commodity = "credits"

// journal writes plain-text accounting: one transaction an entry, with tags for what it belongs to. What
// customers hold is a liability; the other side says where credits come from and what they go to.
type journal struct {
	w    *bufio.Writer
	zone *time.Location
	err  error
}

func newJournal(out io.Writer, zone *time.Location) *journal {
	j := &journal{w: bufio.NewWriter(out), zone: zone}
	j.printf("; Recoup ledger. Times in %s. Customers' credits are a liability, so their balances are negative here.\n", zone)
	j.printf("commodity 1. %s\n\n", commodity)
	return j
}

func (j *journal) printf(format string, args ...any) {
	if j.err == nil {
		_, j.err = fmt.Fprintf(j.w, format, args...)
	}
}

// Write adds one transaction.
func (j *journal) Write(e ledger.Entry) error {
	at := e.CreatedAt.In(j.zone)
	j.printf("%s * (%s) %s\n", at.Format(time.DateOnly), code(fmt.Sprintf("%s/%d", e.AccountID, e.Seq)), e.Type)
	tag := func(name, value string) {
		if value != "" {
			j.printf("    ; %s: %s\n", name, tagValue(value))
		}
	}
	tag("time", at.Format("15:04:05.000000-07:00"))
	tag("account", e.AccountID)
	tag("job", text(e.JobID))
	tag("action", text(e.JobAction))
	tag("operation", e.OperationID)
	tag("rule_version", text(e.RuleVersion))
	tag("rollout", text(e.RolloutID))
	tag("cohort", text(e.Cohort))
	tag("actor", e.Actor)
	tag("category", text(e.Category))
	tag("reference", text(e.Reference))
	tag("reason", text(e.Reason))
	// The customer's side carries the opposite sign: a grant makes us owe more.
	j.printf("    liabilities:customers:%s  %s %s\n", AccountName(e.AccountID), negated(e.Amount), commodity)
	j.printf("    %s  %d %s\n\n", counterpart(e), e.Amount, commodity)
	return j.err
}

// negated is −n as text; the smallest number has no opposite of its own size.
func negated(n int64) string {
	s := fmt.Sprintf("%d", n)
	switch {
	case n == 0:
		return s
	case n < 0:
		return s[1:]
	}
	return "-" + s
}

// counterpart is the other side of an entry.
func counterpart(e ledger.Entry) string {
	switch e.Type {
	case ledger.Grant:
		category := text(e.Category)
		if category == "" {
			category = "paid"
		}
		return "equity:granted:" + category
	case ledger.Adjustment:
		return "equity:adjustments"
	case ledger.Charge, ledger.Refund, ledger.Reclaim:
		action := text(e.JobAction)
		if action == "" {
			action = "unknown"
		}
		return "revenue:" + string(e.Type) + ":" + AccountName(action)
	}
	return "equity:unknown"
}

func (j *journal) Close() error {
	if j.err != nil {
		return j.err
	}
	return j.w.Flush()
}

// AccountName makes an id safe as one level of an account name: a colon would nest, so colons, and the
// sign that stands for them, are escaped.
func AccountName(id string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A").Replace(id)
}

// tagValue keeps a value on one line and in one piece: a comma ends a tag.
func tagValue(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.ReplaceAll(s, ",", "‚")
}

// code keeps a transaction's code within its parentheses.
func code(s string) string { return strings.NewReplacer("(", "[", ")", "]").Replace(s) }
