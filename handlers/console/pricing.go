package console

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/staff"
	"recoup/views/layout"
	views "recoup/views/pricing"
	"recoup/views/ui"
)

// defaultExample is what a worked example counts where the form does not say.
const defaultExample = 60

// shareOrNone is a discount for its field; empty for none.
func shareOrNone(bps int64) string {
	if bps == 0 {
		return ""
	}
	return plain(bps, sharePlaces)
}

func (h *Console) prices(c echo.Context) error {
	r := h.of(c)
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), NewURL: r.link(staff.PricingEdit, "/pricing/new"), List: list(nil, "/pricing")}
	page := func(f layout.Frame) component { return views.Page(f, m) }
	rows, err := h.Pricing.Actions(c.Request().Context())
	if err != nil {
		return h.unreadable(r, err, &m.List, "/pricing", page, func() component { return views.Page(h.frame(r), m) })
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, a := range rows {
		m.Rows = append(m.Rows, pr.ActionRow(a))
	}
	return render(c, http.StatusOK, page(h.frame(r)))
}

func (h *Console) priceAction(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	id, err := param(r, "action")
	if err != nil {
		return err
	}
	a, err := h.Pricing.Action(ctx, id)
	if err != nil {
		return err
	}
	versions, err := h.Pricing.Versions(ctx, id)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := views.Action{ID: a.ID, Retired: a.RetiredAt != nil, Zone: r.L.ZoneLabel(r.Now), Say: pr.ActionSay(a)}
	if a.RolloutID != nil {
		m.Rollout = ui.Link{Text: *a.RolloutID, URL: r.link(staff.RolloutView, present.RolloutURL(*a.RolloutID))}
	}
	open := r.may(staff.PricingEdit) && !m.Retired
	if open {
		m.NewURL = "/pricing/new?action=" + seg(a.ID)
	}
	if open && a.RolloutID == nil {
		m.RetireURL = present.ActionURL(a.ID) + "/retire"
	}
	of := make(map[string]pricing.Rule, len(versions))
	for _, v := range versions {
		of[v.ID] = v.Rule
	}
	for _, v := range versions {
		v.InForce = v.InForce && !m.Retired
		row := pr.RuleVersion(v, of, a.Unit)
		if v.RolloutID != nil {
			row.Rollout = ui.Link{Text: *v.RolloutID, URL: r.link(staff.RolloutView, present.RolloutURL(*v.RolloutID))}
		}
		if open && !v.InForce && v.RetiredAt == nil {
			if a.RolloutID == nil {
				row.ForceURL = present.RuleURL(v.ID) + "/force"
			}
			if v.RolloutID == nil {
				row.RetireURL = present.RuleURL(v.ID) + "/retire"
			}
		}
		m.Versions = append(m.Versions, row)
	}
	if m.Losses, err = h.losses(r, versions); err != nil {
		return err
	}
	periods, err := h.Pricing.Periods(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, x := range periods {
		if x.Until == nil {
			x.Until = a.RetiredAt
		}
		m.Periods = append(m.Periods, pr.PricePeriod(r.may(staff.RolloutView), x, of, a.Unit))
	}
	return render(c, http.StatusOK, views.ActionPage(h.frame(r), m))
}

// rule reads what the form of a rule version says: prices in credits and discounts in percent, as people speak of them. The fault
// names each field that is not understood.
func (r request) rule() (pricing.NewRule, error) {
	by := r.by()
	n := pricing.NewRule{OperationID: by.OperationID, Actor: by.Actor, RequestID: by.RequestID, Action: r.FormValue("action"), Unit: r.FormValue("unit"),
		Rounding: credit.Rounding(r.FormValue("rounding")), Reason: r.FormValue("reason")}
	read := numbers{r: r}
	n.UnitPrice, n.Minimum = read.fixed("unit_price", pricePlaces, -1), read.whole("minimum", 0)
	n.DiscountBps, n.ExampleUnits = read.share("discount", sharePlaces, 0), read.whole("example_units", defaultExample)
	if n.UnitPrice < 0 && read.bad == nil {
		read.refuse("unit_price", errors.New("is required"))
	}
	if n.ExampleUnits < 1 && read.bad == nil {
		read.refuse("example_units", errors.New("must be at least 1"))
	}
	return n, read.err()
}

// whole reads a whole number that a person typed, as amount does; empty stands for a field that is left out.
func whole(typed string, empty int64) (int64, error) {
	if strings.TrimSpace(typed) == "" {
		return empty, nil
	}
	return amount(typed)
}

func (h *Console) newRulePage(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	m := h.ruleForm(r, act(r, "/pricing"), nil)
	m.Act.Action = "/pricing/new"
	// A new version of an action that there is begins from the one in force.
	if action := r.FormValue("action"); action != "" && r.FormValue("unit_price") == "" {
		if a, err := h.Pricing.Action(ctx, readable(action)); err == nil {
			if m.Unit.Value = a.Unit; a.Priced() {
				m.UnitPrice.Value, m.Minimum.Value = plain(a.Rule.UnitPrice, pricePlaces), present.Units(a.Rule.Minimum)
				m.Discount.Value, m.ExampleUnits.Value = shareOrNone(a.Rule.DiscountBps), present.Units(a.Rule.ExampleUnits)
				m.Rounding = views.RoundingOptions(r.L, string(a.Rule.Rounding))
			}
		}
	}
	if r.FormValue("unit_price") != "" {
		var err error
		if m.Preview, err = h.preview(ctx, r); err != nil {
			return err
		}
	}
	return formPage(c, views.NewPage(h.frame(r), m))
}

// ruleForm is the form with what was typed and what is wrong with it.
func (h *Console) ruleForm(r request, form ui.Act, err error) views.New {
	rounding := r.FormValue("rounding")
	if rounding == "" {
		rounding = string(credit.RoundHalfEven)
	}
	m := views.New{Act: form, Action: field(r, "action", err), Unit: field(r, "unit", err), UnitPrice: field(r, "unit_price", err), Minimum: field(r, "minimum", err),
		Discount: field(r, "discount", err), ExampleUnits: field(r, "example_units", err), Reason: field(r, "reason", err),
		Rounding: views.RoundingOptions(r.L, rounding), RoundingError: field(r, "rounding", err).Error}
	if f := fault.As(err); f != nil {
		if unit, ok := f.Detail[pricing.DetailUnit].(string); ok {
			m.Unit.Error = r.L.T("rule.other_unit", unit)
		}
	}
	if m.ExampleUnits.Value == "" {
		m.ExampleUnits.Value = strconv.Itoa(defaultExample)
	}
	return m
}

func (h *Console) previewRule(c echo.Context) error {
	r := h.of(c)
	p, err := h.preview(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.PreviewPart(r.L, p))
}

// preview works the example out of what stands in the form, beside the price in force, and holds the price against known costs.
func (h *Console) preview(ctx context.Context, r request) (views.Preview, error) {
	n, err := r.rule()
	if r.FormValue("unit_price") == "" {
		return views.Preview{}, nil
	}
	n.Reason = "preview"
	if err == nil {
		if bad := n.Check(); bad != nil {
			err = fault.InvalidFields(bad...)
		}
	}
	if f := fault.As(err); f != nil {
		first := f.Fields[0]
		return views.Preview{Problem: r.L.T("form.problem_of", r.L.Maybe("rule."+first.Name, first.Name), r.L.Maybe("problem."+first.Message, first.Message))}, nil
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	rule := pricing.Rule{Action: n.Action, UnitPrice: n.UnitPrice, Minimum: n.Minimum, DiscountBps: n.DiscountBps, Rounding: n.Rounding, ExampleUnits: n.ExampleUnits}
	var was *pricing.Rule
	if a, err := h.Pricing.Action(ctx, n.Action); err == nil {
		if a.Priced() {
			was = &a.Rule
		}
		if n.Unit != a.Unit {
			return views.Preview{Problem: r.L.T("form.problem_of", r.L.T("rule.unit"), r.L.T("rule.other_unit", a.Unit))}, nil
		}
	}
	loss, err := h.loss(r, rule)
	return views.Preview{Price: pr.Price(rule, n.Unit), Example: pr.Example(rule, was, n.Unit), Loss: loss}, err
}

func (h *Console) newRule(c echo.Context) error {
	r := h.of(c)
	n, err := r.rule()
	var out operation.Outcome
	if err == nil {
		out, err = h.Pricing.CreateRule(c.Request().Context(), n)
	}
	var m views.New
	if err != nil {
		m = h.ruleForm(r, again(r, "/pricing", err), err)
		var unread error
		if m.Preview, unread = h.preview(c.Request().Context(), r); unread != nil {
			return unread
		}
	}
	return h.conclude(r, present.ActionURL(n.Action), pricing.Scope(), out, err, func(error) templ.Component { return views.NewPage(h.frame(r), m) })
}

// ruleOf reads the rule version that the path names, with its action.
func (h *Console) ruleOf(r request) (pricing.Version, pricing.Action, error) {
	id, err := param(r, "rule")
	if err != nil {
		return pricing.Version{}, pricing.Action{}, err
	}
	v, err := h.Pricing.Version(r.Request().Context(), id)
	if err != nil {
		return v, pricing.Action{}, err
	}
	a, err := h.Pricing.Action(r.Request().Context(), v.Action)
	return v, a, err
}

func (h *Console) forceForm(c echo.Context) error {
	r := h.of(c)
	v, a, err := h.ruleOf(r)
	if err != nil {
		return err
	}
	m := forceModel(r, act(r, present.ActionURL(a.ID)), v, a, nil)
	if m.Loss, err = h.loss(r, v.Rule); err != nil {
		return err
	}
	return formPage(c, views.ForcePage(h.frame(r), m))
}

func forceModel(r request, form ui.Act, v pricing.Version, a pricing.Action, err error) views.Force {
	pr := present.Presenter{L: r.L, Now: r.Now}
	m := views.Force{Act: form, Rule: v.ID, Expected: a.Rule.ID, Before: r.L.T("price.none"), After: v.ID + ": " + pr.Price(v.Rule, a.Unit),
		Action: a.ID, ActionURL: present.ActionURL(a.ID), Reason: field(r, "reason", err)}
	var was *pricing.Rule
	if a.Priced() {
		m.Before, was = a.Rule.ID+": "+pr.Price(a.Rule, a.Unit), &a.Rule
	}
	m.Example = pr.Example(v.Rule, was, a.Unit)
	return m
}

func (h *Console) force(c echo.Context) error {
	r := h.of(c)
	v, a, err := h.ruleOf(r)
	if err != nil {
		return err
	}
	by := r.by()
	out, err := h.Pricing.PutInForce(c.Request().Context(), pricing.ForceRequest{OperationID: by.OperationID, Actor: by.Actor, RequestID: by.RequestID,
		RuleVersion: v.ID, Expected: r.FormValue("expected"), Reason: r.FormValue("reason")})
	var m views.Force
	if err != nil {
		m = forceModel(r, again(r, present.ActionURL(a.ID), err), v, a, err)
		var unread error
		if m.Loss, unread = h.loss(r, v.Rule); unread != nil {
			return unread
		}
	}
	return h.conclude(r, present.ActionURL(a.ID), pricing.Scope(), out, err, func(error) templ.Component { return views.ForcePage(h.frame(r), m) })
}

func (h *Console) retireRuleForm(c echo.Context) error {
	r := h.of(c)
	v, a, err := h.ruleOf(r)
	if err != nil {
		return err
	}
	at := present.ActionURL(a.ID)
	return formPage(c, views.RetirePage(h.frame(r), views.Retire{Act: act(r, at), Rule: v.ID, Action: a.ID, ActionURL: at}))
}

func (h *Console) retireRule(c echo.Context) error {
	r := h.of(c)
	v, a, err := h.ruleOf(r)
	if err != nil {
		return err
	}
	at := present.ActionURL(a.ID)
	out, err := h.Pricing.RetireRule(c.Request().Context(), r.retire(v.ID))
	return h.conclude(r, at, pricing.Scope(), out, err, func(err error) templ.Component {
		return views.RetirePage(h.frame(r), views.Retire{Act: again(r, at, err), Rule: v.ID, Action: a.ID, ActionURL: at, Reason: field(r, "reason", err)})
	})
}

func (r request) retire(id string) pricing.RetireRequest {
	by := r.by()
	return pricing.RetireRequest{OperationID: by.OperationID, Actor: by.Actor, RequestID: by.RequestID, ID: id, Reason: r.FormValue("reason")}
}

func (h *Console) retireActionForm(c echo.Context) error {
	r := h.of(c)
	id, err := param(r, "action")
	if err != nil {
		return err
	}
	a, err := h.Pricing.Action(c.Request().Context(), id)
	if err != nil {
		return err
	}
	at := present.ActionURL(a.ID)
	return formPage(c, views.RetirePage(h.frame(r), views.Retire{Act: act(r, at), Action: a.ID, ActionURL: at}))
}

func (h *Console) retireAction(c echo.Context) error {
	r := h.of(c)
	id, err := param(r, "action")
	if err != nil {
		return err
	}
	at := present.ActionURL(id)
	out, err := h.Pricing.RetireAction(c.Request().Context(), r.retire(id))
	return h.conclude(r, at, pricing.Scope(), out, err, func(err error) templ.Component {
		return views.RetirePage(h.frame(r), views.Retire{Act: again(r, at, err), Action: id, ActionURL: at, Reason: field(r, "reason", err)})
	})
}
