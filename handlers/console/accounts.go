package console

import (
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/staff"
	views "recoup/views/accounts"
	"recoup/views/layout"
	entries "recoup/views/ledger"
	"recoup/views/ui"
)

func (h *Console) accounts(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, "/accounts", "q", "plan", "negative", "frozen")
	filter := ledger.AccountFilter{Search: q.get("q"), Plan: q.get("plan"), Negative: q.get("negative") != "", Frozen: q.get("frozen") != ""}
	chips := q.chip(nil, "q", r.L.T("accounts.query"))
	chips = q.chip(chips, "plan", r.L.T("col.plan"))
	if filter.Negative {
		chips = append(chips, ui.Chip{Label: r.L.T("filter.only"), Value: r.L.T("accounts.negative"), RemoveURL: q.without("negative")})
	}
	if filter.Frozen {
		chips = append(chips, ui.Chip{Label: r.L.T("filter.only"), Value: r.L.T("accounts.frozen"), RemoveURL: q.without("frozen")})
	}
	m := views.Model{Action: q.path, BulkURL: r.link(staff.AccountGrant, bulkPath), Query: ui.Field{Value: filter.Search}, Plan: ui.Field{Value: filter.Plan}, OnlyNegative: filter.Negative,
		OnlyFrozen: filter.Frozen, ByAge: filter.Negative, Zone: r.L.ZoneLabel(r.Now), List: list(chips, q.path)}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[ledger.AccountPosition](r, q)
	if from != nil {
		from.ID = readable(from.ID)
	}
	rows, err := h.Ledger.Accounts(c.Request().Context(), filter, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, a := range rows.Rows {
		m.Rows = append(m.Rows, pr.AccountRow(a))
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// suggestions is how many accounts a field offers.
const suggestions = 10

// suggestAccounts answers what a field for an account offers while a person types: ids, each with its name.
func (h *Console) suggestAccounts(c echo.Context) error {
	var options []ui.Option
	if typed := readable(c.QueryParam("account")); typed != "" {
		rows, err := h.Ledger.Accounts(c.Request().Context(), ledger.AccountFilter{Search: typed}, nil, page.Older, suggestions)
		if err != nil {
			return err
		}
		for _, a := range rows.Rows {
			options = append(options, ui.Option{Value: a.ID, Label: a.Name})
		}
	}
	return render(c, http.StatusOK, entries.Options(options))
}

// subject reads the account of a form.
func (h *Console) subject(r request) (views.Subject, error) {
	id, err := param(r, "account")
	if err != nil {
		return views.Subject{}, err
	}
	a, err := h.Ledger.Account(r.Request().Context(), id)
	if err != nil {
		return views.Subject{}, err
	}
	return h.limited(r, h.subjectOf(r, a))
}

// limited adds to the subject of a form that moves credits what the person may still move there alone.
func (h *Console) limited(r request, s views.Subject) (views.Subject, error) {
	room, ok, err := h.Ledger.RoomOf(r.Request().Context(), r.Who.Actor(), s.ID)
	if err != nil || !ok {
		return s, err
	}
	limit, _ := h.Ledger.LimitCredits()
	s.Limit = views.Limit{Credits: r.L.Credits(limit), Add: r.L.Credits(room.Add), Take: r.L.Credits(room.Take), ExactAdd: strconv.FormatInt(room.Add, 10),
		ExactTake: strconv.FormatInt(room.Take, 10), Used: room.Add < limit || room.Take < limit}
	return s, nil
}

// subjectOf is an account as the subject of a form.
func (h *Console) subjectOf(r request, a ledger.Account) views.Subject {
	return views.Subject{ID: a.ID, Name: a.Name, URL: accountURL(a.ID), Balance: r.L.Credits(a.Balance), Exact: strconv.FormatInt(a.Balance, 10)}
}

// form shows or shows again a form about an account: build makes it from the account and, after a
// refusal, the error.
func (h *Console) accountForm(c echo.Context, build func(r request, s views.Subject) templ.Component) error {
	r := h.of(c)
	s, err := h.subject(r)
	if err != nil {
		return err
	}
	return formPage(c, build(r, s))
}

// accountAct runs a form's operation and concludes it.
func (h *Console) accountAct(c echo.Context, run func(r request, s views.Subject) (operation.Outcome, error),
	build func(r request, s views.Subject, err error) templ.Component) error {
	r := h.of(c)
	s, err := h.subject(r)
	if err != nil {
		return err
	}
	out, err := run(r, s)
	return h.conclude(r, s.URL, operation.Account(s.ID), out, err, func(err error) templ.Component { return build(r, s, err) })
}

func (h *Console) grantForm(c echo.Context) error {
	return h.accountForm(c, func(r request, s views.Subject) templ.Component {
		return views.GrantPage(h.frame(r), views.Grant{Act: act(r, s.URL), Account: s, Categories: views.CategoryOptions(r.L, ledger.Paid)})
	})
}

func (h *Console) grant(c echo.Context) error {
	return h.accountAct(c, func(r request, s views.Subject) (operation.Outcome, error) { return h.grantOf(r, s, nil) },
		func(r request, s views.Subject, err error) templ.Component {
			return h.grantAgain(r, s, views.Edit{}, err)
		})
}

func (h *Console) adjustForm(c echo.Context) error {
	return h.accountForm(c, func(r request, s views.Subject) templ.Component {
		return views.AdjustmentPage(h.frame(r), views.Adjustment{Act: act(r, s.URL), Account: s})
	})
}

func (h *Console) adjust(c echo.Context) error {
	return h.accountAct(c, func(r request, s views.Subject) (operation.Outcome, error) { return h.adjustOf(r, s, nil) },
		func(r request, s views.Subject, err error) templ.Component {
			return h.adjustAgain(r, s, views.Edit{}, err)
		})
}

func (h *Console) freezeForm(c echo.Context) error   { return h.frozenForm(c, false) }
func (h *Console) unfreezeForm(c echo.Context) error { return h.frozenForm(c, true) }

func (h *Console) frozenForm(c echo.Context, thaw bool) error {
	return h.accountForm(c, func(r request, s views.Subject) templ.Component {
		return views.FreezePage(h.frame(r), views.Freeze{Act: act(r, s.URL), Account: s, Thaw: thaw})
	})
}

func (h *Console) freeze(c echo.Context) error   { return h.setFrozen(c, false) }
func (h *Console) unfreeze(c echo.Context) error { return h.setFrozen(c, true) }

func (h *Console) setFrozen(c echo.Context, thaw bool) error {
	return h.accountAct(c, func(r request, s views.Subject) (operation.Outcome, error) {
		req := ledger.FreezeRequest{Envelope: r.by(), AccountID: s.ID, Reason: r.FormValue("reason")}
		if thaw {
			return h.Ledger.Unfreeze(c.Request().Context(), req)
		}
		return h.Ledger.Freeze(c.Request().Context(), req)
	}, func(r request, s views.Subject, err error) templ.Component {
		return views.FreezePage(h.frame(r), views.Freeze{Act: again(r, s.URL, err), Account: s, Thaw: thaw, Reason: field(r, "reason", err)})
	})
}
