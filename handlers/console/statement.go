package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/staff"
	views "recoup/views/accounts"
	"recoup/views/layout"
)

// shortList is how many jobs the statement shows beside the entries.
const shortList = 8

// reclaimableAtOnce is how many jobs that could still be reclaimed a statement adds up; their own list adds up all.
const reclaimableAtOnce = 200

func (h *Console) statement(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	id, err := param(c, "account")
	if err != nil {
		return err
	}
	if to := ledgerOf(r, id); to != "" {
		return c.Redirect(http.StatusSeeOther, to)
	}
	f, err := h.statementFilter(r, id)
	if err != nil {
		return err
	}
	pr := f.presenter(r)
	var a ledger.Account
	var m views.Statement
	var shown []ledger.Entry
	frame := h.frameBeside(r)
	defer frame()
	rest := func() error { return nil }
	defer func() { rest() }() //nolint:errcheck // it is read below
	err = h.Ledger.AtOnce(ctx, func(l *ledger.Service) (err error) {
		if a, err = l.Account(ctx, id); err != nil {
			return err
		}
		m = pr.Statement(a)
		rest = beside(func() error { return h.besideEntries(r, pr, a, &m) })
		if f.bad {
			return nil
		}
		shown, err = readStatement(ctx, l, r, pr, a, f, &m)
		return err
	})
	restErr := rest()
	if a.ID == "" {
		return err
	}
	var broken map[string]bool
	if err == nil {
		broken, err = h.brokenEntries(ctx, shown)
	}
	for _, d := range m.Days {
		for i := range d.Rows {
			d.Rows[i].Broken = broken[d.Rows[i].URL]
		}
	}
	unread := err
	m.Filter, m.Periods, m.Zone = f.form, f.periodChoices(r), r.L.ZoneLabel(r.Now)
	m.List.Chips, m.List.ClearURL = f.chips, f.path
	page := func(f layout.Frame) component { return views.StatementPage(f, m) }
	part := func() component { return views.StatementList(r.L, m) }
	if unread != nil {
		return h.unreadable(r, unread, &m.List, f.url(), page, part)
	}
	if restErr != nil {
		return restErr
	}
	answer := http.StatusOK
	if f.bad {
		m.List.Refused, answer = true, http.StatusUnprocessableEntity
	}
	m.ProfileURL = r.link(staff.AccountEdit, accountURL(a.ID)+"/profile")
	m.WhyURL = r.link(staff.AccountView, accountURL(a.ID)+"/balance")
	m.GrantURL = r.link(staff.AccountGrant, accountURL(a.ID)+"/grants")
	m.AdjustURL = r.link(staff.AccountAdjust, accountURL(a.ID)+"/adjustments")
	if a.FrozenAt == nil {
		m.FreezeURL = r.link(staff.AccountFreeze, accountURL(a.ID)+"/freeze")
	} else {
		m.UnfreezeURL = r.link(staff.AccountFreeze, accountURL(a.ID)+"/unfreeze")
	}
	return fragmentIn(r, frame, answer, page, part)
}

// besideEntries fills in what stands beside the entries and need not be of their moment. It touches nothing that readStatement fills in.
func (h *Console) besideEntries(r request, pr present.Presenter, a ledger.Account, m *views.Statement) error {
	ctx := r.Request().Context()
	var err error
	if m.FrozenSay, err = h.frozenSay(r, a); err != nil {
		return err
	}
	wrong, err := h.Verifier.OfAccount(ctx, a.ID, nil)
	if err != nil {
		return err
	}
	m.Wrong = pr.WrongAccount(a.ID, wrong)
	if err := h.statementJobs(ctx, pr, a.ID, m); err != nil {
		return err
	}
	if err := h.statementRollouts(ctx, r, pr, a, m); err != nil {
		return err
	}
	return h.statementNotes(ctx, r, pr, a, m)
}

// ledgerOf is the ledger of the account where the address filters by what a statement does not know; "" where it does not.
func ledgerOf(r request, account string) string {
	q := newQuery(r, "/ledger", ledgerParams()...)
	for name := range q.values {
		if !slices.Contains(statementParams(), name) {
			return q.with("account", account)
		}
	}
	return ""
}

// readStatement fills in the entries of the page by day, the figures of the period and, where the filter is narrower
// than that, the filter's own, all from l, and returns the entries of the page.
func readStatement(ctx context.Context, l *ledger.Service, r request, pr present.Presenter, a ledger.Account, f entryFilter, m *views.Statement) ([]ledger.Entry, error) {
	from, dir := position[ledger.Position](r, f.query)
	rows, err := l.List(ctx, f.Filter, from, dir, pageSize)
	if err != nil {
		return nil, err
	}
	if m.List.Pager, err = pager(f.query, rows); err != nil {
		return nil, err
	}
	if m.Inconsistent, err = l.HeadDiffers(ctx, a.Key); err != nil {
		return nil, err
	}
	sums, err := l.Totals(ctx, ledger.Filter{AccountID: a.ID, From: f.From, To: f.To})
	if err != nil {
		return nil, err
	}
	days := pr.Days(rows.Rows)
	opening, closing, err := balancesOf(ctx, l, a, f.From, f.To, days)
	if err != nil {
		return nil, err
	}
	m.Days = pr.DayViews(days)
	m.Period, m.InPeriod = pr.Period(opening, closing, sums, f.period.First, f.period.Last)
	if f.JobID != "" || f.OperationID != "" || f.RuleVersion != "" || len(f.Types) > 0 {
		if m.Totals, m.Ask, err = totals(ctx, l, r, pr, f, rows); err != nil {
			return nil, err
		}
	}
	count := m.InPeriod
	if m.Totals != nil {
		count = m.Totals.Entries
	}
	m.Exports = f.exports(r, count)
	return rows.Rows, nil
}

// balancesOf reads in one go what the statement shows beside the entries: the balances before the period and at its
// end, nil ends meaning the beginning and now, and those at both ends of each day, whatever the filter leaves of it.
func balancesOf(ctx context.Context, l *ledger.Service, a ledger.Account, from, to *time.Time, days []present.Day) (opening, closing int64, err error) {
	type want struct {
		at   time.Time
		into *int64
	}
	var wanted []want
	if from != nil {
		wanted = append(wanted, want{*from, &opening})
	}
	closing = a.Balance
	if to != nil {
		wanted = append(wanted, want{*to, &closing})
	}
	for i := range days {
		wanted = append(wanted, want{days[i].Begin, &days[i].Opening}, want{days[i].End, &days[i].Closing})
	}
	moments := make([]time.Time, len(wanted))
	for i, w := range wanted {
		moments[i] = w.at
	}
	balances, err := l.BalancesBefore(ctx, a.ID, moments)
	if err != nil {
		return 0, 0, err
	}
	for i, w := range wanted {
		*w.into = balances[i]
	}
	return opening, closing, nil
}

func (h *Console) statementJobs(ctx context.Context, pr present.Presenter, account string, m *views.Statement) error {
	recent, err := h.Jobs.List(ctx, job.Filter{AccountID: account}, job.ByCharge, nil, page.Older, shortList)
	if err != nil {
		return err
	}
	for _, j := range recent.Rows {
		m.Jobs = append(m.Jobs, pr.JobRow(j))
	}
	m.JobsURL = "/jobs?" + url.Values{"account": {account}}.Encode()
	open, err := h.Jobs.List(ctx, job.Filter{AccountID: account, Reclaimable: true}, job.ByCharge, nil, page.Older, shortList)
	if err != nil {
		return err
	}
	for _, j := range open.Rows {
		m.Reclaimable = append(m.Reclaimable, pr.JobRow(j))
	}
	if len(open.Rows) == 0 {
		return nil
	}
	all, err := h.Jobs.Reclaimable(ctx, account, reclaimableAtOnce)
	if err != nil {
		return err
	}
	m.ReclaimableSay = pr.L.N("statement.reclaimable_count", all.Jobs, pr.L.Sum(all.Credits.String()))
	if all.More {
		m.ReclaimableSay = pr.L.T("statement.reclaimable_many", pr.L.Credits(reclaimableAtOnce))
	}
	m.ReclaimableMore = "/jobs?" + url.Values{"account": {account}, "money": {"refunded"}}.Encode()
	return nil
}

// frozenSay says of a frozen account who froze it, when and why, to whoever sees the account; "" where it is not.
func (h *Console) frozenSay(r request, a ledger.Account) (string, error) {
	if a.FrozenAt == nil {
		return "", nil
	}
	f, err := h.Ledger.Frozen(r.Request().Context(), a.ID)
	if err != nil {
		return "", err
	}
	pr, err := h.presenter(r)
	return pr.FrozenBy(a, f), err
}
