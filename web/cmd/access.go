package cmd

import (
	"context"
	"fmt"

	"recoup/models/staff"
)

// about is the person whom a command changes, and why.
type about struct {
	Email  string `arg:"" help:"Email address."`
	Reason string `required:"" help:"Why; kept in the audit log."`
}

// change finds the person and lets f change them.
func (p about) change(e *env, done string, f func(ctx context.Context, s *staff.Service, by staff.By, id string) error) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	person, err := a.staff.ByEmail(e.ctx, p.Email)
	if err != nil {
		return err
	}
	if err := f(e.ctx, a.staff, staff.By{Actor: operator()}, person.ID); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s %s\n", person.Email, done)
	return nil
}

type staffRoleCmd struct {
	about
	Role string `required:"" enum:"viewer,finance,product,support,lead,admin" help:"One of ${enum}."`
}

func (c staffRoleCmd) Run(e *env) error {
	return c.change(e, "is now "+c.Role, func(ctx context.Context, s *staff.Service, by staff.By, id string) error {
		return s.SetRole(ctx, by, id, staff.Role(c.Role), c.Reason)
	})
}

type staffDisableCmd struct{ about }

func (c staffDisableCmd) Run(e *env) error {
	return c.change(e, "is shut out", func(ctx context.Context, s *staff.Service, by staff.By, id string) error {
		return s.Disable(ctx, by, id, c.Reason)
	})
}

type staffEnableCmd struct{ about }

func (c staffEnableCmd) Run(e *env) error {
	return c.change(e, "may sign in again", func(ctx context.Context, s *staff.Service, by staff.By, id string) error {
		return s.Enable(ctx, by, id, c.Reason)
	})
}
