package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"

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

// search jumps on an exact account, job or operation id that is the only one, and on an entry written as account/number.
// It lists what matches otherwise.
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
	ops, err := h.Ops.WithID(ctx, q, foundAtMost+1)
	if err != nil {
		return err
	}
	for i, o := range ops {
		to := operationURL(o.ScopeName(), o.ID)
		exact = append(exact, to)
		if i < foundAtMost {
			m.Operations = append(m.Operations, search.Operation{ID: ui.ID{Value: o.ID, URL: to}, Scope: o.ScopeName(), Kind: r.L.Maybe("kind."+o.Kind, o.Kind)})
		}
	}
	if entry, err := h.entryNamed(ctx, q); err != nil {
		return err
	} else if entry != "" {
		exact = append(exact, entry)
	}
	if m.Others, err = h.named(ctx, r, q); err != nil {
		return err
	}
	for _, o := range m.Others {
		exact = append(exact, o.ID.URL)
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
	m.More = accounts.Older != nil || len(jobs) > foundAtMost || len(ops) > foundAtMost
	f := h.frame(r)
	f.Query = q
	return render(c, http.StatusOK, search.Page(f, m))
}

// entryNamed is the page of the entry that "account/number" names, as accounting files do, or "account #number", as pages do; ""
// when there is none. No account's id has a slash or a number sign.
func (h *Console) entryNamed(ctx context.Context, q string) (string, error) {
	account, number, ok := strings.Cut(q, "/")
	if !ok {
		account, number, ok = strings.Cut(q, "#")
		account = strings.TrimSpace(account)
	}
	number = strings.ReplaceAll(number, ",", "") // as pages group digits
	if !ok {
		return "", nil
	}
	seq, err := strconv.ParseInt(strings.TrimPrefix(number, "#"), 10, 64)
	if err != nil || seq < 1 {
		return "", nil
	}
	a, err := h.Ledger.Account(ctx, account)
	if err != nil {
		if fault.As(err) != nil {
			return "", nil
		}
		return "", err
	}
	if seq > a.LastSeq {
		return "", nil
	}
	return present.EntryURL(a.ID, seq), nil
}
