package views_test

import (
	"time"

	"recoup/views/integrity"
	"recoup/views/text"
	"recoup/views/ui"
)

func (s sample) integrityRow(passed bool) integrity.Row {
	r := integrity.Row{ID: "7", URL: "/integrity/runs/7", At: s.at(9 * time.Hour), Took: s.l.Duration(12 * time.Second), State: "passed", Problems: "0", By: s.l.T("actor.system"),
		Read: s.l.T("integrity.read", s.l.N("count.entries", 5012345), "11,840", "1,402,118")}
	if !passed {
		r.State, r.Problems = "inconsistent", "3"
	}
	return r
}

func (s sample) integrityRules() []integrity.Rule {
	var rules []integrity.Rule
	for _, name := range []string{"L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10", "J2", "J3", "J4", "O1", "O2", "A1", "R1", "R6", "P2", "P5", "S2", "S3", "S4", "S7", "S13", "C1", "C2", "C3", "T1", "T4"} {
		r := integrity.Rule{Name: name, Say: s.l.Maybe("rule."+name, name), State: "passed", Problems: "0", Checks: []string{s.l.Maybe("check.seq", ""), s.l.Maybe("check.balance", "")},
			Kept: []string{"entries.entries_pkey", "entries.entries_chain"}}
		switch name {
		case "P2":
			r.Checks, r.Checked = nil, s.l.N("count.kept", 2)
		case "S3":
			r.Checks, r.Kept, r.Off, r.State, r.Problems = nil, []string{"rollouts.rollouts_one_live"}, []string{"rollouts.rollouts_one_live"}, "inconsistent", "1"
		case "L7":
			r.State, r.Problems = "unknown", ""
		case "L8":
			r.State, r.Problems = "inconsistent", "3"
			r.Broken = []integrity.Broken{{Check: s.l.Maybe("check.head", ""), Count: s.l.N("count.problems", 3), URL: "/integrity/runs/7?check=head", Next: s.l.Maybe("next.heads", "")}}
		}
		rules = append(rules, r)
	}
	return rules
}

func (s sample) integrity() integrity.Model {
	last := s.integrityRow(false)
	return integrity.Model{Last: &last, Rules: s.integrityRules(), RunURL: "/integrity/run", Zone: "JST", List: s.list(false),
		Failed: s.at(time.Hour), FailedWhy: "It failed again and again.", Rows: []integrity.Row{last, s.integrityRow(true)}}
}

func (s sample) integrityLive() integrity.Model {
	m := s.integrity()
	m.Failed, m.RunURL = text.Stamp{}, ""
	m.Live = &integrity.Live{State: "running", By: "Mika Sato", At: s.at(time.Minute), Done: "2000000", Total: "5012345", ProgressURL: "/integrity/progress?task=x",
		CancelURL: "/integrity/tasks/x/cancel", Say: s.l.T("integrity.progress", "4,000", "11,840", "2,000,000", "5,012,345", "700,000", "0")}
	return m
}

func (s sample) integrityRun() integrity.Run {
	return integrity.Run{Row: s.integrityRow(false), Rules: s.integrityRules(), Digest: "6a1f0c1c7d3f4f2b8a5b9d0e6a1f0c1c7d3f4f2b8a5b9d0e6a1f0c1c7d3f4f2b", Zone: "JST", List: s.list(false),
		Checks: []ui.Choice{{Text: s.l.T("integrity.all_checks"), URL: "/integrity/runs/7", Current: true, Count: "3"}, {Text: s.l.Maybe("check.head", ""), URL: "/integrity/runs/7?check=head", Count: "3"}},
		Problems: []integrity.Problem{
			{Check: s.l.Maybe("check.head", ""), Account: account("acct_7Q2M"), Finding: ui.Finding{Message: "The account row does not repeat the newest entry.",
				Expected: "balance 9007199254740993, last_hash 6a1f0c1c7d3f4f2b8a5b9d0e6a1f0c1c7d3f4f2b8a5b9d0e6a1f0c1c7d3f4f2b", Found: "balance 5, last_hash 00"}},
			{Check: s.l.Maybe("check.amount", ""), Account: account("acct_7Q2M"), Entry: ui.Link{Text: "4,110", URL: "/e"}, Job: job("vr-20377"), Finding: ui.Finding{Message: "The charge does not move exactly the job's cost.", Expected: "-36", Found: "-37"}},
			{Check: s.l.Maybe("check.triggers", ""), Finding: ui.Finding{Message: "The trigger entries.entries_append_only_row does not say what this program's schema has it say. Rule L1 relies on it.",
				Expected: "entries.entries_append_only_row always: CREATE TRIGGER entries_append_only_row BEFORE DELETE OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change()",
				Found:    "always: CREATE TRIGGER entries_append_only_row BEFORE DELETE OR UPDATE ON entries FOR EACH ROW WHEN (false) EXECUTE FUNCTION refuse_change()"}},
		}}
}
