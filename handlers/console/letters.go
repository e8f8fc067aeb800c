package console

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/staff"
	views "recoup/views/deadletters"
	"recoup/views/layout"
	"recoup/views/triage"
	"recoup/views/ui"
)

// ages are the values of the filters "older than" and "within".
func ages() map[string]time.Duration {
	const day = 24 * time.Hour
	return map[string]time.Duration{"1h": time.Hour, "24h": day, "7d": 7 * day, "30d": 30 * day}
}

// letterList is a list of dead letters as its address asks for it.
type letterList struct {
	q query
	// asked is q as it was asked for, with what this tab does not filter by: links to other tabs keep it.
	asked  query
	tab    views.Tab
	filter deadletter.Filter
	chips  []ui.Chip
	form   views.Filter
	// bad is true where a part of the filter is not understood.
	bad bool
}

// tabOf is the tab of an address, the first one for any other word.
func tabOf(q query) views.Tab {
	for _, t := range views.Tabs() {
		if string(t) == q.get("tab") {
			return t
		}
	}
	return views.NeedsReview
}

// modelTab is the model's word for a tab of open or closed dead letters.
func modelTab(t views.Tab) deadletter.Tab {
	switch t {
	case views.Mine:
		return deadletter.Open
	case views.Snoozed:
		return deadletter.Snoozed
	case views.Resolved:
		return deadletter.Closed
	case views.NeedsReview, views.LateSuccess:
	}
	return deadletter.Review
}

// letterQuery reads the filter of the page and of what asks for news of it.
func (h *Console) letterQuery(r request, path string) (letterList, error) {
	return h.letterListOf(r, newQuery(r, path, letterParams()...))
}

// letterParams are the parameters that filter the list.
func letterParams() []string {
	return []string{"tab", "account", "action", "class", "code", "text", "dependency", "version", "money", "assignee", "min", "max", "age", "within", "outcome", "group"}
}

// unfiltered are the parameters that a tab does not filter by. They come along when somebody changes tabs, and stand neither
// in its form nor among its chips.
func unfiltered(t views.Tab) []string {
	var out []string
	for _, name := range letterParams() {
		switch {
		case name == "tab":
		case t == views.LateSuccess && name != "account" && name != "action", t == views.Mine && name == "assignee", t != views.Resolved && name == "outcome":
			out = append(out, name)
		}
	}
	return out
}

// letterListOf reads the filter of an address. A value that is none of a parameter's is named by its chip and makes the list
// bad: it would show everything where something was asked for.
func (h *Console) letterListOf(r request, q query) (letterList, error) {
	l := letterList{q: query{path: q.path, values: q.copy()}, asked: q, tab: tabOf(q)}
	for _, name := range unfiltered(l.tab) {
		l.q.values.Del(name)
	}
	q = l.q
	people, err := h.Staff.List(r.Request().Context())
	if err != nil {
		return l, err
	}
	t := r.L.T
	l.filter = deadletter.Filter{Account: q.get("account"), Action: q.get("action"), ErrorClass: q.get("class"), ErrorCode: q.get("code"), ErrorText: q.get("text"),
		Dependency: q.get("dependency"), WorkerVersion: q.get("version"), Fingerprints: q.values["group"]}
	l.form = views.Filter{Account: ui.Field{Value: q.get("account")}, ActionName: ui.Field{Value: q.get("action")}, Code: ui.Field{Value: q.get("code")},
		Text: ui.Field{Value: q.get("text")}, Dependency: ui.Field{Value: q.get("dependency")}, Version: ui.Field{Value: q.get("version")},
		Classes: views.ClassOptions(r.L, q.get("class")), Ages: views.AgeOptions(r.L, q.get("age")), Within: views.WithinOptions(r.L, q.get("within")),
		Money: views.MoneyOptions(r.L, q.get("money")), Outcomes: views.OutcomeOptions(r.L, q.get("outcome")), Groups: q.values["group"]}
	l.chips = q.chip(nil, "account", t("filter.account"))
	l.chips = q.chip(l.chips, "action", t("col.action"))
	l.known(r, "class", t("dead.class"), slices.Contains([]string{job.Transient, job.Throttled, job.Permanent, job.TimedOut}, q.get("class")), "class."+q.get("class"))
	l.chips = q.chip(l.chips, "code", t("dead.code"))
	l.chips = q.chip(l.chips, "text", t("dead.text"))
	l.chips = q.chip(l.chips, "dependency", t("dead.dependency"))
	l.chips = q.chip(l.chips, "version", t("dead.version"))
	if l.known(r, "money", t("col.money"), q.get("money") == "refunded" || q.get("money") == "not_refunded", "state."+q.get("money")) {
		yes := q.get("money") == "refunded"
		l.filter.Refunded = &yes
	}
	// Who left may have left some behind.
	var gone []string
	for _, p := range people {
		if !p.Allows(staff.DeadLetterTriage) {
			gone = append(gone, p.Actor().String())
		}
	}
	if gone, err = h.Letters.Holding(r.Request().Context(), gone); err != nil {
		return l, err
	}
	l.assignee(r, people, gone)
	l.filter.MinCost, l.form.Min = l.amount(r, "min", t("dead.min"))
	l.filter.MaxCost, l.form.Max = l.amount(r, "max", t("dead.max"))
	age, known := ages()[q.get("age")]
	if l.known(r, "age", t("dead.age"), known, "age."+q.get("age")) {
		before := r.Now.Add(-age)
		l.filter.Before = &before
	}
	age, known = ages()[q.get("within")]
	if l.known(r, "within", t("dead.within"), known && q.get("within") != "30d", "within."+q.get("within")) {
		from := r.Now.Add(-age)
		l.filter.From = &from
	}
	if l.known(r, "outcome", t("col.outcome"), slices.Contains(deadletter.Outcomes(), q.get("outcome")), "state."+q.get("outcome")) {
		l.filter.Outcome = q.get("outcome")
	}
	for _, g := range q.values["group"] {
		l.chips = append(l.chips, ui.Chip{Label: t("dead.group"), Value: g, RemoveURL: q.withoutValue("group", g)})
	}
	return l, nil
}

// known reports whether a parameter that is one of a few words is set and one of them. Its chip says the word by a key of the
// catalogue.
func (l *letterList) known(r request, name, label string, known bool, key string) bool {
	v := l.q.get(name)
	if v != "" && !known {
		l.bad = true
		l.chips = l.q.chip(l.chips, name, label)
		return false
	}
	l.word(name, label, r.L.Maybe(key, v))
	return v != ""
}

// word adds a chip whose value is said in words.
func (l *letterList) word(name, label, value string) {
	if l.q.get(name) != "" {
		l.chips = append(l.chips, ui.Chip{Label: label, Value: value, RemoveURL: l.q.without(name)})
	}
}

// assignee reads whose dead letters are asked for: me, nobody, or a member of the staff. gone are those who may not take any
// more and still have some.
func (l *letterList) assignee(r request, people []staff.Person, gone []string) {
	asked, me, nobody := l.q.get("assignee"), r.Who.Actor().String(), ""
	option := func(value, label string) {
		l.form.Assignees = append(l.form.Assignees, ui.Option{Value: value, Label: label, Selected: value == asked})
	}
	option("", r.L.T("filter.any"))
	option("me", r.L.T("assignee.me"))
	option("nobody", r.L.T("triage.nobody"))
	for _, p := range people {
		if p.Actor().String() != me && (p.Allows(staff.DeadLetterTriage) || slices.Contains(gone, p.Actor().String())) {
			option(p.ID, p.Name)
		}
		if asked != "" && asked == p.ID {
			who := p.Actor().String()
			l.filter.Assignee = &who
			l.word("assignee", r.L.T("dead.assignee"), p.Name)
		}
	}
	switch {
	case asked == "me":
		l.filter.Assignee = &me
		l.word("assignee", r.L.T("dead.assignee"), r.L.T("assignee.me"))
	case asked == "nobody":
		l.filter.Assignee = &nobody
		l.word("assignee", r.L.T("dead.assignee"), r.L.T("triage.nobody"))
	case asked != "" && l.filter.Assignee == nil:
		l.bad = true
		l.chips = l.q.chip(l.chips, "assignee", r.L.T("dead.assignee"))
	}
	if l.tab == views.Mine {
		l.filter.Assignee = &me
	}
}

// amount reads credits. What is none is named at its field.
func (l *letterList) amount(r request, name, label string) (*int64, ui.Field) {
	v := l.q.get(name)
	if v == "" {
		return nil, ui.Field{}
	}
	n, err := amount(v)
	if err != nil || n < 0 {
		l.bad = true
		l.chips = l.q.chip(l.chips, name, label)
		return nil, ui.Field{Value: v, Error: r.L.T("problem.amount")}
	}
	l.word(name, label, r.L.Credits(n))
	return &n, ui.Field{Value: v}
}

func (h *Console) deadLetters(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	l, err := h.letterQuery(r, "/dead-letters")
	if err != nil {
		return err
	}
	q := l.q
	clear := query{path: q.path, values: nil}.with("tab", q.get("tab"))
	m := views.Model{Action: q.path, Tab: l.tab, Filter: l.form, Zone: r.L.ZoneLabel(r.Now), List: list(l.chips, clear)}
	m.List.Refused = l.bad
	for _, t := range views.Tabs() {
		to := string(t)
		if t == views.NeedsReview {
			to = ""
		}
		m.Tabs = append(m.Tabs, ui.Choice{Text: views.TabName(r.L, t), URL: l.asked.with("tab", to), Current: t == l.tab})
	}
	m.Tabs = append(m.Tabs, ui.Choice{Text: r.L.T("groups.title"), URL: groupsPath}, worksChoice(r, false))
	page := func(f layout.Frame) component { return views.Page(f, m) }
	part := func() component { return views.List(r.L, m) }
	figures, err := h.Letters.Figures(ctx)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	m.Facts = pr.DeadFacts(figures)
	if unhealthy, err := h.Dependencies.Unhealthy(ctx, unhealthyShown+1); err == nil {
		m.Facts = append(m.Facts, pr.DependencyFact(unhealthy, unhealthyShown, dependenciesPath+"?tab=unhealthy"))
	}
	if l.bad {
		return fragment(r, h, http.StatusOK, page, part)
	}
	if l.tab == views.LateSuccess {
		err := h.lateSuccesses(r, l, &m)
		if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
			m.List.Refused, m.Filter.Account.Error = true, r.L.T("problem.many_accounts")
		} else if err != nil {
			return h.unreadable(r, err, &m.List, q.url(), page, part)
		}
		return fragment(r, h, http.StatusOK, page, part)
	}
	if pr, err = h.presenter(r); err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	from, dir := position[deadletter.Position](r, q)
	rows, err := h.Letters.List(ctx, modelTab(l.tab), l.filter, from, dir, pageSize)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		m.List.Refused, m.Filter.Account.Error = true, r.L.T("problem.many_accounts")
		return fragment(r, h, http.StatusOK, page, part)
	}
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	if l.tab != views.Resolved {
		m.Fresh = h.fresh(l, figures.At, 0, r)
		if m.Select, err = h.selectBar(r, l, m.List.Pager); err != nil {
			return h.unreadable(r, err, &m.List, q.url(), page, part)
		}
	}
	for i, row := range rows.Rows {
		// Where the work goes on: at this row if it stays, at the one after it, or before it, if it leaves the list.
		stays, leaves := here(r)+"#"+triage.RowID(row.AccountID, row.JobID), here(r)
		switch {
		case i+1 < len(rows.Rows):
			leaves += "#" + triage.RowID(rows.Rows[i+1].AccountID, rows.Rows[i+1].JobID)
		case i > 0:
			leaves += "#" + triage.RowID(rows.Rows[i-1].AccountID, rows.Rows[i-1].JobID)
		}
		if l.filter.Assignee != nil {
			stays = leaves
		}
		v := h.letterRow(r, pr, row, stays, leaves)
		v.Place = triage.RowID(row.AccountID, row.JobID)
		v.Tick = bulk.Ticked{AccountID: row.AccountID, JobID: row.JobID, Generation: int64(row.Generation)}.String()
		m.Rows = append(m.Rows, v)
	}
	return fragment(r, h, http.StatusOK, page, part)
}

// fresh is the line that tells what came in since a moment.
func (h *Console) fresh(l letterList, since time.Time, count int64, r request) views.Fresh {
	poll := query{path: l.q.path + "/new", values: l.q.copy()}
	f := views.Fresh{PollURL: poll.with("since", since.UTC().Format(time.RFC3339Nano)), ReloadURL: l.q.url()}
	switch {
	case count >= freshLimit:
		f.Count = r.L.T("fresh.many", r.L.Credits(freshLimit))
	case count > 0:
		f.Count = r.L.N("fresh.count", count)
	}
	return f
}

// freshLimit is where counting what is new stops.
const freshLimit = 1000

// freshLetters answers the line of a list that asks whether anything came in since its page was made.
func (h *Console) freshLetters(c echo.Context) error {
	r := h.of(c)
	since, err := time.Parse(time.RFC3339Nano, c.QueryParam("since"))
	if err != nil || since.Year() < 1970 || since.Year() > 9999 {
		return fault.InvalidField("since", "must be a time")
	}
	l, err := h.letterQuery(r, "/dead-letters")
	if err != nil {
		return err
	}
	if l.bad || l.tab == views.LateSuccess || l.tab == views.Resolved {
		return fault.InvalidField("tab", "has no such line")
	}
	n, err := h.Letters.CountSince(c.Request().Context(), modelTab(l.tab), l.filter, since, freshLimit)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.FreshLine(r.L, h.fresh(l, since, n, r)))
}

// letterRow is one dead letter with what the person may do with it. stays and leaves are where an assign and a snooze lead back to.
func (h *Console) letterRow(r request, pr present.Presenter, l deadletter.Letter, stays, leaves string) views.Row {
	row := pr.DeadLetter(l)
	at := jobURL(l.AccountID, l.JobID)
	if l.Fingerprint != "" {
		row.GroupURL = groupURL(l.Fingerprint)
	}
	switch {
	case l.ClosedAt == nil:
		row.RequeueURL, row.DiscardURL = r.link(staff.Requeue, at+"/requeue"), r.link(staff.Discard, at+"/discard")
		if r.may(staff.DeadLetterTriage) {
			row.Assign, row.Snooze = takeButton(r, l, stays), snoozeButton(r, l, leaves)
			row.NoteURL = at + "/note?" + nextParam(stays)
		}
	case l.State == job.Discarded:
		row.ReopenURL = r.link(staff.Reopen, at+"/reopen")
	}
	return row
}

// lateSuccesses reads the tab of work that arrived after it had been given up.
func (h *Console) lateSuccesses(r request, l letterList, m *views.Model) error {
	ctx := r.Request().Context()
	from, dir := position[job.Position](r, l.q)
	f := job.Filter{Action: l.filter.Action}
	if l.filter.Account != "" {
		keys, err := h.Letters.AccountKeys(ctx, l.filter.Account)
		if err != nil {
			return err
		}
		f.AccountKeys = &keys
	}
	rows, err := h.Jobs.List(ctx, f, job.ByLateSuccess, from, dir, pageSize)
	if err != nil {
		return err
	}
	if m.List.Pager, err = pager(l.q, rows); err != nil {
		return err
	}
	keys := make([]deadletter.JobKey, len(rows.Rows))
	for i, j := range rows.Rows {
		keys[i] = deadletter.JobKey{AccountKey: j.AccountKey, Key: j.Key}
	}
	reclaims, err := h.Letters.Reclaims(ctx, keys)
	if err != nil {
		return err
	}
	accounts := make([]int64, len(keys))
	for i, k := range keys {
		accounts[i] = k.AccountKey
	}
	names, err := h.Letters.AccountNames(ctx, accounts)
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	for i, j := range rows.Rows {
		m.Rows = append(m.Rows, pr.LateLetter(j, names[j.AccountKey], reclaims[keys[i]]))
	}
	return nil
}

// generationOf is the hidden field that says which death a form is about.
func generationOf(n int) string { return strconv.Itoa(n) }
