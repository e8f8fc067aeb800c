package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/rollout"
	"recoup/models/staff"
	"recoup/views/layout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

const (
	// shownRollouts is how many rollouts a form offers.
	shownRollouts = 200
	// tryUnits is how much a tried account is priced for.
	tryUnits = 60
)

// rolloutRoutes declares the URLs of prices and rollouts.
func (h *Console) rolloutRoutes(get, post func(path, name string, access route.Access, handler echo.HandlerFunc) route.Route) []route.Route {
	may := route.SignedIn
	routes := []route.Route{
		get("/pricing", "prices", may(staff.PricingView), h.prices),
		get("/pricing/actions/:action", "prices.action", may(staff.PricingView), h.priceAction),
		get("/pricing/new", "prices.new", may(staff.PricingEdit), h.newRulePage),
		post("/pricing/new", "prices.new.post", may(staff.PricingEdit), h.newRule),
		get("/pricing/preview", "prices.preview", may(staff.PricingEdit), h.previewRule),
		get("/pricing/actions/:action/retire", "prices.retire", may(staff.PricingEdit), h.retireActionForm),
		post("/pricing/actions/:action/retire", "prices.retire.post", may(staff.PricingEdit), h.retireAction),
		get("/pricing/rules/:rule/force", "prices.force", may(staff.PricingEdit), h.forceForm),
		post("/pricing/rules/:rule/force", "prices.force.post", may(staff.PricingEdit), h.force),
		get("/pricing/rules/:rule/retire", "prices.retire_rule", may(staff.PricingEdit), h.retireRuleForm),
		post("/pricing/rules/:rule/retire", "prices.retire_rule.post", may(staff.PricingEdit), h.retireRule),

		get("/rollouts", "rollouts", may(staff.RolloutView), h.rollouts),
		get("/new/rollout", "rollouts.new", may(staff.RolloutCreate), h.newRolloutPage),
		post("/new/rollout", "rollouts.new.post", may(staff.RolloutCreate), h.newRollout),
		get("/new/rollout/candidate", "rollouts.candidate", may(staff.RolloutCreate), h.candidatePart),
		get("/rollouts/:rollout", "rollout", may(staff.RolloutView), h.rollout),
		post("/rollouts/:rollout/check", "rollout.check", may(staff.RolloutView), h.checkRollout),
	}
	for _, m := range h.moves() {
		routes = append(routes,
			get("/rollouts/:rollout/"+m.path, "rollout."+m.name, may(m.permission), func(c echo.Context) error { return h.moveForm(c, m) }),
			post("/rollouts/:rollout/"+m.path, "rollout."+m.name+".post", may(m.permission), func(c echo.Context) error { return h.move(c, m) }))
	}
	return routes
}

// rolloutMove is a step that a person can make.
type rolloutMove struct {
	name, path string
	permission staff.Permission
	from       []rollout.State
	danger     bool
	// checked is true for a step that waits for the checks.
	checked bool
	do      func(context.Context, rollout.StepRequest) (operation.Outcome, error)
}

// moves are all steps in the order of their buttons, the main one last.
func (h *Console) moves() []rolloutMove {
	return []rolloutMove{
		{name: "archive", path: "archive", permission: staff.RolloutCreate, from: []rollout.State{rollout.Draft}, danger: true, do: h.Rollouts.Archive},
		{name: "pause", path: "pause", permission: staff.RolloutPause, from: []rollout.State{rollout.Running}, do: h.Rollouts.Pause},
		{name: "roll_back", path: "roll-back", permission: staff.RolloutBack, from: []rollout.State{rollout.Running, rollout.Paused, rollout.Halted}, danger: true, do: h.Rollouts.RollBack},
		{name: "start", path: "start", permission: staff.RolloutAdvance, from: []rollout.State{rollout.Draft}, do: h.Rollouts.Start},
		{name: "resume", path: "resume", permission: staff.RolloutPause, from: []rollout.State{rollout.Paused, rollout.Halted}, do: h.Rollouts.Resume},
		{name: "advance", path: "advance", permission: staff.RolloutAdvance, from: []rollout.State{rollout.Running}, checked: true, do: h.Rollouts.Advance},
		{name: "complete", path: "complete", permission: staff.RolloutAdvance, from: []rollout.State{rollout.Running}, checked: true, do: h.Rollouts.Complete},
	}
}

// possible reports whether a rollout's state allows the step.
func (m rolloutMove) possible(o rollout.Rollout) bool {
	for _, s := range m.from {
		if s == o.State {
			return m.name != "advance" && m.name != "complete" || m.name == "advance" && o.Next() != nil || m.name == "complete" && o.Full()
		}
	}
	return false
}

func (h *Console) rollouts(c echo.Context) error {
	r := h.of(c)
	q := newQuery(r, "/rollouts")
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), NewURL: r.link(staff.RolloutCreate, "/new/rollout"), List: list(nil, q.path)}
	show := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[rollout.Position](r, q)
	rows, err := h.Rollouts.Page(c.Request().Context(), from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, o := range rows.Rows {
		m.Rows = append(m.Rows, pr.RolloutRow(o))
	}
	return fragment(r, h, http.StatusOK, show, part)
}

// rolloutOf reads the rollout that the path names.
func (h *Console) rolloutOf(r request) (rollout.Rollout, error) {
	id, err := param(r, "rollout")
	if err != nil {
		return rollout.Rollout{}, err
	}
	return h.Rollouts.Find(r.Request().Context(), id)
}

func (h *Console) rollout(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	reach, err := h.reach(ctx, o)
	if err != nil {
		return err
	}
	checks, err := h.Rollouts.LastChecks(ctx, o.ID)
	if err != nil {
		return err
	}
	history, err := h.Rollouts.History(ctx, o.ID)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	prices, err := h.pricesOf(ctx, o)
	if err != nil {
		return err
	}
	m := pr.Rollout(o, prices, reach, checks, history)
	r.reachable(m.Checks)
	if m.Findings, err = h.findings(r, pr, o.ID); err != nil {
		return err
	}
	if m.Effects, err = h.effects(r, pr, o); err != nil {
		return err
	}
	at := present.RolloutURL(o.ID)
	for _, step := range h.moves() {
		if !step.possible(o) || !r.may(step.permission) {
			continue
		}
		v := views.Step{Name: step.name, URL: at + "/" + step.path, Danger: step.danger}
		if v.Blocked, err = h.blocked(r, pr, step, o); err != nil {
			return err
		}
		m.Steps = append(m.Steps, v)
	}
	if n := len(m.Steps); n > 0 && !m.Steps[n-1].Danger {
		m.Steps[n-1].Main = true
	}
	if o.State.Live() {
		m.CheckURL = at + "/check"
	}
	if o.State.Live() || o.State == rollout.Draft {
		if m.Loss, err = h.lossOf(r, o.Candidate); err != nil {
			return err
		}
	}
	if err := h.terms(r, pr, o, &m); err != nil {
		return err
	}
	if m.Settle, err = h.settleNote(r, o); err != nil {
		return err
	}
	if err := h.scheduled(r, pr, o, &m); err != nil {
		return err
	}
	if m.Try, err = h.try(r, pr, o); err != nil {
		return err
	}
	m.Try.Action = at
	return render(c, http.StatusOK, views.RolloutPage(h.frame(r), m))
}

// try says what the account in the page's URL would get now.
func (h *Console) try(r request, pr present.Presenter, o rollout.Rollout) (views.Try, error) {
	typed := readable(r.QueryParam("account"))
	if typed == "" {
		return views.Try{}, nil
	}
	d, err := h.Pricing.Preview(r.Request().Context(), typed, o.Action, tryUnits)
	var t views.Try
	switch f := fault.As(err); {
	case f != nil && f.Kind == fault.NotFound:
		t.Account.Error = r.L.T("try.unknown", typed)
	case f != nil:
		t.Account.Error = sentence(r.L, f)
	case err != nil:
		return t, err
	default:
		t = pr.Tried(d, o.Unit)
	}
	t.Account.Value = typed
	return t, nil
}

// checkRollout makes the checks now and leads back to the page. It changes nothing but what the next minute would.
func (h *Console) checkRollout(c echo.Context) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	if o.State.Live() {
		if _, err := h.Rollouts.Check(c.Request().Context(), o.ID); err != nil {
			return err
		}
	}
	return c.Redirect(http.StatusSeeOther, present.RolloutURL(o.ID))
}

func (h *Console) moveForm(c echo.Context, m rolloutMove) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	if !m.possible(o) {
		// A form from before the rollout moved on could only say what does not come: its page says how things stand.
		return c.Redirect(http.StatusSeeOther, present.RolloutURL(o.ID))
	}
	page, err := h.movePage(r, m, o, act(r, present.RolloutURL(o.ID)), nil)
	if err != nil {
		return err
	}
	return formPage(c, page)
}

// movePage is the form of a step, with what it leads to.
func (h *Console) movePage(r request, m rolloutMove, o rollout.Rollout, form ui.Act, refused error) (templ.Component, error) {
	pr := present.Presenter{L: r.L, Now: r.Now}
	var checks *rollout.Checks
	checked := m.checked || m.name == "resume" && o.State == rollout.Halted
	if checked && o.State.Live() {
		var err error
		if o, checks, err = h.checkedNow(r.Request().Context(), o); err != nil {
			return nil, err
		}
		// The checks may be later than the request.
		if checks != nil && checks.At.After(pr.Now) {
			pr.Now = checks.At
		}
	}
	version := strconv.FormatInt(o.Version, 10)
	if seen := r.FormValue("version"); seen != "" {
		version = seen
	}
	f := views.Move{Act: form, Name: m.name, ID: o.ID, URL: present.RolloutURL(o.ID), Version: version, Danger: m.danger, Reason: field(r, "reason", refused), Candidate: o.Candidate}
	switch m.name {
	case "start", "advance":
		var err error
		if f.Blocked, err = h.unstartable(r, pr, o); err != nil {
			return nil, err
		}
		if f.Blocked != "" {
			break // nothing comes of it that could be shown
		}
		if f.Changes, f.Notes, err = h.nextStage(r, pr, o); err != nil {
			return nil, err
		}
	case "complete":
		f.Changes = []ui.Change{{Label: r.L.T("step.price_of_all"), Before: o.Baseline, After: o.Candidate}}
	case "roll_back":
		f.Changes = []ui.Change{{Label: r.L.T("step.new_charges"), Before: o.Candidate, After: o.Baseline},
			{Label: r.L.T("step.enrolled"), Before: r.L.Credits(o.Enrolled), After: r.L.Credits(0)}}
	case "pause":
		f.Changes = []ui.Change{{Label: r.L.T("col.state"), Before: r.L.T("state.running"), After: r.L.T("state.paused")}}
	case "resume":
		f.Changes = []ui.Change{{Label: r.L.T("col.state"), Before: r.L.Maybe("state."+string(o.State), string(o.State)), After: r.L.T("state.running")}}
	case "archive":
		f.Changes = []ui.Change{{Label: r.L.T("col.state"), Before: r.L.T("state.draft"), After: r.L.T("state.archived")}}
	}
	if checked {
		unsafe := pr.Unsafe
		if m.name == "resume" {
			unsafe = pr.Unresumable
		}
		f.Made, f.Checks = pr.MoveChecks(o, checks)
		r.reachable(f.Checks)
		if f.Blocked = unsafe(o, checks); f.Blocked != "" {
			f.Help = pr.Help(o, checks)
		} else if checks != nil && !checks.Passed() {
			f.Notes = append(f.Notes, r.L.T("step.resume_lacks"))
		}
	}
	if until := o.DwellUntil(); (m.name == "advance" || m.name == "complete") && until != nil && until.After(pr.Now) {
		f.Blocked = strings.TrimSpace(r.L.T("effect.dwell", r.L.Stamp(*until, pr.Now).Full) + " " + f.Blocked)
	}
	if m.name == "start" || m.name == "advance" || m.name == "complete" {
		var err error
		if f.Loss, err = h.lossOf(r, o.Candidate); err != nil {
			return nil, err
		}
	}
	if err := h.overdue(r, m, o, &f); err != nil {
		return nil, err
	}
	if err := h.askSecond(r, m, o, pr, &f); err != nil {
		return nil, err
	}
	return views.MovePage(h.frame(r), f), nil
}

func (h *Console) move(c echo.Context, m rolloutMove) error {
	r := h.of(c)
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	version, err := strconv.ParseInt(r.FormValue("version"), 10, 64)
	if err != nil {
		version = 0 // of no rollout: the page is not one of ours, and is told the state as it is
	}
	out, err := m.do(c.Request().Context(), rollout.StepRequest{Envelope: r.by(), RolloutID: o.ID, Version: version, Reason: r.FormValue("reason"), Replaces: r.replaced()})
	var page templ.Component
	if err != nil {
		var pageErr error
		if page, pageErr = h.movePage(r, m, o, again(r, present.RolloutURL(o.ID), err), err); pageErr != nil {
			return pageErr
		}
	}
	return h.conclude(r, present.RolloutURL(o.ID), rollout.ScopeOf(o.ID), out, err, func(error) templ.Component { return page })
}

// candidates are the rule versions that may be tried.
func (h *Console) candidates(ctx context.Context, chosen string) ([]ui.Option, error) {
	rules, err := h.Pricing.Candidates(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]ui.Option, len(rules))
	for i, rule := range rules {
		out[i] = ui.Option{Value: rule, Label: rule, Selected: rule == chosen}
	}
	return out, nil
}

func (h *Console) newRolloutPage(c echo.Context) error {
	r := h.of(c)
	m, err := h.newRolloutForm(r, act(r, "/rollouts"), nil)
	if err != nil {
		return err
	}
	return formPage(c, views.NewPage(h.frame(r), m))
}

func (h *Console) newRollout(c echo.Context) error {
	r := h.of(c)
	n, err := r.draft()
	var out operation.Outcome
	if err == nil {
		out, err = h.Rollouts.Create(c.Request().Context(), n)
	}
	var m views.New
	if err != nil {
		var formErr error
		if m, formErr = h.newRolloutForm(r, again(r, "/rollouts", err), err); formErr != nil {
			return formErr
		}
	}
	if fault.Is(err, fault.CodeRuleNotFound) || fault.Is(err, fault.CodeStateConflict) {
		// The candidate of the form is gone, retired or was never there: the form says so, for there is no rollout whose page could.
		m.CandidateError = sentence(r.L, fault.As(err))
		return render(r, http.StatusUnprocessableEntity, views.NewPage(h.frame(r), m))
	}
	return h.conclude(r, present.RolloutURL(n.ID), rollout.Scope(), out, err, func(error) templ.Component { return views.NewPage(h.frame(r), m) })
}
