// Package cmd is the command line: one file a subcommand. It reads options, wires things by hand and
// holds no logic of the domain.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// cli is every subcommand. Kong fills it from the arguments.
type cli struct {
	Dev     devCmd     `cmd:"" help:"Start everything on this machine, with sample data and a sign-in link."`
	Serve   serveCmd   `cmd:"" help:"Serve the console and the API."`
	Work    workCmd    `cmd:"" help:"Run the wake-up queue and the sweeper."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date, or show where it stands."`
	Verify  verifyCmd  `cmd:"" help:"Check every account's ledger and every job against it."`
	Drill   drillCmd   `cmd:"" help:"Prove a system: run a job trace with faults and recount every account."`
	Price   priceCmd   `cmd:"" help:"Put prices in force and list them."`
	Rollout rolloutCmd `cmd:"" help:"Make a rollout and its steps, for scripts."`
	Import  importCmd  `cmd:"" help:"Import the bills of providers."`
	Staff   staffCmd   `cmd:"" help:"Add people and let them in."`
	Key     keyCmd     `cmd:"" help:"Make, list and revoke API keys."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// env is what every subcommand gets.
type env struct {
	ctx      context.Context
	out, err io.Writer
}

// errSilent ends a command with status 1 whose findings are printed already.
var errSilent = errors.New("findings were printed")

// Run executes one command line and returns the exit status: 0 done, 1 failed or found something,
// 2 wrong arguments.
func Run(args []string, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	exit := -1
	var c cli
	parser, err := kong.New(&c, kong.Name("recoup"), kong.Writers(out, errOut), kong.Exit(func(code int) { exit = code }),
		kong.Description("The system of record for credits charged up front for media work."),
		kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintln(errOut, "recoup:", err)
		return 1
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if err != nil {
		fmt.Fprintln(errOut, "recoup:", err)
		return 2
	}
	switch err := k.Run(&env{ctx: ctx, out: out, err: errOut}); {
	case err == nil:
		return 0
	case errors.Is(err, errSilent):
		return 1
	default:
		fmt.Fprintln(errOut, "recoup:", err)
		return 1
	}
}

type versionCmd struct{}

func (versionCmd) Run(e *env) error {
	fmt.Fprintln(e.out, version())
	return nil
}

// version is the module's version and the commit it was built from, as far as the build knows them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "recoup (unknown build)"
	}
	parts := []string{"recoup", info.Main.Version}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			parts = append(parts, s.Value)
		}
	}
	return strings.Join(parts, " ")
}
