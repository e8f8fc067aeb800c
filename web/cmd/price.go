package cmd

import (
	"fmt"
	"text/tabwriter"

	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/pricing"
)

type priceCmd struct {
	Set  priceSetCmd  `cmd:"" help:"Append a rule version and put it in force; creates the action where it is new."`
	List priceListCmd `cmd:"" help:"List actions with their price in force."`
}

type priceSetCmd struct {
	Action      string `arg:"" help:"Action, e.g. video_render."`
	Unit        string `required:"" help:"What is counted, e.g. second."`
	UnitPrice   int64  `required:"" help:"Thousandths of a credit a unit."`
	Minimum     int64  `help:"Least cost of a job, in credits."`
	DiscountBps int64  `help:"Discount in hundredths of a percent, 0 to 10000."`
	Rounding    string `default:"half_even" enum:"up,down,half_even" help:"How the one rounding at the end goes: ${enum}."`
	Reason      string `required:"" help:"Why; kept with the rule version."`
	OperationID string `help:"Operation id, so that the same command twice has one effect; a fresh one when not given."`
}

func (c priceSetCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	if c.OperationID == "" {
		c.OperationID = ids.New()
	}
	out, err := a.pricing.SetPrice(e.ctx, pricing.NewRule{OperationID: c.OperationID, Actor: operator(), Action: c.Action, Unit: c.Unit,
		UnitPrice: c.UnitPrice, Minimum: c.Minimum, DiscountBps: c.DiscountBps, Rounding: credit.Rounding(c.Rounding), Reason: c.Reason})
	if err != nil {
		return err
	}
	var r pricing.RuleResult
	if err := out.Decode(&r); err != nil {
		return err
	}
	was := r.Previous
	if was == "" {
		was = "none"
	}
	fmt.Fprintf(e.out, "%s is in force (before: %s)\n", r.RuleVersion, was)
	return nil
}

type priceListCmd struct{}

func (priceListCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	actions, err := a.pricing.Actions(e.ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE VERSION\tUNIT\tUNIT PRICE (1/1000 CREDIT)\tMINIMUM\tDISCOUNT (BPS)\tROUNDING")
	for _, x := range actions {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\n", x.Rule.ID, x.Unit, x.Rule.UnitPrice, x.Rule.Minimum, x.Rule.DiscountBps, x.Rule.Rounding)
	}
	return w.Flush()
}
