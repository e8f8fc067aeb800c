package cmd

import (
	"errors"
	"fmt"
	"time"

	"recoup/models/verify"
)

type verifyCmd struct {
	Account            string        `help:"Look at this account only."`
	Prefix             string        `help:"Look at accounts whose id begins so."`
	Grace              time.Duration `default:"2m" help:"How long past its time a job may wait for the sweeper."`
	Workers            int           `help:"Connections that read at once; one a processor when not given."`
	RebuildHeads       bool          `help:"Put the head of every account right that differs from its entries; needs --reason."`
	BelieveEntries     bool          `help:"With --rebuild-heads: also where the head or operations know of other entries than there are. Compare with a backup and the anchor file first."`
	RebuildRollup      bool          `help:"Compute the derived sums anew from the entries; needs --reason."`
	RewriteCheckpoints bool          `help:"Compute the sums that long accounts' totals come from anew."`
	RewriteTallies     bool          `help:"Count the open dead letters of all groups anew."`
	Reason             string        `help:"Why heads or sums are rebuilt; kept in the audit log."`
	Anchors            string        `help:"Compare with the anchors in this file, beside those in the database; RECOUP_ANCHOR_FILE when not given." type:"existingfile"`
	AnchorCount        int           `default:"7" help:"How many of the newest anchors to compare; older ones take turns, a night's at a time."`
	AllAnchors         bool          `help:"Compare every anchor there is."`
	Quiet              bool          `help:"Print no problems, only the sum."`
}

// Run exits with 0 when nothing is wrong and with 1 when something is.
func (c verifyCmd) Run(e *env) error {
	if (c.RebuildHeads || c.RebuildRollup) && c.Reason == "" {
		return errors.New("rebuilding needs --reason: it is kept in the audit log. Nothing was done")
	}
	if c.BelieveEntries && !c.RebuildHeads {
		return errors.New("--believe-entries is for --rebuild-heads. Nothing was done")
	}
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	v := verify.New(a.g)
	if c.RebuildHeads {
		sum, err := v.RebuildHeads(e.ctx, verify.RebuildRequest{Actor: operator(), Reason: c.Reason, BelieveEntries: c.BelieveEntries}, func(r verify.Rebuilt) error {
			_, err := fmt.Fprintln(e.out, r)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%d heads rebuilt, %d refused\n", sum.Rebuilt, sum.Refused)
		if sum.Refused > 0 {
			return errSilent
		}
		return nil
	}
	if c.RebuildRollup {
		through, err := v.RebuildRollup(e.ctx, operator(), c.Reason, a.rollup)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "all entries before %s are in the rollup\n", through.Format(time.RFC3339))
		return nil
	}
	if c.RewriteCheckpoints {
		n, err := a.ledger.RewriteCheckpoints(e.ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%d checkpoints written\n", n)
		return nil
	}
	if c.RewriteTallies {
		n, err := a.letters.RewriteTallies(e.ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.out, "%d tallies written\n", n)
		return nil
	}
	var evidence verify.Evidence
	report, err := v.Run(e.ctx, verify.Options{Grace: c.Grace, AccountID: c.Account, Prefix: c.Prefix, Workers: c.Workers,
		OnProblem: func(p verify.Problem) error {
			if c.Quiet {
				return evidence.Add(p)
			}
			_, err := fmt.Fprintln(e.out, p)
			return errors.Join(err, evidence.Add(p))
		}})
	if err != nil {
		return err
	}
	if report.Partial && report.Accounts == 0 {
		return errors.New("no account matches: nothing was verified")
	}
	// Before the sum is said: what the anchors tell is a part of it.
	differ, err := c.anchors(e, v, a.cfg.AnchorFile, &report)
	if err != nil {
		return err
	}
	if err := verify.WriteText(e.out, report); err != nil {
		return err
	}
	for _, p := range differ {
		if err := evidence.Add(p); err != nil {
			return err
		}
	}
	if !report.Partial {
		if _, err := v.Keep(e.ctx, verify.Record{Report: report, Evidence: &evidence, RequestedBy: operator().String()}); err != nil {
			return err
		}
	}
	if !report.OK() {
		return errSilent
	}
	return nil
}

// anchors compares the ledger with the anchors in the database and with those kept outside it, which are the ones that a cut tail would
// miss. What differs is added to the report and returned.
func (c verifyCmd) anchors(e *env, v *verify.Verifier, file string, report *verify.Report) ([]verify.Problem, error) {
	if c.Anchors != "" {
		file = c.Anchors
	}
	lists, err := anchorLists(e.ctx, v, file)
	if err != nil {
		return nil, err
	}
	compared, err := v.CompareAnchors(e.ctx, lists, verify.AnchorChoice{Newest: c.AnchorCount, All: c.AllAnchors})
	if err != nil {
		return nil, err
	}
	if len(compared) == 0 {
		fmt.Fprintln(e.out, "no anchor is there to be compared")
	}
	var problems []verify.Problem
	for _, x := range compared {
		for _, p := range x.Problems {
			fmt.Fprintln(e.out, p)
		}
		where := "in the database"
		if x.Check == verify.CheckAnchorFile {
			where = "of " + file
		}
		fmt.Fprintf(e.out, "%d of %d anchors %s checked, %d differ\n", x.Looked, x.Kept, where, len(x.Problems))
		report.Add(x)
		problems = append(problems, x.Problems...)
	}
	return problems, nil
}
