package drill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// Entry is a row of an account's ledger as the API shows it.
type Entry struct {
	Seq          int64  `json:"seq"`
	Type         string `json:"type"`
	Amount       int64  `json:"amount"`
	BalanceAfter int64  `json:"balance_after"`
	JobID        string `json:"job_id"`
	OperationID  string `json:"operation_id"`
	Actor        string `json:"actor"`
	attribution
}

// attribution is the decision that priced a job; empty members where there is none.
type attribution struct {
	RuleVersion string  `json:"rule_version"`
	RolloutID   *string `json:"rollout_id"`
	Cohort      string  `json:"cohort"`
}

// is reports whether this is the attribution of a decision.
func (a attribution) is(d decided) bool {
	return a.RuleVersion == d.rule && text(a.RolloutID) == d.rollout && a.Cohort == d.cohort
}

// JobView is a job as the API shows it.
type JobView struct {
	AccountID   string     `json:"account_id"`
	JobID       string     `json:"job_id"`
	Action      string     `json:"action"`
	Units       int64      `json:"units"`
	State       string     `json:"state"`
	Cost        int64      `json:"cost"`
	Net         int64      `json:"net"`
	IsRefunded  bool       `json:"is_refunded"`
	IsReclaimed bool       `json:"is_reclaimed"`
	DeliveredAt *time.Time `json:"delivered_at"`
	Attempt     int        `json:"attempt"`
	MaxAttempts int        `json:"max_attempts"`
	Generation  int        `json:"generation"`
	NotBefore   time.Time  `json:"not_before"`
	ExpiresAt   time.Time  `json:"expires_at"`
	// LateSuccess is the state a late success found, nil when there was none.
	LateSuccess *string `json:"late_success_of"`
	attribution
}

// Evidence is what a job's guards saw.
type Evidence struct {
	RefundSignals   int64 `json:"refund_signals"`
	RefundsApplied  int64 `json:"refunds_applied"`
	ReclaimSignals  int64 `json:"reclaim_signals"`
	ReclaimsApplied int64 `json:"reclaims_applied"`
	Replays         int64 `json:"replays"`
	Conflicts       int64 `json:"conflicts"`
}

// Balance is an account's balance and the newest entry it includes.
type Balance struct {
	Balance int64 `json:"balance"`
	AsOfSeq int64 `json:"as_of_seq"`
}

// claimed is a job handed out to a worker.
type claimed struct {
	AccountID  string    `json:"account_id"`
	JobID      string    `json:"job_id"`
	Attempt    int       `json:"attempt"`
	LeaseToken string    `json:"lease_token"`
	LeaseUntil time.Time `json:"lease_until"`
}

// changed is what the results of charges, grants, signals, completions and failures have in common.
type changed struct {
	Outcome string   `json:"outcome"`
	Entry   *Entry   `json:"entry"`
	Job     *JobView `json:"job"`
	// Signal is set for completions and failures, which wrap what their signal did.
	Signal *changed `json:"signal"`
}

// readChanged unwraps a result.
func readChanged(result json.RawMessage) (changed, error) {
	var c changed
	if err := json.Unmarshal(result, &c); err != nil {
		return c, fmt.Errorf("drill: a result that cannot be read: %w", err)
	}
	if c.Signal != nil {
		c.Entry, c.Job, c.Outcome = c.Signal.Entry, c.Signal.Job, c.Signal.Outcome
	}
	return c, nil
}

func accountPath(account string) string { return "/v1/accounts/" + url.PathEscape(account) }

func jobPath(account, job string) string {
	return accountPath(account) + "/jobs/" + url.PathEscape(job)
}

// Balance, Entries, Job and Operation make the client a Source for the recount.

// Balance reads an account's balance; false when there is no such account.
func (c *client) Balance(ctx context.Context, account string) (Balance, bool, error) {
	var b Balance
	found, err := c.get(ctx, accountPath(account)+"/balance", &b)
	return b, found, err
}

// Entries hands out an account's entries, newest first, page by page.
func (c *client) Entries(ctx context.Context, account string, take func(Entry)) error {
	for cursor := ""; ; {
		var page struct {
			Entries []Entry `json:"entries"`
			Next    string  `json:"next_cursor"`
		}
		q := url.Values{"limit": {strconv.Itoa(largestPage)}}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		if found, err := c.get(ctx, accountPath(account)+"/entries?"+q.Encode(), &page); err != nil || !found {
			return errors.Join(err, missing(found, "account "+account))
		}
		for _, e := range page.Entries {
			take(e)
		}
		if page.Next == "" {
			return nil
		}
		if page.Next == cursor {
			return fmt.Errorf("drill: the pages of account %s's entries do not end", account)
		}
		cursor = page.Next
	}
}

// largestPage is the largest page the API gives.
const largestPage = 500

// DeadLetters hands out every open dead letter of the system, page by page.
func (c *client) DeadLetters(ctx context.Context, take func(account, job string)) error {
	for cursor := ""; ; {
		var page struct {
			Jobs []JobView `json:"jobs"`
			Next string    `json:"next_cursor"`
		}
		q := url.Values{"limit": {strconv.Itoa(largestPage)}}
		if cursor != "" {
			q.Set("cursor", cursor)
		}
		if found, err := c.get(ctx, "/v1/dead-letters?"+q.Encode(), &page); err != nil || !found {
			return errors.Join(err, missing(found, "the list of dead letters"))
		}
		for _, j := range page.Jobs {
			take(j.AccountID, j.JobID)
		}
		if page.Next == "" {
			return nil
		}
		if page.Next == cursor {
			return errors.New("drill: the pages of dead letters do not end")
		}
		cursor = page.Next
	}
}

func missing(found bool, what string) error {
	if found {
		return nil
	}
	return fmt.Errorf("drill: %s is not there", what)
}

// Job reads a job; false when there is none.
func (c *client) Job(ctx context.Context, account, job string) (JobView, Evidence, bool, error) {
	var out struct {
		Job      JobView  `json:"job"`
		Evidence Evidence `json:"evidence"`
	}
	found, err := c.get(ctx, jobPath(account, job), &out)
	return out.Job, out.Evidence, found, err
}

// Operation reads the stored result of an operation; false when there is none.
func (c *client) Operation(ctx context.Context, scope, id string) (json.RawMessage, bool, error) {
	var out struct {
		Operation struct {
			Result json.RawMessage `json:"result"`
		} `json:"operation"`
	}
	found, err := c.get(ctx, "/v1/operations?"+url.Values{"scope": {scope}, "id": {id}}.Encode(), &out)
	return out.Operation.Result, found, err
}
