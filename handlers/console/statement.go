package console

import (
	"context"
	"net/url"
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

func (h *Console) statement(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	id, err := param(c, "account")
	if err != nil {
		return err
	}
	a, err := h.Ledger.Account(ctx, id)
	if err != nil {
		return err
	}
	f := entriesOf(r, accountURL(a.ID))
	f.AccountID, f.RolloutID, f.Actor, f.MinAmount, f.MaxAmount = a.ID, "", "", nil, nil
	from, dir := position[ledger.Position](r, f.query)
	rows, err := h.Ledger.List(ctx, f.Filter, from, dir, pageSize)
	if err != nil {
		return err
	}
	p, err := pager(f.query, rows)
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	m := pr.Statement(a)
	m.Filter, m.Periods, m.Zone = f.form, f.periodChoices(r), r.L.ZoneAt(r.Now)
	m.List = list(f.chips, f.path, p)

	whole := ledger.Filter{AccountID: a.ID, From: f.From, To: f.To}
	totals, err := h.Ledger.Totals(ctx, whole)
	if err != nil {
		return err
	}
	opening, closing, err := h.ends(ctx, a, f.From, f.To, r.Now)
	if err != nil {
		return err
	}
	m.Period, m.InPeriod = pr.Period(opening, closing, totals, f.period.First, f.period.Last)
	if f.JobID != "" || f.OperationID != "" || f.RuleVersion != "" || len(f.Types) > 0 {
		filtered, err := h.Ledger.Totals(ctx, f.Filter)
		if err != nil {
			return err
		}
		m.Totals = pr.Totals(filtered)
	}
	if m.Days, err = h.days(ctx, pr, a.ID, rows.Rows); err != nil {
		return err
	}
	if err := h.statementJobs(ctx, pr, a.ID, &m); err != nil {
		return err
	}
	m.GrantURL = r.link(staff.AccountGrant, accountURL(a.ID)+"/grants")
	m.AdjustURL = r.link(staff.AccountAdjust, accountURL(a.ID)+"/adjustments")
	if a.FrozenAt == nil {
		m.FreezeURL = r.link(staff.AccountFreeze, accountURL(a.ID)+"/freeze")
	} else {
		m.UnfreezeURL = r.link(staff.AccountFreeze, accountURL(a.ID)+"/unfreeze")
	}
	return fragment(r, h, func(f layout.Frame) component { return views.StatementPage(f, m) }, views.StatementList(r.L, m))
}

// ends are the balances before a period and at its end; nil ends mean the beginning and now.
func (h *Console) ends(ctx context.Context, a ledger.Account, from, to *time.Time, now time.Time) (opening, closing int64, err error) {
	if from != nil {
		b, err := h.Ledger.BalanceAt(ctx, a.ID, from.Add(-time.Microsecond))
		if err != nil {
			return 0, 0, err
		}
		opening = b.Balance
	}
	closing = a.Balance
	if to != nil && to.Before(now) {
		b, err := h.Ledger.BalanceAt(ctx, a.ID, to.Add(-time.Microsecond))
		if err != nil {
			return 0, 0, err
		}
		closing = b.Balance
	}
	return opening, closing, nil
}

// days groups a page's entries by the person's days, each with the balances at its ends: those of the whole
// day, whatever the filter leaves of it.
func (h *Console) days(ctx context.Context, pr present.Presenter, account string, entries []ledger.Entry) ([]views.Day, error) {
	days := pr.Days(entries)
	for i := range days {
		opening, err := h.Ledger.BalanceAt(ctx, account, days[i].Begin.Add(-time.Microsecond))
		if err != nil {
			return nil, err
		}
		closing, err := h.Ledger.BalanceAt(ctx, account, days[i].End.Add(-time.Microsecond))
		if err != nil {
			return nil, err
		}
		days[i].Opening, days[i].Closing = opening.Balance, closing.Balance
	}
	return pr.DayViews(days), nil
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
	sum, err := h.Jobs.ReclaimableSum(ctx, account)
	if err != nil {
		return err
	}
	m.ReclaimableSum = pr.L.Credits(sum)
	if open.Older != nil {
		m.ReclaimableMore = "/jobs?" + url.Values{"account": {account}, "money": {"refunded"}}.Encode()
	}
	return nil
}
