package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/costs"
	"recoup/views/ui"
)

const marginURL = "/costs/margin"

// costMargin shows a month, this one unless the URL says otherwise: all time would read the whole ledger.
func (h *Console) costMargin(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := newQuery(r, marginURL, "by", "period", "from", "to")
	if q.get("period") == "" {
		q.values.Set("period", "this_month")
	}
	q.typedDays("")
	p, bad := periodOf(r, q)
	by := cost.By(q.get("by"))
	if by == "" {
		by = cost.ByAction
	}
	known := false
	m := views.Margin{Tabs: costTabs(r, marginURL), Zone: r.L.ZoneName(), Group: r.L.Maybe("cost_by."+string(by), ""), ValueURL: r.link(staff.CostAttribute, "/costs/values"),
		List: list(nil, marginURL)}
	for _, b := range cost.Bys() {
		known = known || b == by
		m.Bys = append(m.Bys, ui.Choice{Text: r.L.Maybe("cost_by."+string(b), string(b)), URL: q.with("by", string(b)), Current: b == by})
	}
	if len(bad) > 0 || !known || p.From == nil || p.To == nil {
		return fault.InvalidField("period", "and grouping of this page cannot be read")
	}
	// All time is no choice here.
	m.Periods = periodLinks(r, q)[1:]
	m.Period = p.words(r.L, r.Now)
	x, err := h.Costs.Margins(ctx, by, *p.From, *p.To)
	if err != nil {
		return err
	}
	values, err := h.Costs.Values(ctx)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	fillMargin(r, pr, by, x, &m)
	for _, v := range values {
		m.Values = append(m.Values, pr.CostValue(v))
	}
	return render(c, http.StatusOK, views.MarginPage(h.frame(r), m))
}

func fillMargin(r request, pr present.Presenter, by cost.By, x cost.Margins, m *views.Margin) {
	var unset []string
	for _, row := range x.Rows {
		m.Rows = append(m.Rows, pr.CostMargin(by, row))
		m.Lacking = m.Lacking || row.Lacking()
		if row.Revenue == nil && row.Currency != "" && !slices.Contains(unset, row.Currency) {
			unset = append(unset, row.Currency)
		}
	}
	m.Unset = strings.Join(unset, ", ")
	m.Overhead, m.Unattributed = pr.CostTotals(x.Overhead), pr.CostTotals(x.Unattributed)
	if x.Coverage.Delivered > 0 {
		m.Coverage = r.L.T("costs.coverage", r.L.Credits(x.Coverage.Known), r.L.Credits(x.Coverage.Delivered))
	}
}

func (h *Console) creditValueForm(c echo.Context) error {
	r := h.of(c)
	return formPage(c, views.NewValuePage(h.frame(r), views.NewValue{Act: act(r, marginURL), Zone: r.L.ZoneName()}))
}

func (h *Console) setCreditValue(c echo.Context) error {
	r := h.of(c)
	out, err := h.creditValue(r)
	return h.conclude(r, marginURL, operation.Named("settings"), out, err, func(err error) templ.Component {
		return views.NewValuePage(h.frame(r), views.NewValue{Act: again(r, marginURL, err), Zone: r.L.ZoneName(), Currency: field(r, "currency", err), Value: field(r, "value", err),
			From: field(r, "valid_from", err), Reason: field(r, "reason", err)})
	})
}

func (h *Console) creditValue(r request) (operation.Outcome, error) {
	value, err := decimal.Parse(typed(r, "value"))
	if err != nil {
		return operation.Outcome{}, fault.InvalidField("value", "%s", err)
	}
	zone := r.L.Zone
	if zone == nil {
		zone = time.UTC
	}
	from, err := time.ParseInLocation("2006-01-02T15:04", typed(r, "valid_from"), zone)
	if err != nil {
		return operation.Outcome{}, fault.InvalidField("valid_from", "must be a time such as 2026-11-30 18:00")
	}
	return h.Costs.SetValue(r.Request().Context(), cost.ValueRequest{Envelope: r.by(), Currency: strings.ToUpper(typed(r, "currency")), Value: value, ValidFrom: from,
		Reason: r.FormValue("reason")})
}
