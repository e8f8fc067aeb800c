package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/dependency"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/dependencies"
	"recoup/views/layout"
	"recoup/views/ui"
)

const (
	dependenciesPath = "/dependencies"
	// newHoldPath asks for the dependency's name. It is no page below dependenciesPath, where a dependency may have any name.
	newHoldPath = "/new/hold"
	// unhealthyShown is how many dependencies are counted where only their number is told.
	unhealthyShown = 99
	// shownEvents is how many events of a history a page shows.
	shownEvents = 20
)

func dependencyURL(name string) string { return dependenciesPath + "/" + seg(name) }

// dependencyRoutes declares the URLs of dependencies.
func (h *Console) dependencyRoutes(get, post func(path, name string, access route.Access, handler echo.HandlerFunc) route.Route) []route.Route {
	may := route.SignedIn
	const one = dependenciesPath + "/:dependency"
	return []route.Route{
		get(dependenciesPath, "dependencies", may(staff.QueueView), h.dependencies),
		get(newHoldPath, "dependency.new", may(staff.DependencyHold), h.askHold),
		post(newHoldPath, "dependency.new.post", may(staff.DependencyHold), h.answerHold),
		get(one, "dependency", may(staff.QueueView), h.dependency),
		get(one+"/hold", "dependency.hold", may(staff.DependencyHold), h.askHold),
		post(one+"/hold", "dependency.hold.post", may(staff.DependencyHold), h.answerHold),
		get(one+"/release", "dependency.release", may(staff.DependencyHold), h.askHold),
		post(one+"/release", "dependency.release.post", may(staff.DependencyHold), h.answerHold),
		get(one+"/settings", "dependency.settings", may(staff.DependencyEdit), h.dependencySettingsForm),
		post(one+"/settings", "dependency.settings.post", may(staff.DependencyEdit), h.changeDependency),
		get(one+"/default", "dependency.default", may(staff.DependencyEdit), h.askHold),
		post(one+"/default", "dependency.default.post", may(staff.DependencyEdit), h.answerHold),
		get(one+"/no_default", "dependency.no_default", may(staff.DependencyEdit), h.askHold),
		post(one+"/no_default", "dependency.no_default.post", may(staff.DependencyEdit), h.answerHold),
	}
}

func (h *Console) dependencies(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := newQuery(r, dependenciesPath, "tab", "name")
	m := views.Model{Zone: r.L.ZoneLabel(r.Now), NewURL: r.link(staff.DependencyHold, newHoldPath),
		Tabs: []ui.Choice{
			{Text: r.L.T("deps.all"), URL: q.without("tab"), Current: q.get("tab") != "unhealthy"},
			{Text: r.L.T("deps.unhealthy"), URL: q.with("tab", "unhealthy"), Current: q.get("tab") == "unhealthy"}}}
	m.List = list(q.chip(nil, "name", r.L.T("deps.name")), dependenciesPath)
	if q.get("tab") == "unhealthy" {
		m.List.Chips = append(m.List.Chips, ui.Chip{Label: r.L.T("col.state"), Value: r.L.T("deps.unhealthy"), RemoveURL: q.without("tab")})
	}
	show := func(f layout.Frame) component { return views.ListPage(f, m) }
	part := func() component { return views.List(r.L, m) }
	from, dir := position[dependency.Position](r, q)
	rows, err := h.Dependencies.List(ctx, dependency.Filter{Unhealthy: q.get("tab") == "unhealthy", Prefix: q.get("name")}, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, s := range rows.Rows {
		m.Rows = append(m.Rows, pr.DependencyRow(s, dependencyURL(s.Name)))
	}
	if m.Actions, err = h.heldActions(r); err != nil {
		return err
	}
	return fragment(r, h, http.StatusOK, show, part)
}

// heldActions are the holds on actions.
func (h *Console) heldActions(r request) ([]views.Action, error) {
	holds, err := h.Dependencies.Actions(r.Request().Context())
	if err != nil || len(holds) == 0 {
		return nil, err
	}
	names, err := h.actors(r.Request().Context())
	if err != nil {
		return nil, err
	}
	pr := present.Presenter{L: r.L, Now: r.Now, Names: names.names}
	var out []views.Action
	for _, x := range holds {
		out = append(out, pr.HeldAction(x, queueURL("action", x.Name), r.link(staff.DependencyHold, heldActionURL(x.Name)+"/release")))
	}
	return out, nil
}

// found reads the dependency of the URL.
func (h *Console) found(r request) (dependency.Status, error) {
	name, err := param(r, "dependency")
	if err != nil {
		return dependency.Status{}, err
	}
	return h.Dependencies.Find(r.Request().Context(), readable(name))
}

func (h *Console) dependency(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	s, err := h.found(r)
	if err != nil {
		return err
	}
	before, err := strconv.ParseInt(r.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	events, err := h.Dependencies.History(ctx, dependency.OfDependency, s.Name, before, shownEvents+1)
	if err != nil {
		return err
	}
	results, err := h.Dependencies.Results(ctx, s.Name, time.Minute, 60)
	if err != nil {
		return err
	}
	defaults, err := h.Dependencies.Defaults(ctx)
	if err != nil {
		return err
	}
	names, err := h.actors(ctx)
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now, Names: names.names}
	at := dependencyURL(s.Name)
	m := pr.Dependency(s, results)
	if len(events) > shownEvents {
		events = events[:shownEvents]
		m.OlderURL = at + "?before=" + strconv.FormatInt(events[shownEvents-1].Key, 10)
	}
	if m.Events, err = pr.HoldEvents(events); err != nil {
		return err
	}
	for _, d := range defaults {
		if d.Dependency == s.Name {
			m.Defaults = append(m.Defaults, views.Default{Action: d.Action, URL: r.link(staff.DependencyEdit, at+"/no_default?action="+seg(d.Action))})
		}
	}
	named, err := h.Dependencies.Named(ctx, s.Name)
	if err != nil {
		return err
	}
	if !named {
		m.Unnamed = r.L.T("deps.unnamed")
	}
	m.QueueURL = queueURL("dependency", s.Name)
	m.SettingsURL, m.DefaultURL = r.link(staff.DependencyEdit, at+"/settings"), r.link(staff.DependencyEdit, at+"/default")
	if s.Health() != dependency.Held {
		m.HoldURL = r.link(staff.DependencyHold, at+"/hold")
	}
	if s.Hold != nil {
		m.ReleaseURL = r.link(staff.DependencyHold, at+"/release")
	}
	return render(c, http.StatusOK, views.Detail(h.frame(r), m))
}

// asked is a form about a dependency or an action, by the last part of its path.
type asked struct {
	what   string
	kind   dependency.Kind
	name   string
	to     string
	status *dependency.Status
	// hold is what is to be released of an action; nil where nothing holds it.
	hold *dependency.Hold
}

// holdAsked reads which form is meant and of what.
func (h *Console) holdAsked(r request) (asked, error) {
	path := r.Request().URL.Path
	a := asked{what: path[strings.LastIndex(path, "/")+1:], kind: dependency.OfDependency, to: dependenciesPath}
	if strings.HasPrefix(path, queuePath+"/") {
		a.kind, a.what, a.name = dependency.OfAction, a.what+"_action", readable(r.FormValue("action"))
		if a.what == "release_action" {
			name, err := param(r, "held")
			if err != nil {
				return a, err
			}
			a.name = readable(name)
			if a.hold, err = h.Dependencies.ActionHoldOf(r.Request().Context(), a.name); err != nil {
				return a, err
			}
		}
		a.to = queuePath
		if a.name != "" {
			a.to = queueURL("action", a.name)
		}
		return a, nil
	}
	if path == newHoldPath {
		a.what = "new"
		if a.name = strings.TrimSpace(r.FormValue("name")); a.name != "" {
			a.to = dependencyURL(a.name)
		}
		return a, nil
	}
	s, err := h.found(r)
	a.name, a.status, a.to = s.Name, &s, dependencyURL(s.Name)
	return a, err
}

// holdForm is the form's page.
func (h *Console) holdForm(r request, a asked, form ui.Act, err error) (views.Ask, error) {
	m := views.Ask{Act: form, What: a.what, Name: a.name, Section: views.Section(layout.Dependencies), Danger: a.what == "hold" || a.what == "hold_action",
		Crumbs: []ui.Link{{Text: r.L.T("nav.dependencies"), URL: dependenciesPath}}, Reason: field(r, "reason", err)}
	waiting := func(n int64) {
		if n > 0 {
			m.Changes = append(m.Changes, ui.Change{Label: r.L.T("holds.waiting"), After: present.Presenter{L: r.L, Now: r.Now}.JobsWaiting(n)})
		}
	}
	rate := func(perMinute int64) error {
		f := field(r, "per_minute", err)
		if r.Request().Method == http.MethodGet {
			f.Value = strconv.FormatInt(perMinute, 10)
		}
		m.PerMinute, m.Seen = &f, r.FormValue("seen")
		if m.Seen != "" {
			return nil
		}
		last, err := h.Dependencies.LastStep(r.Request().Context(), a.kind, a.name)
		m.Seen = strconv.FormatInt(last, 10)
		return err
	}
	if a.kind == dependency.OfAction {
		m.Section, m.Crumbs = views.Section(layout.Queue), []ui.Link{{Text: r.L.T("nav.queue"), URL: queuePath}}
		if a.what == "hold_action" {
			all, err := h.Dependencies.Defaults(r.Request().Context())
			for _, d := range all {
				m.Actions = append(m.Actions, ui.Option{Value: d.Action, Label: d.Action, Selected: d.Action == a.name})
			}
			return m, err
		}
		m.Changes = append(m.Changes, ui.Change{Label: r.L.T("col.action"), After: a.name})
		if a.what == "release_action" {
			perMinute := int64(600)
			if a.hold != nil {
				perMinute = a.hold.PerMinute
				changes, err := h.heldAction(r, a.name)
				if err != nil {
					return m, err
				}
				m.Changes = append(m.Changes, changes...)
			}
			return m, rate(perMinute)
		}
		return m, nil
	}
	if a.what == "new" {
		return m, h.askName(r, &m, err)
	}
	m.Crumbs = append(m.Crumbs, ui.Link{Text: a.name, URL: a.to})
	m.Changes = append(m.Changes, ui.Change{Label: r.L.T("holds.object"), After: a.name})
	switch a.what {
	case "hold":
		waiting(a.status.Waiting)
		if named, err := h.Dependencies.Named(r.Request().Context(), a.name); err != nil || !named {
			m.Changes = append(m.Changes, ui.Change{Label: r.L.T("holds.named_by"), After: r.L.T("holds.named_by_none")})
			return m, err
		}
	case "release":
		waiting(a.status.Waiting)
		if err := rate(a.status.ReleasePerMinute); err != nil {
			return m, err
		}
	case "default":
		all, err := h.Dependencies.Defaults(r.Request().Context())
		if err != nil {
			return m, err
		}
		for _, d := range all {
			label := d.Action
			if d.Dependency == a.name {
				continue
			}
			m.Defaults = append(m.Defaults, ui.Option{Value: d.Action, Label: seenOr(r, d.Action, d.Dependency)})
			if d.Dependency != "" {
				label += " → " + d.Dependency
			}
			m.Actions = append(m.Actions, ui.Option{Value: d.Action, Label: label, Selected: d.Action == r.FormValue("action")})
		}
	case "no_default":
		action := readable(r.FormValue("action"))
		m.Actions = []ui.Option{{Value: action, Label: action, Selected: true}}
		m.Defaults = []ui.Option{{Value: action, Label: seenOr(r, action, a.name)}}
	}
	return m, nil
}

// heldAction says who holds an action since when and why, and how many of its jobs wait.
func (h *Console) heldAction(r request, action string) ([]ui.Change, error) {
	all, err := h.Dependencies.Actions(r.Request().Context())
	if err != nil {
		return nil, err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return nil, err
	}
	for _, held := range all {
		if held.Name == action {
			return pr.HeldActionLines(held), nil
		}
	}
	return nil, nil
}

// seenOr is the default of an action that the person saw when the form was opened: what a form that was sent says, or what is
// so now.
func seenOr(r request, action, now string) string {
	if seen := seenDefault(r, action); seen != nil {
		return *seen
	}
	return now
}

// seenDefault is what a form that was sent says of an action's default; nil where it says nothing.
func seenDefault(r request, action string) *string {
	form, err := r.FormParams()
	if err != nil || !form.Has("seen."+action) {
		return nil
	}
	seen := form.Get("seen." + action)
	return &seen
}

func (h *Console) askHold(c echo.Context) error {
	r := h.of(c)
	a, err := h.holdAsked(r)
	if err != nil {
		return err
	}
	m, err := h.holdForm(r, a, act(r, a.to), nil)
	if err != nil {
		return err
	}
	if a.what == "release_action" && a.hold == nil {
		return c.Redirect(http.StatusSeeOther, a.to)
	}
	return formPage(c, views.AskPage(h.frame(r), m))
}

func (h *Console) answerHold(c echo.Context) error {
	r := h.of(c)
	a, err := h.holdAsked(r)
	if err != nil {
		return err
	}
	ctx, by := c.Request().Context(), dependency.Request{Envelope: r.by(), Name: a.name, Reason: r.FormValue("reason")}
	var out operation.Outcome
	switch a.what {
	case "new", "hold":
		by.OnlyNamed = a.what == "new" && !saidUnnamed(r, a.name)
		out, err = h.Dependencies.Hold(ctx, by)
	case "hold_action":
		out, err = h.Dependencies.HoldAction(ctx, by)
	case "release", "release_action":
		if seen, err := strconv.ParseInt(r.FormValue("seen"), 10, 64); err == nil {
			by.Seen = &seen
		}
		perMinute, bad := wholeOf(r, "per_minute")
		switch {
		case bad != nil:
			err = bad
		case a.kind == dependency.OfAction:
			out, err = h.Dependencies.ReleaseAction(ctx, by, perMinute)
		default:
			out, err = h.Dependencies.Release(ctx, by, perMinute)
		}
	case "default", "no_default":
		action := readable(r.FormValue("action"))
		out, err = h.Dependencies.SetDefault(ctx, by, action, a.what == "default", seenDefault(r, action))
	}
	return h.concludeHold(r, a, out, err)
}

func (h *Console) concludeHold(r request, a asked, out operation.Outcome, err error) error {
	m, formErr := h.holdForm(r, a, again(r, a.to, err), err)
	if formErr != nil {
		return formErr
	}
	return h.conclude(r, a.to, dependency.ScopeOf(a.kind, a.name), out, err, func(error) templ.Component { return views.AskPage(h.frame(r), m) })
}

// wholeOf reads a whole number of a form.
func wholeOf(r request, name string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(r.FormValue(name)), 10, 64)
	if err != nil {
		return 0, fault.InvalidField(name, "must be a whole number")
	}
	return n, nil
}

func breakerOptions(r request, on bool) []ui.Option {
	return []ui.Option{{Value: "on", Label: r.L.T("deps.on"), Selected: on}, {Value: "off", Label: r.L.T("deps.off"), Selected: !on}}
}

func (h *Console) dependencySettingsForm(c echo.Context) error {
	r := h.of(c)
	s, err := h.found(r)
	if err != nil {
		return err
	}
	at := dependencyURL(s.Name)
	number := func(n int64) ui.Field { return ui.Field{Value: strconv.FormatInt(n, 10)} }
	return formPage(c, views.SettingsPage(h.frame(r), views.Settings{Act: act(r, at), Name: s.Name, PageURL: at, Revision: strconv.FormatInt(s.Revision, 10),
		Breaker: breakerOptions(r, s.Breaker), Percent: number(s.FailurePercent), Window: number(s.WindowResults), Minimum: number(s.MinimumResults),
		OpenS: number(s.OpenS), Probes: number(s.Probes), PerMinute: number(s.ReleasePerMinute)}))
}

func (h *Console) changeDependency(c echo.Context) error {
	r := h.of(c)
	s, err := h.found(r)
	if err != nil {
		return err
	}
	at := dependencyURL(s.Name)
	to := dependency.Settings{Breaker: r.FormValue("breaker") == "on"}
	var revision int64
	var bad []fault.Field
	for _, x := range []struct {
		name string
		to   *int64
	}{{"revision", &revision}, {"failure_percent", &to.FailurePercent}, {"window_results", &to.WindowResults}, {"minimum_results", &to.MinimumResults},
		{"open_s", &to.OpenS}, {"probes", &to.Probes}, {"release_per_minute", &to.ReleasePerMinute}} {
		n, err := wholeOf(r, x.name)
		if err != nil {
			bad = slices.Concat(bad, invalidFields(err))
		}
		*x.to = n
	}
	var out operation.Outcome
	if len(bad) > 0 {
		err = fault.InvalidFields(bad...)
	} else {
		out, err = h.Dependencies.Change(c.Request().Context(), dependency.Request{Envelope: r.by(), Name: s.Name, Reason: r.FormValue("reason")}, revision, to)
	}
	return h.conclude(r, at, dependency.ScopeOf(dependency.OfDependency, s.Name), out, err, func(err error) templ.Component {
		return views.SettingsPage(h.frame(r), views.Settings{Act: again(r, at, err), Name: s.Name, PageURL: at, Revision: r.FormValue("revision"),
			Breaker: breakerOptions(r, to.Breaker), Percent: field(r, "failure_percent", err), Window: field(r, "window_results", err),
			Minimum: field(r, "minimum_results", err), OpenS: field(r, "open_s", err), Probes: field(r, "probes", err),
			PerMinute: field(r, "release_per_minute", err), Reason: field(r, "reason", err)})
	})
}
