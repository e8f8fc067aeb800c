package console

import (
	"context"
	"encoding/csv"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/audit"
	"recoup/models/export"
	"recoup/models/fault"
	views "recoup/views/auditlog"
	"recoup/views/layout"
	"recoup/views/ledger"
	"recoup/views/ui"
)

// auditPath is the page of the audit log.
const auditPath = "/audit"

// auditFilter is the filter of the audit log as a URL says it.
type auditFilter struct {
	query
	audit.Filter
	period period
	form   views.Filter
	chips  []ui.Chip
	names  map[string]string
	bad    bool
}

// auditOf parses the filter once, for page, next page and file. What cannot be read is named at its field and sets bad.
func (h *Console) auditOf(r request) (auditFilter, error) {
	q := newQuery(r, auditPath, "actor", "action", "object", "outcome", "period", "from", "to")
	f := auditFilter{query: q, form: views.Filter{Action: q.path, Object: ui.Field{Value: q.get("object")}}}
	actors, err := h.actors(r.Request().Context())
	if err != nil {
		return f, err
	}
	f.names = actors.names
	f.form.Actors, f.form.Actor.Value = actors.options(r), q.get("actor")
	if typed := q.get("actor"); typed != "" {
		f.Actor = typed
		switch found := actors.named(typed); len(found) {
		case 0:
		case 1:
			f.Actor = found[0]
		default:
			f.form.Actor.Error, f.bad = r.L.T("problem.actor_ambiguous"), true
		}
		shown := f.Actor
		if name := f.names[f.Actor]; name != "" {
			shown = name
		}
		if !f.bad {
			f.chips = append(f.chips, ui.Chip{Label: r.L.T("filter.actor"), Value: shown, RemoveURL: q.without("actor")})
		}
	}
	if f.Filter.Action = q.get("action"); f.Filter.Action != "" {
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("audit.action"), Value: r.L.Maybe("kind."+f.Filter.Action, f.Filter.Action), RemoveURL: q.without("action")})
	}
	f.Object = q.get("object")
	f.chips = q.chip(f.chips, "object", r.L.T("audit.object"))
	switch f.Outcome = q.get("outcome"); f.Outcome {
	case "":
	case "done", "refused":
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("audit.outcome"), Value: r.L.Maybe("state."+f.Outcome, f.Outcome), RemoveURL: q.without("outcome")})
	default:
		f.form.OutcomeError, f.bad = r.L.T("audit.no_outcome"), true
	}
	q.typedDays(readable(r.QueryParam("was")))
	var bad map[string]string
	f.period, bad = periodOf(r, q)
	f.From, f.To = f.period.From, f.period.To
	f.form.Period = ledger.Filter{Period: q.get("period"), Periods: ledger.PeriodOptions(r.L, q.get("period")), PeriodError: bad["period"],
		From: ui.Field{Value: q.get("from"), Error: bad["from"]}, To: ui.Field{Value: q.get("to"), Error: bad["to"]}}
	f.bad = f.bad || len(bad) > 0
	f.form.Open = f.bad
	if days := f.period.words(r.L, r.Now); days != "" {
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("period.label"), Value: ledger.PeriodChip(r.L, days, r.L.ZoneName()), RemoveURL: q.without("period", "from", "to")})
	}
	return f, nil
}

// audit lists who did what to what, and what was refused to whom.
func (h *Console) audit(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	f, err := h.auditOf(r)
	if err != nil {
		return err
	}
	actions, err := h.Audit.Actions(ctx)
	if err != nil {
		return err
	}
	f.form.Actions = views.ActionOptions(r.L, actions, f.Filter.Action)
	f.form.Outcomes = views.OutcomeOptions(r.L, f.Outcome)
	m := views.Model{Filter: f.form, Zone: r.L.ZoneLabel(r.Now), List: list(f.chips, f.path)}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	if f.bad {
		m.List.Refused = true
		return fragment(r, h, http.StatusUnprocessableEntity, page, part)
	}
	from, dir := position[audit.Position](r, f.query)
	rows, err := h.Audit.List(ctx, f.Filter, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, f.url(), page, part)
	}
	if m.List.Pager, err = pager(f.query, rows); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	for _, s := range rows.Rows {
		m.Rows = append(m.Rows, pr.AuditRow(s))
	}
	m.Exports = ui.Exports{Say: r.L.T("audit.export_say", r.L.ZoneName()),
		Links: []ui.Link{{Text: r.L.T("export.csv"), URL: address(f.path+"/export", f.values)}}}
	return fragment(r, h, http.StatusOK, page, part)
}

// exportAudit sends the rows that the filter selects as CSV.
func (h *Console) exportAudit(c echo.Context) error {
	r := h.of(c)
	ctx, cancel := context.WithTimeout(c.Request().Context(), exportTime)
	defer cancel()
	f, err := h.auditOf(r)
	if err != nil {
		return err
	}
	if f.bad {
		return fault.New(fault.Invalid, "export_filter", "A part of the filter cannot be read. No file was made.")
	}
	release, err := h.makeExport()
	if err != nil {
		return err
	}
	defer release()
	if err := h.Audit.RecordExport(ctx, audit.Row{Actor: r.Who.Actor(), RequestID: reqctx.RequestID(ctx)}, f.Filter); err != nil {
		return err
	}
	return h.sendAudit(ctx, r, f)
}

// sendAudit writes the file. An error after the first byte cuts the connection, so that half a file does not look whole.
func (h *Console) sendAudit(ctx context.Context, r request, f auditFilter) error {
	out := attach(r, daysOf("audit", f.period, filteredBeside(f.query)), "rows", export.CSV)
	w := csv.NewWriter(out)
	w.UseCRLF = true // RFC 4180
	err := w.Write(auditColumns(out.zone))
	if err == nil {
		err = h.Audit.Each(ctx, f.Filter, func(s audit.Stored) error {
			out.row(w.Flush)
			return w.Write(auditCells(s, f.names[s.Actor], out.zone))
		})
	}
	return out.end(err, func() error {
		w.Flush()
		return w.Error()
	})
}

func auditColumns(zone *time.Location) []string {
	return []string{"time (" + zone.String() + ")", "actor", "name", "action", "object", "outcome", "code", "reason", "before", "after", "operation", "request"}
}

func auditCells(s audit.Stored, name string, zone *time.Location) []string {
	text := func(v *string) string {
		if v == nil {
			return ""
		}
		return export.Inert(*v)
	}
	return []string{s.At.In(zone).Format("2006-01-02T15:04:05.000000Z07:00"), export.Inert(s.Actor), export.Inert(name), export.Inert(s.Action), export.Inert(s.Object),
		s.Outcome, export.Inert(s.Code), export.Inert(s.Reason), text(s.Before), text(s.After), export.Inert(s.OperationID), export.Inert(s.RequestID)}
}
