package console

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/process"
	"recoup/models/staff"
	"recoup/views/layout"
	views "recoup/views/queue"
	"recoup/views/ui"
)

const queuePath = "/queue"

// queueURL is the queue with one filter.
func queueURL(name, value string) string { return address(queuePath, url.Values{name: {value}}) }

func heldActionURL(action string) string { return queuePath + "/actions/" + seg(action) }

// queueRoutes declares the URLs of the queue.
func (h *Console) queueRoutes(get, post func(path, name string, access route.Access, handler echo.HandlerFunc) route.Route) []route.Route {
	may := route.SignedIn
	return []route.Route{
		get(queuePath, "queue", may(staff.QueueView), h.queue),
		get(queuePath+"/hold", "queue.hold", may(staff.DependencyHold), h.askHold),
		post(queuePath+"/hold", "queue.hold.post", may(staff.DependencyHold), h.answerHold),
		get(queuePath+"/actions/:held/release", "queue.release", may(staff.DependencyHold), h.askHold),
		post(queuePath+"/actions/:held/release", "queue.release.post", may(staff.DependencyHold), h.answerHold),
		get("/accounts/:account/jobs/:job/run", "run_now", may(staff.QueueRun), h.runNowForm),
		post("/accounts/:account/jobs/:job/run", "run_now.post", may(staff.QueueRun), h.runJobNow),
	}
}

// queueTabs are the tabs and the states that they list, in their order.
func queueTabs() []struct {
	name  string
	phase job.State
} {
	return []struct {
		name  string
		phase job.State
	}{{"waiting", job.Queued}, {"retrying", job.Retrying}, {"running", job.Running}}
}

func (h *Console) queue(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	q := newQuery(r, queuePath, "tab", "account", "action", "dependency", "worker", "held")
	t := r.L.T
	m := views.Model{Action: queuePath, Tab: "waiting", Zone: r.L.ZoneLabel(r.Now)}
	f := job.QueueFilter{Phase: job.Queued, AccountID: q.get("account"), Action: q.get("action"), Dependency: q.get("dependency")}
	for _, x := range queueTabs() {
		if x.name == q.get("tab") {
			m.Tab, f.Phase = x.name, x.phase
		}
	}
	m.Filter = views.Filter{Account: ui.Field{Value: q.get("account")}, ActionName: ui.Field{Value: q.get("action")}, Dependency: ui.Field{Value: q.get("dependency")},
		Worker: ui.Field{Value: q.get("worker")}}
	chips := q.chip(nil, "account", t("filter.account"))
	chips = q.chip(chips, "action", t("col.action"))
	chips = q.chip(chips, "dependency", t("deps.name"))
	if f.Phase == job.Running {
		f.Worker = q.get("worker")
		chips = q.chip(chips, "worker", t("queue.worker"))
	}
	if f.Phase == job.Queued {
		f.Held = q.get("held") == "1"
		m.Filter.Held = []ui.Option{{Value: "", Label: t("filter.any"), Selected: !f.Held}, {Value: "1", Label: t("queue.held_only"), Selected: f.Held}}
		if f.Held {
			chips = append(chips, ui.Chip{Label: t("queue.held"), Value: t("queue.held_only"), RemoveURL: q.without("held")})
		}
	}
	tab := m.Tab
	if tab == "waiting" {
		tab = ""
	}
	m.List = list(chips, query{path: queuePath}.with("tab", tab))
	m.HoldURL = r.link(staff.DependencyHold, address(queuePath+"/hold", url.Values{"action": {q.get("action")}}))
	show := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	if err := h.queueAround(r, q, &m); err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, part)
	}
	from, dir := position[job.Position](r, q)
	rows, err := h.Jobs.Queue(ctx, f, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	h.queueRows(r, rows, &m)
	return fragment(r, h, http.StatusOK, show, part)
}

func (h *Console) queueRows(r request, rows page.Page[job.InQueue, job.Position], m *views.Model) {
	pr := present.Presenter{L: r.L, Now: r.Now}
	for _, x := range rows.Rows {
		row := pr.QueueRow(x)
		if x.Dependency != "" {
			row.Dependency = ui.Link{Text: x.Dependency, URL: dependencyURL(x.Dependency)}
		}
		if x.State == job.Retrying && x.Mode == job.Managed && x.NotBefore.After(r.Now) {
			row.RunNowURL = r.link(staff.QueueRun, jobURL(x.AccountID, x.ID)+"/run")
		}
		m.Rows = append(m.Rows, row)
	}
}

// queueAround reads what stands around the list: counts, health, charts, held actions.
func (h *Console) queueAround(r request, q query, m *views.Model) error {
	ctx := r.Request().Context()
	for _, x := range queueTabs() {
		to := x.name
		if to == "waiting" {
			to = ""
		}
		m.Tabs = append(m.Tabs, ui.Choice{Text: r.L.Maybe("queue."+x.name, x.name), URL: q.with("tab", to), Current: x.name == m.Tab})
	}
	counts, err := h.Jobs.QueueCounts(ctx)
	if err != nil {
		return err
	}
	for i, x := range queueTabs() {
		m.Tabs[i].Count = r.L.Credits(min(counts[x.phase], job.QueueCap))
		if counts[x.phase] > job.QueueCap {
			m.Tabs[i].Count += "+"
		}
	}
	processes, err := h.Processes.List(ctx)
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	m.Services, m.RedisAway = pr.Services(processes), redisAway(processes)
	if m.Held, err = h.heldActions(r); err != nil {
		return err
	}
	handedOut, err := h.Jobs.Throughput(ctx, time.Minute, 60)
	if err != nil {
		return err
	}
	m.Charts = pr.QueueCharts(handedOut)
	return nil
}

// redisAway tells whether processes live and none of them reaches Redis.
func redisAway(all []process.Process) bool {
	alive := false
	for _, p := range all {
		if p.Alive && p.RedisOK {
			return false
		}
		alive = alive || p.Alive
	}
	return alive
}

func (h *Console) runNowModel(r request, form ui.Act, j job.Listed, a ledger.Account, err error) views.RunNow {
	m := views.RunNow{Act: form, JobID: j.ID, JobURL: jobURL(a.ID, j.ID), Account: a.ID, Generation: strconv.Itoa(j.Generation), At: r.L.Stamp(j.NotBefore, r.Now),
		Reason: field(r, "reason", err)}
	var of []string
	if j.Dependency != "" {
		of = []string{j.Dependency}
	}
	// A form that cannot say what is held still does what it is for.
	standing, unread := h.Dependencies.Standing(r.Request().Context(), []string{j.Action}, of)
	if pr, err := h.presenter(r); err == nil && unread == nil && len(standing) > 0 {
		m.Held = &ui.HeldNotice{Title: r.L.T("queue.run_held"), Lines: pr.HeldLines(standing)}
	}
	return m
}

func (h *Console) runNowForm(c echo.Context) error {
	r := h.of(c)
	if j, a, err := h.find(r); err == nil && (j.Mode != job.Managed || !j.NotBefore.After(r.Now)) {
		// Its caller runs it, or its time has come: the job's page says which.
		return r.Redirect(http.StatusSeeOther, jobURL(a.ID, j.ID))
	}
	return h.jobFormIn(c, []job.State{job.Retrying}, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.RunNowPage(h.frame(r), h.runNowModel(r, act(r, jobURL(a.ID, j.ID)), j, a, nil))
	})
}

func (h *Console) runJobNow(c echo.Context) error {
	return h.jobAct(c, func(r request, p job.PersonRequest) (operation.Outcome, error) {
		return h.Jobs.RunNow(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return views.RunNowPage(h.frame(r), h.runNowModel(r, again(r, jobURL(a.ID, j.ID), err), j, a, err))
	})
}
