package cmd

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"recoup/models/staff"
)

type staffCmd struct {
	Add     staffAddCmd     `cmd:"" help:"Add a person; with --password-stdin the password is read from standard input."`
	Link    staffLinkCmd    `cmd:"" help:"Print a link that signs a person in once."`
	List    staffListCmd    `cmd:"" help:"List people and their roles."`
	Role    staffRoleCmd    `cmd:"" help:"Give a person another role."`
	Disable staffDisableCmd `cmd:"" help:"Shut a person out and end their sessions."`
	Enable  staffEnableCmd  `cmd:"" help:"Let a disabled person in again."`
}

type staffAddCmd struct {
	Email         string `arg:"" help:"Email address."`
	Name          string `required:"" help:"Name as the console shows it."`
	Role          string `required:"" enum:"viewer,finance,product,support,lead,admin" help:"One of ${enum}."`
	Language      string `default:"en" enum:"en,ja" help:"Language: ${enum}."`
	TimeZone      string `default:"UTC" help:"IANA time zone."`
	PasswordStdin bool   `help:"Read the password from standard input."`
}

func (c staffAddCmd) Run(e *env) error {
	password := ""
	if c.PasswordStdin {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil && line == "" {
			return fmt.Errorf("no password on standard input: %w", err)
		}
		password = strings.TrimRight(line, "\r\n")
	}
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	p, err := a.staff.CreateStaff(e.ctx, staff.By{Actor: operator()}, staff.NewPerson{Email: c.Email, Name: c.Name, Role: staff.Role(c.Role),
		Password: password, Preferences: staff.Preferences{Language: c.Language, TimeZone: c.TimeZone}})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "added %s (%s) as %s\n", p.Email, p.ID, p.Role)
	return nil
}

type staffLinkCmd struct {
	Email string        `arg:"" help:"Email address of the person."`
	For   time.Duration `default:"15m" help:"How long the link is good for, at most 24h."`
}

func (c staffLinkCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	p, err := a.staff.ByEmail(e.ctx, c.Email)
	if err != nil {
		return err
	}
	token, err := a.staff.SignInLink(e.ctx, staff.By{Actor: operator()}, p.ID, c.For)
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out, signInURL(a.cfg.BaseURL.String(), token))
	return nil
}

// signInURL is the page that offers to use a sign-in token. The token is in the query so that the page
// works without a script; the page itself consumes nothing.
func signInURL(base, token string) string { return base + "/sign-in/link?token=" + token }

type staffListCmd struct{}

func (staffListCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	people, err := a.staff.List(e.ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EMAIL\tNAME\tROLE\tSTATE")
	for _, p := range people {
		state := "active"
		if p.DisabledAt != nil {
			state = "disabled"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Email, p.Name, p.Role, state)
	}
	return w.Flush()
}
