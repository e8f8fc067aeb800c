package cmd

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"recoup/models/staff"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make an API key and print it. It is shown once."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke an API key."`
	List   keyListCmd   `cmd:"" help:"List API keys."`
}

type keyCreateCmd struct {
	Name    string        `required:"" help:"What the key is for."`
	Scopes  []string      `required:"" help:"Comma separated: jobs:write, jobs:work, ledger:read, ledger:write, costs:write, flags:read."`
	Expires time.Duration `help:"Time after which the key ends; never when not given."`
}

func (c keyCreateCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	n := staff.NewKey{Name: c.Name}
	for _, s := range c.Scopes {
		n.Scopes = append(n.Scopes, staff.Scope(s))
	}
	if c.Expires > 0 {
		at := time.Now().Add(c.Expires)
		n.ExpiresAt = &at
	}
	_, token, err := a.staff.CreateKey(e.ctx, staff.By{Actor: operator()}, n)
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out, token)
	return nil
}

type keyRevokeCmd struct {
	ID     string `arg:"" help:"The key's id."`
	Reason string `required:"" help:"Why; kept in the audit log."`
}

func (c keyRevokeCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	if err := a.staff.RevokeKey(e.ctx, staff.By{Actor: operator()}, c.ID, c.Reason); err != nil {
		return err
	}
	fmt.Fprintln(e.out, "revoked", c.ID)
	return nil
}

type keyListCmd struct{}

func (keyListCmd) Run(e *env) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	keys, err := a.staff.ListKeys(e.ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSCOPES\tCREATED\tEXPIRES\tLAST USED\tSTATE")
	for _, k := range keys {
		scopes := make([]string, len(k.Scopes))
		for i, s := range k.Scopes {
			scopes[i] = string(s)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, strings.Join(scopes, ","), stamp(&k.CreatedAt), stamp(k.ExpiresAt), stamp(k.LastUsedAt), stateOf(k, now))
	}
	return w.Flush()
}

// stateOf is what a key is worth now: active, expired or revoked.
func stateOf(k staff.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return "expired"
	}
	return "active"
}

func stamp(t *time.Time) string {
	if t == nil {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}
