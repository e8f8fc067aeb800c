package cmd

import (
	"context"
	"fmt"
	"text/tabwriter"

	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/pricing"
)

type priceCmd struct {
	Set  priceSetCmd  `cmd:"" help:"Append a rule version and put it in force; creates the action where it is new."`
	Make priceMakeCmd `cmd:"" help:"Append a rule version without putting it in force, for a rollout to try."`
	List priceListCmd `cmd:"" help:"List actions with their price in force."`
}

// newPrice is a rule version to be made.
type newPrice struct {
	Action      string `arg:"" help:"Action, e.g. video_render."`
	Unit        string `required:"" help:"What is counted, e.g. second."`
	UnitPrice   int64  `required:"" help:"Thousandths of a credit a unit."`
	Minimum     int64  `help:"Least cost of a job, in credits."`
	DiscountBps int64  `help:"Discount in hundredths of a percent, 0 to 10000."`
	Rounding    string `default:"half_even" enum:"up,down,half_even" help:"How the one rounding at the end goes: ${enum}."`
	Reason      string `required:"" help:"Why; kept with the rule version."`
	OperationID string `help:"Operation id, so that the same command twice has one effect; a fresh one when not given."`
}

// rule is what the model makes of it.
func (c newPrice) rule() pricing.NewRule {
	if c.OperationID == "" {
		c.OperationID = ids.New()
	}
	return pricing.NewRule{OperationID: c.OperationID, Actor: operator(), Action: c.Action, Unit: c.Unit,
		UnitPrice: c.UnitPrice, Minimum: c.Minimum, DiscountBps: c.DiscountBps, Rounding: credit.Rounding(c.Rounding), Reason: c.Reason}
}

// make appends the version with one of the two ways of the model.
func (c newPrice) make(e *env, how func(*pricing.Service, context.Context, pricing.NewRule) (operation.Outcome, error)) (pricing.RuleResult, error) {
	var r pricing.RuleResult
	a, err := openFor(e)
	if err != nil {
		return r, err
	}
	defer a.close(e.ctx)
	out, err := how(a.pricing, e.ctx, c.rule())
	if err != nil {
		return r, err
	}
	return r, out.Decode(&r)
}

type priceSetCmd struct{ newPrice }

func (c priceSetCmd) Run(e *env) error {
	r, err := c.make(e, (*pricing.Service).SetPrice)
	if err != nil {
		return err
	}
	was := r.Previous
	if was == "" {
		was = "none"
	}
	fmt.Fprintf(e.out, "%s is in force (before: %s)\n", r.RuleVersion, was)
	return nil
}

type priceMakeCmd struct{ newPrice }

func (c priceMakeCmd) Run(e *env) error {
	r, err := c.make(e, (*pricing.Service).CreateRule)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s is made and not in force\n", r.RuleVersion)
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
