// Package console answers the staff's browsers: it parses a request, makes one model call or a few
// reads, maps the rows to view models by package present, and renders a page.
package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/comparison"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/export"
	"recoup/models/inbox"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/menu"
	"recoup/models/month"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/process"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/models/task"
	"recoup/models/verify"
	"recoup/models/webhook"
	"recoup/static"
	"recoup/views/layout"
	"recoup/views/text"
	"recoup/views/ui"
)

// Sessions carries a session between the browser and models/staff.
type Sessions interface {
	// Start gives the browser a session's token.
	Start(c echo.Context, in staff.SignedIn)
	// End takes it back.
	End(c echo.Context)
	// Token is the request's token, "" when it has none.
	Token(c echo.Context) string
}

// Deps are what the console needs.
type Deps struct {
	Staff     *staff.Service
	Sessions  Sessions
	Ledger    *ledger.Service
	Pricing   *pricing.Service
	Rollouts  *rollout.Service
	Inbox     *inbox.Store
	Jobs      *job.Service
	Letters   *deadletter.Service
	Ops       *operation.Store
	Processes *process.Store
	Verifier  *verify.Verifier
	Exports   *export.Service
	Months    *month.Service
	Costs     *cost.Service
	Imports   *costimport.Service
	Webhooks  *webhook.Service
	Integrity *verify.Desk
	Audit     *audit.Log
	// Requests are what waits for a second person, Desk is where people decide.
	Requests *approval.Store
	// BulkGrants are files of grants, Tasks what applies them.
	BulkGrants *bulkgrant.Store
	Tasks      *task.Store
	Desk       *approval.Desk
	// Comparisons say what rollouts do.
	Comparisons *comparison.Service
	// Dependencies hold work.
	Dependencies *dependency.Service
	// BulkWorks are changes of many dead letters.
	BulkWorks *bulk.Store
	// Settlements put charges of rollouts right.
	Settlements *settlement.Store
	// TraceURL is the address of a trace, with {trace_id} in the place of its id; empty for none.
	TraceURL string
}

// Console holds the handlers.
type Console struct {
	Deps
	menu *menu.Store
	// exports holds a place for each file that may be written at a time.
	exports chan struct{}
}

// New makes the handlers.
func New(d Deps) *Console {
	return &Console{Deps: d, menu: menu.New(d.Ops), exports: make(chan struct{}, maxExports)}
}

// Routes declares every URL of the console.
func (h *Console) Routes() []route.Route {
	get := func(path, name string, access route.Access, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: http.MethodGet, Path: path, Name: "console." + name, Access: access, Handler: handler}
	}
	post := func(path, name string, access route.Access, handler echo.HandlerFunc) route.Route {
		return route.Route{Method: http.MethodPost, Path: path, Name: "console." + name, Access: access, Handler: handler}
	}
	file := func(path, name string, handler echo.HandlerFunc) route.Route {
		r := get(path, name, route.SignedIn(staff.LedgerExport), handler)
		r.Timeout = route.NoTimeout
		return r
	}
	may := route.SignedIn
	auditFile := get(auditPath+"/export", "audit.export", may(staff.AuditView), h.exportAudit)
	auditFile.Timeout = route.NoTimeout
	return slices.Concat(h.effectRoutes(), h.enrolmentRoutes(), h.suggestionRoutes(), h.approvalRoutes(), h.bulkRoutes(), h.bulkWorkRoutes(), h.settlementRoutes(), []route.Route{
		get("/sign-in", "sign_in", route.Public(), h.signInPage),
		post("/sign-in", "sign_in.post", route.Public(), h.signIn),
		get("/sign-in/link", "sign_in.link", route.Public(), h.linkPage),
		post("/sign-in/link", "sign_in.link.post", route.Public(), h.useLink),
		post("/sign-out", "sign_out", route.Public(), h.signOut),
		get("/preferences", "preferences", may(staff.PreferenceEdit), h.preferencesPage),
		post("/preferences", "preferences.post", may(staff.PreferenceEdit), h.savePreferences),

		get("/", "overview", may(staff.OverviewView), h.overview),
		get("/search", "search", may(staff.SearchUse), h.search),

		get("/accounts", "accounts", may(staff.AccountView), h.accounts),
		get("/suggestions/accounts", "suggestions.accounts", may(staff.AccountView), h.suggestAccounts),
		get("/accounts/:account", "account", may(staff.AccountView), h.statement),
		get("/accounts/:account/balance", "balance", may(staff.AccountView), h.balance),
		get("/accounts/:account/entries/:seq", "entry", may(staff.LedgerView), h.entry),
		get("/accounts/:account/grants", "grant", may(staff.AccountGrant), h.grantForm),
		post("/accounts/:account/grants", "grant.post", may(staff.AccountGrant), h.grant),
		get("/accounts/:account/adjustments", "adjust", may(staff.AccountAdjust), h.adjustForm),
		post("/accounts/:account/adjustments", "adjust.post", may(staff.AccountAdjust), h.adjust),
		get("/accounts/:account/freeze", "freeze", may(staff.AccountFreeze), h.freezeForm),
		post("/accounts/:account/freeze", "freeze.post", may(staff.AccountFreeze), h.freeze),
		get("/accounts/:account/unfreeze", "unfreeze", may(staff.AccountFreeze), h.unfreezeForm),
		post("/accounts/:account/unfreeze", "unfreeze.post", may(staff.AccountFreeze), h.unfreeze),
		get("/accounts/:account/profile", "profile", may(staff.AccountEdit), h.profileForm),
		post("/accounts/:account/profile", "profile.post", may(staff.AccountEdit), h.profile),
		get("/accounts/:account/notes", "notes", may(staff.AccountView), h.notes),
		get("/accounts/:account/notes/new", "note", may(staff.AccountNote), h.noteForm),
		post("/accounts/:account/notes/new", "note.post", may(staff.AccountNote), h.addNote),
		get("/accounts/:account/notes/:note/strike", "note.strike", may(staff.AccountNote), h.strikeForm),
		post("/accounts/:account/notes/:note/strike", "note.strike.post", may(staff.AccountNote), h.strike),
		get("/ledger", "ledger", may(staff.LedgerView), h.ledger),
		file("/ledger/export", "ledger.export", h.exportLedger),
		post("/ledger/export", "ledger.export.post", may(staff.LedgerExport), h.startLedgerExport),
		file("/accounts/:account/export", "account.export", h.exportStatement),
		post("/accounts/:account/export", "account.export.post", may(staff.LedgerExport), h.startStatementExport),
		get("/exports", "exports", may(staff.LedgerExport), h.exportsPage),
		get("/exports/:export", "export", may(staff.LedgerExport), h.exportPage),
		file("/exports/:export/file", "export.file", h.exportFile),
		get("/exports/:export/cancel", "export.cancel", may(staff.LedgerExport), h.cancelExportForm),
		post("/exports/:export/cancel", "export.cancel.post", may(staff.LedgerExport), h.cancelExport),

		get("/months", "months", may(staff.LedgerView), h.months),
		get("/months/:month", "month", may(staff.LedgerView), h.month),
		get("/months/:month/export", "month.export", may(staff.LedgerExport), h.exportMonth),
		get("/months/:month/close", "month.close", may(staff.MonthClose), h.closeForm),
		post("/months/:month/close", "month.close.post", may(staff.MonthClose), h.closeMonth),

		get("/jobs", "jobs", may(staff.JobView), h.jobs),
		get("/accounts/:account/jobs/:job", "job", may(staff.JobView), h.job),
		get("/accounts/:account/jobs/:job/cancel", "cancel", may(staff.JobCancel), h.cancelForm),
		post("/accounts/:account/jobs/:job/cancel", "cancel.post", may(staff.JobCancel), h.cancel),
		get("/accounts/:account/jobs/:job/payload", "reveal", may(staff.JobReveal), h.revealForm),
		post("/accounts/:account/jobs/:job/payload", "reveal.post", may(staff.JobReveal), h.reveal),
		get("/operations", "operation", may(staff.OperationView), h.operation),

		get("/webhooks", "webhooks", may(staff.WebhookManage), h.webhooks),
		get("/webhooks/new", "webhook.new", may(staff.WebhookManage), h.newWebhookForm),
		post("/webhooks/new", "webhook.new.post", may(staff.WebhookManage), h.newWebhook),
		get("/webhooks/:webhook", "webhook", may(staff.WebhookManage), h.webhook),
		get("/webhooks/:webhook/edit", "webhook.edit", may(staff.WebhookManage), h.editWebhookForm),
		post("/webhooks/:webhook/edit", "webhook.edit.post", may(staff.WebhookManage), h.editWebhook),
		get("/webhooks/:webhook/disable", "webhook.disable", may(staff.WebhookManage), h.askWebhook),
		post("/webhooks/:webhook/disable", "webhook.disable.post", may(staff.WebhookManage), h.answerWebhook),
		get("/webhooks/:webhook/enable", "webhook.enable", may(staff.WebhookManage), h.askWebhook),
		post("/webhooks/:webhook/enable", "webhook.enable.post", may(staff.WebhookManage), h.answerWebhook),
		get("/webhooks/:webhook/rotate", "webhook.rotate", may(staff.WebhookManage), h.askWebhook),
		post("/webhooks/:webhook/rotate", "webhook.rotate.post", may(staff.WebhookManage), h.answerWebhook),
		get("/webhooks/:webhook/test", "webhook.test", may(staff.WebhookManage), h.askWebhook),
		post("/webhooks/:webhook/test", "webhook.test.post", may(staff.WebhookManage), h.answerWebhook),
		get("/webhooks/:webhook/secret", "webhook.secret", may(staff.WebhookManage), h.askWebhook),
		post("/webhooks/:webhook/secret", "webhook.secret.post", may(staff.WebhookManage), h.webhookSecret),
		get("/webhooks/:webhook/deliveries/:delivery", "webhook.delivery", may(staff.WebhookManage), h.webhookDelivery),
		get("/webhooks/:webhook/deliveries/:delivery/resend", "webhook.resend", may(staff.WebhookManage), h.askWebhook),
		post("/webhooks/:webhook/deliveries/:delivery/resend", "webhook.resend.post", may(staff.WebhookManage), h.answerWebhook),

		get(auditPath, "audit", may(staff.AuditView), h.audit),
		auditFile,
		get(integrityPath, "integrity", may(staff.IntegrityView), h.integrity),
		get(integrityPath+"/progress", "integrity.progress", may(staff.IntegrityView), h.progress),
		get(integrityPath+"/runs/:run", "integrity.found", may(staff.IntegrityView), h.integrityRun),
		get(integrityPath+"/run", "integrity.run", may(staff.IntegrityRun), h.runForm),
		post(integrityPath+"/run", "integrity.run.post", may(staff.IntegrityRun), h.runNow),
		get(integrityPath+"/tasks/:task/cancel", "integrity.cancel", may(staff.IntegrityRun), h.cancelRunForm),
		post(integrityPath+"/tasks/:task/cancel", "integrity.cancel.post", may(staff.IntegrityRun), h.cancelRun),

		get("/dead-letters", "dead_letters", may(staff.DeadLetterView), h.deadLetters),
		get("/dead-letters/new", "dead_letters.new", may(staff.DeadLetterView), h.freshLetters),
		get("/dead-letters/groups", "groups", may(staff.DeadLetterView), h.groups),
		get("/dead-letters/groups/:group", "group", may(staff.DeadLetterView), h.group),
		post("/dead-letters/groups/:group/note", "group.note.post", may(staff.DeadLetterTriage), h.groupNote),
		get("/dead-letters/groups/:group/snooze", "group.snooze", may(staff.DeadLetterTriage), h.groupSnoozeForm),
		post("/dead-letters/groups/:group/snooze", "group.snooze.post", may(staff.DeadLetterTriage), h.groupSnooze),
		get("/dead-letters/groups/:group/resolve", "group.resolve", may(staff.DeadLetterTriage), h.groupResolveForm),
		post("/dead-letters/groups/:group/resolve", "group.resolve.post", may(staff.DeadLetterTriage), h.groupResolve),
		post("/dead-letters/groups/:group/reopen", "group.reopen.post", may(staff.DeadLetterTriage), h.groupReopen),
		post("/accounts/:account/jobs/:job/assign", "assign.post", may(staff.DeadLetterTriage), h.assign),
		post("/accounts/:account/jobs/:job/snooze", "snooze.post", may(staff.DeadLetterTriage), h.snooze),
		get("/accounts/:account/jobs/:job/note", "job.note", may(staff.DeadLetterTriage), h.jobNoteForm),
		post("/accounts/:account/jobs/:job/note", "job.note.post", may(staff.DeadLetterTriage), h.jobNote),
		post("/accounts/:account/jobs/:job/undo", "undo.post", may(staff.DeadLetterTriage), h.undo),
		get("/accounts/:account/jobs/:job/recover", "recover", may(staff.Recover), h.recoverForm),
		post("/accounts/:account/jobs/:job/recover", "recover.post", may(staff.Recover), h.recover),
		get("/accounts/:account/jobs/:job/requeue", "requeue", may(staff.Requeue), h.requeueForm),
		post("/accounts/:account/jobs/:job/requeue", "requeue.post", may(staff.Requeue), h.requeue),
		get("/accounts/:account/jobs/:job/discard", "discard", may(staff.Discard), h.discardForm),
		post("/accounts/:account/jobs/:job/discard", "discard.post", may(staff.Discard), h.discard),
		get("/accounts/:account/jobs/:job/reopen", "reopen", may(staff.Reopen), h.reopenForm),
		post("/accounts/:account/jobs/:job/reopen", "reopen.post", may(staff.Reopen), h.reopen),
	}, h.rolloutRoutes(get, post), h.scheduleRoutes(), h.inboxRoutes(), h.costRoutes(), h.dependencyRoutes(get, post), h.queueRoutes(get, post))
}

// request is one person's request with how they read.
type request struct {
	echo.Context
	L   text.Locale
	Now time.Time
	Who staff.Person
	// Warning is what a form that is shown for the first time says first; empty: nothing.
	Warning string
}

// of reads who asks. On public routes Who is the zero Person and the language that of the browser.
func (h *Console) of(c echo.Context) request {
	locale := reqctx.Of(c.Request().Context()).Locale
	r := request{Context: c, L: text.Locale{Lang: text.LangOf(locale.Lang), Zone: locale.Zone}, Now: time.Now()}
	if p, ok := route.Principal(c).(staff.Person); ok {
		r.Who = p
		return r
	}
	r.L.Lang = spoken(c)
	return r
}

// spoken is the language for somebody who is not signed in: what the page's switch says, else what the
// browser prefers.
func spoken(c echo.Context) text.Lang {
	if lang := c.QueryParam("lang"); lang != "" {
		return text.LangOf(lang)
	}
	first, _, _ := strings.Cut(c.Request().Header.Get("Accept-Language"), ",")
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(first)), "ja") {
		return text.Japanese
	}
	return text.English
}

// may reports whether the person has a permission, to show or hide what leads to it.
func (r request) may(p staff.Permission) bool { return r.Who.ID != "" && r.Who.Allows(p) }

// link is url for those who may, else "".
func (r request) link(p staff.Permission, url string) string {
	if !r.may(p) {
		return ""
	}
	return url
}

func (r request) by() ledger.Envelope {
	return ledger.Envelope{OperationID: r.FormValue("operation_id"), Actor: r.Who.Actor(), RequestID: reqctx.RequestID(r.Request().Context())}
}

// railCount is where the rail stops counting.
const railCount = 1000

// frame is what surrounds the page.
func (h *Console) frame(r request) layout.Frame {
	f := layout.Frame{L: r.L, Assets: layout.Assets{Styles: static.Styles(), Scripts: static.Scripts(), Icon: static.URL("icon.svg")},
		Theme: r.Who.Theme, Person: r.Who.Name, Path: here(r), Query: "",
		Costs:        r.may(staff.CostView),
		Exports:      r.may(staff.LedgerExport),
		Webhooks:     r.may(staff.WebhookManage),
		MayIntegrity: r.may(staff.IntegrityView),
		MayAudit:     r.may(staff.AuditView),
	}
	f.Keys = layout.Keys{Triage: r.may(staff.DeadLetterTriage), Requeue: r.may(staff.Requeue), Discard: r.may(staff.Discard), Recover: r.may(staff.Recover), Hold: r.may(staff.DependencyHold)}
	if r.Request().Method == http.MethodGet {
		f.Notices = h.notices(r)
	}
	f.Pricing = r.may(staff.PricingView)
	f.Settlements = r.may(staff.SettlementView)
	h.countRail(r, &f)
	return f
}

// countRail fills in the numbers of the rail that the person may see. Where they cannot be read there are none.
func (h *Console) countRail(r request, f *layout.Frame) {
	want := menu.Wanted{DeadLetters: r.may(staff.DeadLetterView), Halted: r.may(staff.RolloutView)}
	if r.may(staff.PreferenceEdit) {
		who := r.Who.Actor()
		want.Unread = &who
	}
	if r.may(staff.ApprovalView) {
		waiting := r.waiting()
		want.Requests = &waiting
	}
	n, err := h.menu.Count(r.Request().Context(), want, railCount)
	if err != nil {
		return
	}
	if want.DeadLetters {
		f.DeadLetters = counted(r, n.DeadLetters)
	}
	if want.Unread != nil {
		f.Inbox = counted(r, n.Unread)
	}
	if want.Halted {
		f.Halted = r.L.Credits(n.Halted)
	}
	if want.Requests != nil {
		f.Approvals = counted(r, n.Requests)
	}
}

// here is the path and query to come back to: this page, or the object of a form that was posted.
func here(r request) string {
	if r.Request().Method == http.MethodGet {
		return r.Request().URL.RequestURI()
	}
	return r.Request().URL.EscapedPath()
}

type component = templ.Component

// render writes a page from a buffer, so that an error while rendering can still become an error page.
func render(c echo.Context, status int, page templ.Component) error {
	var whole pieces
	if err := page.Render(c.Request().Context(), &whole); err != nil {
		return err
	}
	header := c.Response().Header()
	header.Set("Vary", "HX-Request")
	header.Set("Cache-Control", "no-store")
	header.Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
	header.Set(echo.HeaderContentLength, strconv.Itoa(whole.size()))
	c.Response().WriteHeader(status)
	return whole.send(c.Response())
}

// local is next if it is a path of this console, else "/": nobody can be sent elsewhere.
func local(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}

// seg is an id as one segment of a path.
func seg(id string) string { return url.PathEscape(id) }

func accountURL(id string) string { return "/accounts/" + seg(id) }

func jobURL(account, id string) string { return accountURL(account) + "/jobs/" + seg(id) }

func operationURL(scope, id string) string {
	return "/operations?" + url.Values{"scope": {scope}, "id": {id}}.Encode()
}

// list is the part that list pages share.
func list(chips []ui.Chip, clear string) ui.List {
	return ui.List{Chips: chips, ClearURL: clear}
}
