package console

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/views/search"
	"recoup/views/ui"
)

// foundAtMost bounds each kind of result.
const foundAtMost = 20

// search jumps on an exact account, job or operation id that is the only one, and lists what matches
// otherwise.
func (h *Console) search(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := readable(c.QueryParam("q"))
	m := search.Model{Query: q}
	if q == "" {
		return render(c, http.StatusOK, search.Page(h.frame(r), m))
	}
	var exact []string
	if a, err := h.Ledger.Account(ctx, q); err == nil {
		exact = append(exact, accountURL(a.ID))
	} else if fault.As(err) == nil {
		return err
	}
	jobs, err := h.Jobs.WithID(ctx, q, foundAtMost+1)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		exact = append(exact, jobURL(j.AccountID, j.JobID))
	}
	entries, err := h.Ledger.List(ctx, ledger.Filter{OperationID: q}, nil, page.Older, foundAtMost)
	if err != nil {
		return err
	}
	scopes := map[string]bool{}
	for _, e := range entries.Rows {
		scope := present.Scope(e.AccountID, e.Actor)
		if !scopes[scope] {
			scopes[scope] = true
			exact = append(exact, operationURL(scope, q))
			m.Operations = append(m.Operations, search.Operation{ID: ui.ID{Value: q, URL: operationURL(scope, q)}, Scope: scope,
				Kind: r.L.Maybe("type."+string(e.Type), string(e.Type))})
		}
	}
	if len(exact) == 1 {
		return c.Redirect(http.StatusSeeOther, exact[0])
	}
	accounts, err := h.Ledger.Accounts(ctx, ledger.AccountFilter{Search: q}, nil, page.Older, foundAtMost)
	if err != nil {
		return err
	}
	for _, a := range accounts.Rows {
		m.Accounts = append(m.Accounts, search.Account{ID: present.Account(a.ID), Name: a.Name, Balance: r.L.Credits(a.Balance)})
	}
	for i, j := range jobs {
		if i == foundAtMost {
			break
		}
		found, err := h.Jobs.Find(ctx, j.AccountID, j.JobID)
		if err != nil {
			return err
		}
		m.Jobs = append(m.Jobs, search.Job{ID: present.Job(j.AccountID, j.JobID), Account: present.Account(j.AccountID), Action: found.Action, State: present.State(found.Job)})
	}
	m.More = accounts.Older != nil || len(jobs) > foundAtMost
	f := h.frame(r)
	f.Query = q
	return render(c, http.StatusOK, search.Page(f, m))
}
