package cmd

import (
	"fmt"
	"io"
	"os"

	"recoup/models/costimport"
	"recoup/models/fault"
	"recoup/models/ids"
)

type importCmd struct {
	Costs importCostsCmd `cmd:"" help:"Import a provider's bill as cost records: the whole file or nothing."`
}

type importCostsCmd struct {
	File      string `arg:"" help:"CSV file; - for standard input."`
	Source    string `required:"" help:"Who billed, e.g. aws; external ids are unique in it."`
	Format    string `default:"recoup" enum:"recoup,focus" help:"Own columns or FOCUS 1.0: ${enum}."`
	Amount    string `default:"BilledCost" enum:"BilledCost,EffectiveCost" help:"FOCUS: the column of the amount, ${enum}."`
	LineID    string `name:"line-id" help:"FOCUS: the column that identifies a line. Without one the whole row does, and how often it came before in the file."`
	Account   string `help:"FOCUS: the column, or Tags.KEY, with the account's id. Without one the job or operation is written account/id."`
	Job       string `help:"FOCUS: the column, or Tags.KEY, with the job's id."`
	Operation string `help:"FOCUS: the column, or Tags.KEY, with the operation's id, in the place of a job."`
	Action    string `help:"FOCUS: the column, or Tags.KEY, with the action."`
	Check     bool   `help:"Read and sum up only; import nothing."`
}

// Help is printed below the usage.
func (importCostsCmd) Help() string {
	return `Own columns are external_id, amount, currency, time, and as needed until, account_id, job_id, operation_id, action,
description and dimension:NAME. A line that is not right is named, and then nothing is imported. The same file
twice has one effect.`
}

func (c importCostsCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	content, err := readBounded(c.File, costimport.ForCommand().Bytes)
	if err != nil {
		return err
	}
	mapping := costimport.Mapping{Format: costimport.Format(c.Format)}
	if mapping.Format == costimport.Focus {
		mapping = costimport.Mapping{Format: costimport.Focus, LineID: c.LineID, Amount: c.Amount, Account: c.Account, Job: c.Job, Operation: c.Operation, Action: c.Action}
	}
	file, err := a.imports.ReadForCommand(e.ctx, content, mapping)
	if err != nil {
		return err
	}
	for _, p := range file.Problems {
		fmt.Fprintln(e.out, p)
	}
	if file.More {
		fmt.Fprintln(e.out, "… and more")
	}
	if !file.Sound() {
		fmt.Fprintf(e.out, "Nothing was imported: %d lines were read, and the file is not right.\n", file.Count)
		return errSilent
	}
	for _, t := range file.Totals {
		fmt.Fprintf(e.out, "%s %s in %d lines\n", t.Currency, t.Amount, t.Count)
	}
	if c.Check {
		fmt.Fprintln(e.out, "Nothing was imported: --check reads only.")
		return nil
	}
	r, err := a.imports.Import(e.ctx, costimport.ImportRequest{Actor: operator(), RequestID: ids.New(), Source: c.Source, ImportID: ids.New(),
		Digest: costimport.Digest(content, mapping), File: file})
	if f := fault.As(err); f != nil {
		return fmt.Errorf("nothing was imported: %w", f)
	}
	if err != nil {
		return err
	}
	if r.Again {
		fmt.Fprint(e.out, "This file was imported before; nothing was written now. Then: ")
	}
	fmt.Fprintf(e.out, "%d recorded (%d attributed, %d overhead, %d unattributed), %d were there already\n", r.Recorded, r.Attributed, r.Overhead, r.Unattributed, r.Replayed)
	return nil
}

// readBounded reads a whole file, or standard input for "-", up to a limit.
func readBounded(name string, limit int64) ([]byte, error) {
	in := io.Reader(os.Stdin)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	content, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return content, nil
}
