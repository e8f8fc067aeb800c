package console

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/cost"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/costs"
	"recoup/views/ui"
)

// typed is a field of a form without the blanks around it.
func typed(r request, name string) string { return strings.TrimSpace(r.FormValue(name)) }

func attributeModel(r request, x cost.Record, form ui.Act) views.Attribute {
	pr := present.Presenter{L: r.L, Now: r.Now}
	return views.Attribute{Act: form, ID: x.ExternalID, URL: present.CostURL(x.Key), Amount: pr.Decimal(x.Amount) + " " + x.Currency, Seq: strconv.FormatInt(x.Seq, 10),
		Before: pr.CostTarget(x)}
}

func (h *Console) attributeForm(c echo.Context) error {
	r := h.of(c)
	x, err := h.costRecord(r)
	if err != nil {
		return err
	}
	m := attributeModel(r, x, act(r, present.CostURL(x.Key)))
	// What the record names itself, or was put down to before, is the likeliest.
	m.Account.Value, m.Job.Value, m.Operation.Value = x.AccountID, x.JobID, x.JobOperationID
	return formPage(c, views.AttributePage(h.frame(r), m))
}

func (h *Console) attributeCost(c echo.Context) error {
	r := h.of(c)
	x, err := h.costRecord(r)
	if err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.FormValue("seq"), 10, 64)
	if err != nil {
		return fault.InvalidField("seq", "is not a number")
	}
	by := r.by()
	out, err := h.Costs.Attribute(c.Request().Context(), cost.AttributeRequest{Envelope: by, RecordKey: x.Key, Seq: seq, AccountID: typed(r, "account"),
		JobID: typed(r, "job"), ToOperationID: typed(r, "to_operation"), Reason: r.FormValue("reason")})
	return h.conclude(r, present.CostURL(x.Key), cost.Scope(x.Source), out, err, func(err error) templ.Component {
		m := attributeModel(r, x, again(r, present.CostURL(x.Key), err))
		m.Seq = r.FormValue("seq")
		m.Account, m.Job, m.Operation, m.Reason = field(r, "account", err), field(r, "job", err), field(r, "to_operation", err), field(r, "reason", err)
		return views.AttributePage(h.frame(r), m)
	})
}

const rulesURL = "/costs/rules"

// maxRules is how many rules the page lists.
const maxRules = 500

func (h *Console) costRules(c echo.Context) error {
	r := h.of(c)
	rules, err := h.Costs.Rules(c.Request().Context(), maxRules)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m := views.Rules{Tabs: costTabs(r, rulesURL), NewURL: r.link(staff.CostAttribute, rulesURL+"/new"), Zone: r.L.ZoneLabel(r.Now)}
	for _, x := range rules {
		v := pr.CostRule(x)
		if x.RetiredAt == nil {
			v.RetireURL = r.link(staff.CostAttribute, rulesURL+"/"+seg(x.ID)+"/retire")
		}
		m.Rows = append(m.Rows, v)
	}
	return render(c, http.StatusOK, views.RulesPage(h.frame(r), m))
}

func (h *Console) costRuleForm(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, rulesURL, "source", "description", "dimension", "dimension_value", "reason")
	given := func(name string) ui.Field { return ui.Field{Value: q.get(name)} }
	m := views.NewRule{Act: act(r, rulesURL), Source: given("source"), Description: given("description"), Dimension: given("dimension"), Value: given("dimension_value"), Reason: given("reason")}
	var err error
	if m.Preview, err = h.rulePreview(r); err != nil {
		return err
	}
	return formPage(c, views.NewRulePage(h.frame(r), m))
}

// match is what the form of a rule says.
func (r request) match() cost.Match {
	value := func(name string) string { return readable(typed(r, name)) }
	return cost.Match{Source: value("source"), Description: value("description"), Dimension: value("dimension"), DimensionValue: value("dimension_value")}
}

// rulePreview is what the rule of a form would claim.
func (h *Console) rulePreview(r request) (views.RulePreview, error) {
	match := r.match()
	if match == (cost.Match{}) {
		return views.RulePreview{}, nil
	}
	p, err := h.Costs.PreviewRule(r.Request().Context(), match)
	if bad := invalidFields(err); len(bad) > 0 {
		return views.RulePreview{Problem: r.L.Maybe("problem."+bad[0].Message, bad[0].Message)}, nil
	}
	if err != nil {
		return views.RulePreview{}, err
	}
	return views.RulePreview{Say: r.L.N("costs.rule_ahead", p.Records), Totals: present.Presenter{L: r.L, Now: r.Now}.CostTotals(p.Totals)}, nil
}

func (h *Console) previewCostRule(c echo.Context) error {
	r := h.of(c)
	p, err := h.rulePreview(r)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.RulePreviewPart(r.L, p))
}

func (h *Console) addCostRule(c echo.Context) error {
	r := h.of(c)
	out, err := h.Costs.AddRule(c.Request().Context(), cost.RuleRequest{Envelope: r.by(), Match: cost.Match{Source: typed(r, "source"), Description: typed(r, "description"),
		Dimension: typed(r, "dimension"), DimensionValue: typed(r, "dimension_value")}, Reason: r.FormValue("reason")})
	var ahead views.RulePreview
	if err != nil {
		var unread error
		if ahead, unread = h.rulePreview(r); unread != nil {
			return unread
		}
	}
	return h.conclude(r, rulesURL, operation.Named("settings"), out, err, func(err error) templ.Component {
		return views.NewRulePage(h.frame(r), views.NewRule{Preview: ahead, Act: again(r, rulesURL, err), Source: field(r, "source", err), Description: field(r, "description", err),
			Dimension: field(r, "dimension", err), Value: field(r, "dimension_value", err), Reason: field(r, "reason", err)})
	})
}

// pathRule reads the rule of the path.
func (h *Console) pathRule(r request) (cost.Rule, error) {
	id, err := param(r, "cost_rule")
	if err != nil {
		return cost.Rule{}, err
	}
	return h.Costs.Rule(r.Request().Context(), id)
}

func (h *Console) retireCostRuleForm(c echo.Context) error {
	r := h.of(c)
	x, err := h.pathRule(r)
	if err != nil {
		return err
	}
	return formPage(c, views.RetirePage(h.frame(r), views.Retire{Act: act(r, rulesURL), Match: present.Presenter{L: r.L}.RuleMatch(x)}))
}

func (h *Console) retireCostRule(c echo.Context) error {
	r := h.of(c)
	x, err := h.pathRule(r)
	if err != nil {
		return err
	}
	out, err := h.Costs.RetireRule(c.Request().Context(), cost.RetireRequest{Envelope: r.by(), RuleID: x.ID, Reason: r.FormValue("reason")})
	return h.conclude(r, rulesURL+"?about="+seg(x.ID), operation.Named("settings"), out, err, func(err error) templ.Component {
		return views.RetirePage(h.frame(r), views.Retire{Act: again(r, rulesURL, err), Match: present.Presenter{L: r.L}.RuleMatch(x), Reason: field(r, "reason", err)})
	})
}

// costObject is the object of the audit log that a page of costs is about, "" for none.
func costObject(r request) string {
	switch {
	case r.Param("record") != "":
		if key, err := strconv.ParseInt(r.Param("record"), 10, 64); err == nil {
			return cost.Object(key)
		}
	case r.Param("import") != "":
		return "cost_import:" + readable(r.Param("import"))
	case r.Path() == rulesURL && r.QueryParam("about") != "":
		return "cost_rule:" + readable(r.QueryParam("about"))
	}
	return ""
}
