package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/models/calendar"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/month"
	"recoup/models/operation"
	"recoup/models/staff"
	"recoup/models/verify"
	"recoup/views/layout"
	views "recoup/views/months"
	"recoup/views/ui"
)

// monthsShown is how many months the list shows.
const monthsShown = 24

// foundShown is how much of what verify found a month shows; Integrity has all of it.
const foundShown = 20

// inBookZone is the request with its times in the book time zone: months have no meaning in another one.
func (h *Console) inBookZone(r request) request {
	r.L.Zone = h.Months.Zone()
	return r
}

func (h *Console) months(c echo.Context) error {
	r := h.inBookZone(h.of(c))
	q := newQuery(r, "/months", "before")
	before, err := calendar.ParseMonth(q.get("before"))
	if err != nil {
		before, q = calendar.Month{}, query{path: q.path, values: url.Values{}}
	}
	m := views.List{Zone: r.L.ZoneName()}
	for _, t := range ledger.Types() {
		m.Kinds = append(m.Kinds, string(t))
	}
	page := func(f layout.Frame) component { return views.ListPage(f, m) }
	part := func() component { return views.ListPart(r.L, m) }
	frame := h.frameBeside(r)
	defer frame()
	list, more, err := h.Months.List(c.Request().Context(), before, monthsShown)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	verified, err := h.Months.Verified(c.Request().Context())
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	broken := map[calendar.Month]bool{}
	if verified != nil && verified.Found > 0 {
		spans := make([]verify.Span, len(list))
		for i, x := range list {
			spans[i] = verify.Span{Month: x.Month, From: x.From, To: x.To}
		}
		if broken, err = h.Verifier.BrokenMonths(c.Request().Context(), spans); err != nil {
			return h.unreadable(r, err, &m.List, q.url(), page, part)
		}
	}
	m.Rows, m.Found = pr.MonthRows(list, broken), pr.MonthsFound(verified)
	if before != (calendar.Month{}) {
		m.List.Pager.NewerURL = newerMonths(q, before, r.Now.In(h.Months.Zone()))
	}
	if more && len(list) > 0 {
		m.List.Pager.OlderURL = q.with("before", list[len(list)-1].Month.String())
	}
	return fragmentIn(r, frame, http.StatusOK, page, part)
}

// newerMonths leads one page on, to the first page where that reaches the present month.
func newerMonths(q query, before calendar.Month, now time.Time) string {
	m := before
	for range monthsShown {
		m = m.Next()
	}
	if !m.Before(calendar.MonthOf(now).Next()) {
		return q.without("before")
	}
	return q.with("before", m.String())
}

// monthParam is the month that a path names. Faults: not_found.
func monthParam(r request) (calendar.Month, error) {
	name, err := param(r, "month")
	if err != nil {
		return calendar.Month{}, err
	}
	m, err := calendar.ParseMonth(name)
	if err != nil {
		return m, fault.New(fault.NotFound, fault.CodeNotFound, "There is no month %q.", name)
	}
	return m, nil
}

// readMonth reads the month of the path.
func (h *Console) readMonth(r request) (month.Overview, error) {
	m, err := monthParam(r)
	if err != nil {
		return month.Overview{}, err
	}
	return h.Months.Read(r.Request().Context(), m)
}

func (h *Console) month(c echo.Context) error {
	r := h.inBookZone(h.of(c))
	ctx := c.Request().Context()
	frame := h.frameBeside(r)
	defer frame()
	var verified *month.Verified
	rest := beside(func() (err error) {
		verified, err = h.Months.Verified(ctx)
		return err
	})
	defer rest() //nolint:errcheck // it is read below
	o, err := h.readMonth(r)
	if restErr := rest(); err == nil {
		err = restErr
	}
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	if o.Closed != nil {
		// Nobody is named but who closed it.
		if pr, err = h.presenter(r); err != nil {
			return err
		}
	}
	// A closed month has the days of the zone it was closed in.
	pr.L.Zone = o.Location
	m := pr.Month(o, verified, h.Months.Zone())
	if verified != nil && verified.Found > 0 {
		found, err := h.Verifier.OfMonth(ctx, o.Month, o.From, o.To, foundShown)
		if err != nil {
			return err
		}
		m.Tie.Found = pr.FoundOfMonth(found)
	}
	if r.may(staff.LedgerExport) {
		m.Exports = ui.Exports{Say: r.L.T("month.export"), Links: []ui.Link{{Text: r.L.T("export.csv"), URL: present.MonthURL(o.Month) + "/export"}}}
	}
	if r.may(staff.MonthClose) && o.Closed == nil && !o.To.After(r.Now) {
		obstacle, err := h.Months.ObstacleTo(ctx, o, verified)
		if err != nil {
			return err
		}
		if obstacle == nil {
			m.CloseURL = present.MonthURL(o.Month) + "/close"
		} else {
			m.Obstacle = r.L.T("month.cannot_close", pr.Obstacle(*obstacle))
		}
	}
	return render(c, http.StatusOK, views.Page(frame(), m))
}

// exportMonth sends the figures of a month as a file.
func (h *Console) exportMonth(c echo.Context) error {
	r := h.inBookZone(h.of(c))
	ctx := c.Request().Context()
	o, err := h.readMonth(r)
	if err != nil {
		return err
	}
	if err := h.Months.RecordExport(ctx, r.Who.Actor(), reqctx.RequestID(ctx), o.Month); err != nil {
		return err
	}
	out := attach(r, "month_"+o.Month.String(), "rows", export.CSV)
	if zone, err := time.LoadLocation(o.Zone); err == nil {
		out.zone = zone // of a month that was closed in another one
	}
	rows := export.Month(o)
	out.rows = int64(len(rows) - 1) // without its head
	w := csv.NewWriter(out)
	w.UseCRLF = true
	return out.end(w.WriteAll(rows), func() error { return w.Error() })
}

// closeView is the form that closes a month, with its figures as they are.
func (h *Console) closeView(r request, o month.Overview, a ui.Act) (views.Close, error) {
	pr := present.Presenter{L: r.L, Now: r.Now}
	digest, err := o.Digest()
	if err != nil {
		return views.Close{}, err
	}
	return views.Close{Act: a, Name: pr.MonthName(o.Month), Month: o.Month.String(), URL: present.MonthURL(o.Month), Digest: digest, Changes: pr.CloseChanges(o)}, nil
}

func (h *Console) closeForm(c echo.Context) error {
	r := h.inBookZone(h.of(c))
	o, err := h.readMonth(r)
	if err != nil {
		return err
	}
	obstacle, err := h.Months.Obstacle(c.Request().Context(), o.Month)
	if err != nil {
		return err
	}
	if obstacle != nil {
		// The month's page says what stands in the way.
		return c.Redirect(http.StatusSeeOther, present.MonthURL(o.Month))
	}
	m, err := h.closeView(r, o, act(r, present.MonthURL(o.Month)))
	if err != nil {
		return err
	}
	return formPage(c, views.ClosePage(h.frame(r), m))
}

func (h *Console) closeMonth(c echo.Context) error {
	r := h.inBookZone(h.of(c))
	o, err := h.readMonth(r)
	if err != nil {
		return err
	}
	by := r.by()
	request := month.CloseRequest{OperationID: by.OperationID, Actor: by.Actor, RequestID: by.RequestID, Month: o.Month,
		Digest: r.FormValue("digest"), Reason: strings.TrimSpace(r.FormValue("reason"))}
	var out operation.Outcome
	if strings.TrimSpace(r.FormValue("confirm")) != o.Month.String() && o.Closed == nil {
		err = fault.InvalidField("confirm", "must be the month as it is written above")
	} else {
		out, err = h.Months.Close(c.Request().Context(), request)
	}
	to := present.MonthURL(o.Month)
	if f := fault.As(err); f != nil && o.Closed != nil && f.Code != fault.CodeStateConflict {
		// Whatever else is wrong with the form, there is nothing left to close: the dialog goes, the closed month is shown.
		err = month.AlreadyClosed(o.Month)
	}
	var broken error
	answer := h.conclude(r, to, month.Scope(), out, err, func(err error) templ.Component {
		var m views.Close
		if m, broken = h.closeView(r, o, again(r, to, err)); broken != nil {
			return templ.NopComponent
		}
		// What is confirmed is what was shown.
		m.Digest, m.Confirm, m.Reason = request.Digest, field(r, "confirm", err), field(r, "reason", err)
		return views.ClosePage(h.frame(r), m)
	})
	if broken != nil {
		return broken
	}
	return answer
}
