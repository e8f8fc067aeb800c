package present

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"recoup/models/task"
	"recoup/models/verify"
	"recoup/views/integrity"
	"recoup/views/ui"
)

// CheckName is a check in the words of the person.
func (p Presenter) CheckName(c verify.Check) string { return p.L.Maybe("check."+string(c), string(c)) }

// Integrity is the page of all invariants after the last run; nil when there was none. missing is what the database lacks of
// what rules are kept by, as verify.NotInForce says, made are the runs before it that made the checks it left out, as
// verify.MadeBefore says; runURL leads to a run.
func (p Presenter) Integrity(last *verify.Run, missing map[string]bool, made map[verify.Check]verify.Run, runURL func(int64) string) integrity.Model {
	if last == nil {
		return integrity.Model{Rules: p.invariants(verify.Run{}, nil, nil, runURL)}
	}
	row := p.VerifyRun(*last, runURL(last.ID))
	m := integrity.Model{Last: &row, Rules: p.invariants(*last, missing, made, runURL)}
	if n := standing(made); n > 0 {
		m.Standing = p.L.N("count.problems", n)
	}
	return m
}

// standing is how much the runs found that made checks which the last one left out.
func standing(made map[verify.Check]verify.Run) (n int64) {
	for c, run := range made {
		n += run.ByCheck[c]
	}
	return n
}

// RunPage is the page of one run; its problems are the caller's to fill in.
func (p Presenter) RunPage(run verify.Run, missing map[string]bool, made map[verify.Check]verify.Run, runURL func(int64) string) integrity.Run {
	row := p.VerifyRun(run, runURL(run.ID))
	return integrity.Run{Row: row, Rules: p.invariants(run, missing, made, runURL), Digest: run.HeadsDigest}
}

// VerifyRun is one run of the history.
func (p Presenter) VerifyRun(run verify.Run, to string) integrity.Row {
	row := integrity.Row{ID: strconv.FormatInt(run.ID, 10), URL: to, At: p.L.Stamp(run.Started, p.Now), Took: p.L.Duration(run.Finished.Sub(run.Started)),
		Read:     p.L.T("integrity.read", p.L.N("count.entries", run.Entries), p.L.Credits(run.Accounts), p.L.Credits(run.Jobs)),
		Problems: p.L.Credits(run.Problems), State: "passed", By: p.L.T("integrity.by_command")}
	if !run.OK() {
		row.State = "inconsistent"
	}
	if run.RequestedBy != "" {
		row.By = p.actor(run.RequestedBy)
	}
	return row
}

// invariants say of every invariant what a run found, and of checks that it left out what the run said that made them. Checks of no known rule
// follow under their own names.
func (p Presenter) invariants(run verify.Run, missing map[string]bool, made map[verify.Check]verify.Run, runURL func(int64) string) []integrity.Rule {
	var out []integrity.Rule
	known := map[verify.Check]bool{}
	for _, in := range verify.Invariants() {
		rule := integrity.Rule{Name: in.Rule, Say: p.L.Maybe("rule."+in.Rule, in.Rule), State: "unknown"}
		var problems int64
		var took time.Duration
		for _, c := range in.Checks {
			known[c] = true
			rule.Checks = append(rule.Checks, p.CheckName(c))
			checked := slices.Contains(run.Checks, c)
			before, ever := made[c]
			if !checked && !ever && slices.Contains(verify.Optional(), c) {
				rule.Without = append(rule.Without, p.CheckName(c))
				continue
			}
			n, by := run.ByCheck[c], run.ID
			if !checked && n == 0 && before.ByCheck[c] > 0 {
				n, by = before.ByCheck[c], before.ID
			}
			problems += n
			if checked && rule.Checked == "" {
				rule.Checked = p.checked(run, c)
			}
			if took = max(took, run.Took[c]); !checked && run.ID != 0 {
				rule.Missing = append(rule.Missing, p.CheckName(c))
			}
			if n > 0 {
				rule.State = "inconsistent"
				rule.Broken = append(rule.Broken, integrity.Broken{Check: p.CheckName(c), Count: p.L.N("count.problems", n),
					URL: runURL(by) + "?" + url.Values{"check": {string(c)}}.Encode(), Next: p.L.Maybe("next."+next(c), "")})
			}
		}
		// One check that found nothing does not speak for those that were not made.
		if len(in.Checks) > 0 && run.ID != 0 && len(rule.Missing) == 0 && rule.State == "unknown" {
			rule.State = "passed"
		}
		if took > 0 {
			rule.Took = p.L.Duration(took)
		}
		if in.Held != "" {
			rule.Held, rule.State = string(in.Held), "not_read_back"
			out = append(out, rule)
			continue
		}
		problems += p.kept(&rule, in, run, missing)
		if rule.State != "unknown" {
			rule.Problems = p.L.Credits(problems)
		}
		out = append(out, rule)
	}
	for c, n := range run.ByCheck {
		if !known[c] {
			out = append(out, integrity.Rule{Name: string(c), Say: p.CheckName(c), State: "inconsistent", Problems: p.L.Credits(n)})
		}
	}
	return out
}

// kept says of a rule what the database keeps it by and whether that was in force, and returns how much of it was not.
func (p Presenter) kept(rule *integrity.Rule, in verify.Invariant, run verify.Run, missing map[string]bool) (off int64) {
	rule.Kept = in.Kept
	if len(in.Checks) == 0 && slices.Contains(run.Checks, verify.CheckKept) {
		rule.State = "passed"
		rule.Checked = p.L.N("count.kept", int64(len(in.Kept)))
		if took := run.Took[verify.CheckKept]; took > 0 {
			rule.Took = p.L.Duration(took)
		}
	}
	if slices.Contains(in.Checks, verify.CheckKept) {
		return 0 // counted as the problems of its checks
	}
	for _, name := range in.Kept {
		if missing[name] {
			rule.State, rule.Off = "inconsistent", append(rule.Off, name)
			off++
		}
	}
	return off
}

// checked says how much of what a check reads a run has read; "" for checks of which nothing is counted.
func (p Presenter) checked(run verify.Run, c verify.Check) string {
	switch c {
	case verify.CheckSeq, verify.CheckTime, verify.CheckBalance, verify.CheckCovered, verify.CheckHash, verify.CheckOnce, verify.CheckAttribution, verify.CheckAmount,
		verify.CheckOrder, verify.CheckResult, verify.CheckRollup, verify.CheckCheckpoint, verify.CheckMonth:
		return p.L.N("count.entries", run.Entries)
	case verify.CheckHead, verify.CheckNegativeSince, verify.CheckCut, verify.CheckAnchor, verify.CheckAnchorFile:
		return p.L.N("count.accounts", run.Accounts)
	case verify.CheckFlags, verify.CheckJob, verify.CheckDecision, verify.CheckSettlement, verify.CheckLine, verify.CheckStuck, verify.CheckLetter:
		return p.L.N("count.jobs", run.Jobs)
	}
	return ""
}

// next names what to do about the problems of a check.
func next(c verify.Check) string {
	switch c {
	case verify.CheckHead, verify.CheckNegativeSince:
		return "heads"
	case verify.CheckTriggers, verify.CheckKept:
		return "triggers"
	case verify.CheckCost, verify.CheckFinding:
		return "rollout"
	case verify.CheckRollup:
		return "rollup"
	case verify.CheckCheckpoint:
		return "checkpoint"
	case verify.CheckLetter:
		return "letter"
	case verify.CheckTally:
		return "tally"
	case verify.CheckLine, verify.CheckStuck:
		return "work"
	case verify.CheckSeq, verify.CheckTime, verify.CheckBalance, verify.CheckCovered, verify.CheckHash, verify.CheckCut, verify.CheckAnchor, verify.CheckAnchorFile, verify.CheckMonth, verify.CheckResult,
		verify.CheckPrice, verify.CheckBucket, verify.CheckApproval:
		return "chain"
	}
	return "job"
}

// CheckChoices are the checks of a run that found something, as links; none where only one did.
func (p Presenter) CheckChoices(run verify.Run, current verify.Check, path string) []ui.Choice {
	if len(run.ByCheck) < 2 && current == "" {
		return nil
	}
	choices := []ui.Choice{{Text: p.L.T("integrity.all_checks"), URL: path, Current: current == "", Count: p.L.Credits(run.Problems)}}
	for _, c := range verify.Checks() {
		if n := run.ByCheck[c]; n > 0 {
			choices = append(choices, ui.Choice{Text: p.CheckName(c), URL: path + "?" + url.Values{"check": {string(c)}}.Encode(), Current: current == c, Count: p.L.Credits(n)})
		}
	}
	return choices
}

// Problem is one row that is not what it must be.
func (p Presenter) Problem(x verify.Problem) integrity.Problem {
	v := integrity.Problem{Check: p.CheckName(x.Check), Finding: p.verified(x)}
	if x.AccountID == "" {
		return v
	}
	v.Account = Account(x.AccountID)
	if x.Seq > 0 {
		v.Entry = ui.Link{Text: strconv.FormatInt(x.Seq, 10), URL: EntryURL(x.AccountID, x.Seq)}
	}
	if x.JobID != "" {
		v.Job = Job(x.AccountID, x.JobID)
	}
	return v
}

// verified says what is wrong with a row, what it should be and what it is.
func (p Presenter) verified(x verify.Problem) ui.Finding {
	f := ui.Finding{Say: p.L.Maybe("wrong."+string(x.Check), x.Message), Message: x.Message, Expected: p.checkedValue(x.Expected), Found: p.checkedValue(x.Found)}
	if x.Check == verify.CheckKept || x.Check == verify.CheckTriggers {
		// A definition is what PostgreSQL says: commas in it divide nothing, and only what stands in its place is worded.
		f.Expected, f.Found = p.definition(x.Expected), p.definition(x.Found)
	}
	return f
}

// LiveRun is a run that waits or is on.
func (p Presenter) LiveRun(t task.Task, now verify.Progress, of verify.Totals) *integrity.Live {
	live := &integrity.Live{State: "queued", By: p.actor(t.RequestedBy), At: p.L.Stamp(t.CreatedAt, p.Now), Say: p.L.T("integrity.waits")}
	if t.State == task.Running {
		live.State = "running"
		live.Say = p.L.T("integrity.progress", p.L.Credits(now.Accounts), p.L.Credits(max(now.Accounts, of.Accounts)), p.L.Credits(now.Entries),
			p.L.Credits(max(now.Entries, of.Entries)), p.L.Credits(now.Jobs), p.L.Credits(now.Problems))
		if t.Total > 0 {
			live.Done, live.Total = strconv.FormatInt(t.Done, 10), strconv.FormatInt(t.Total, 10)
		}
	}
	return live
}
