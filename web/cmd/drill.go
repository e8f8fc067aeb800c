package cmd

import (
	"time"

	"recoup/web/drill"
)

type drillCmd struct {
	Jobs         string        `required:"" type:"existingfile" help:"Job trace, a CSV file; docs/drill.md tells its columns."`
	URL          string        `help:"Address of a running system; a private one is started when not given."`
	Key          string        `help:"API key at the running system; RECOUP_DRILL_KEY in the environment is better." env:"RECOUP_DRILL_KEY"`
	Workers      int           `default:"32" help:"Workers at once."`
	Seed         uint64        `help:"Decides what is left to chance; 0 takes one and prints it."`
	Faults       string        `help:"Faults to make: none, safe, all, or a comma separated list; all at a private system and safe at a running one when not given."`
	StopRedisFor time.Duration `default:"1m" help:"How long the fault stop-redis takes Redis away."`
	Rollout      bool          `help:"Make a rollout of a price meanwhile: start, advance, pause, resume, halt by a red check, roll back."`
	Limit        int           `help:"Take only so many jobs of the file."`
	ActionPrefix string        `default:"drill_" help:"Begins the actions at a running system."`
}

func (c drillCmd) Run(e *env) error {
	faults, err := drill.ParseFaults(c.Faults)
	if err != nil {
		return err
	}
	return drill.Run(e.ctx, drill.Options{JobsFile: c.Jobs, URL: c.URL, Key: c.Key, Workers: c.Workers, Seed: c.Seed, Faults: faults,
		StopRedisFor: c.StopRedisFor, Limit: c.Limit, Rollout: c.Rollout, ActionPrefix: c.ActionPrefix, Out: e.out, Start: drill.StartPrivate})
}
