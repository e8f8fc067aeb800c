package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/export"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/settlement"
	"recoup/models/verify"
	"recoup/views/text"
	"recoup/views/ui"
)

func param(c echo.Context, name string) (string, error) { return route.Param(c, name) }

// act is a form that is shown for the first time: it carries a fresh operation id, so that a double
// click, a reload and the back button are replays.
func act(r request, cancel string) ui.Act {
	return ui.Act{Action: sendTo(r), OperationID: ids.New(), CancelURL: cancel, Error: r.Warning, RequestID: reqctx.RequestID(r.Request().Context())}
}

// sendTo is where a form is sent: its own path, under an address of its own. A browser forgets what it keeps of an address
// that something was sent to, and the back button would ask for a new form with another operation id.
func sendTo(r request) string { return r.Request().URL.EscapedPath() + "?sent" }

// formPage shows a form for the first time. The browser may keep it for its back button alone, and asks again at every
// other way to it: so going back shows the operation id that was sent, and sending it again is a replay.
func formPage(c echo.Context, page templ.Component) error {
	c.Response().Before(func() { c.Response().Header().Set("Cache-Control", "private, no-cache") })
	return render(c, http.StatusOK, page)
}

// again is the same form after a refusal. The operation id stays, because nothing was written under it;
// only when it belongs to another input, or is used up by a request that came to nothing, a new one is minted.
func again(r request, cancel string, err error) ui.Act {
	a := ui.Act{Action: sendTo(r), OperationID: r.FormValue("operation_id"), CancelURL: cancel,
		RequestID: reqctx.RequestID(r.Request().Context())}
	f := fault.As(err)
	if f == nil {
		return a
	}
	switch f.Code {
	case fault.CodeOperationConflict, approval.CodeRejected, approval.CodeWithdrawn, approval.CodeVoided, approval.CodeExpired:
		a.OperationID = ids.New()
	}
	if f.Kind != fault.Invalid {
		a.Error, a.Unsure = sentence(r.L, f), f.Code == fault.CodeDatabaseUnavailable
	}
	return a
}

// field is what the person typed and what the fault says of it.
func field(r request, name string, err error) ui.Field {
	out := ui.Field{Value: r.FormValue(name)}
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		for _, bad := range f.Fields {
			if bad.Name == name {
				out.Error = r.L.Maybe("problem."+bad.Message, bad.Message)
			}
		}
	}
	return out
}

// invalidFields are the fields that a fault finds fault with.
func invalidFields(err error) []fault.Field {
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return f.Fields
	}
	return nil
}

// status is the HTTP status of a form that was refused and is shown again.
func status(f *fault.Error) int {
	switch f.Kind {
	case fault.Invalid, fault.Mismatch:
		return http.StatusUnprocessableEntity
	case fault.Payment, fault.Conflict:
		return http.StatusConflict
	case fault.Busy:
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// conclude answers a form: done or replayed leads to the object with a notice, what waits for a second person leads to its
// change request, a conflict of state leads
// to the object as it is now, bad input shows the form again, anything else is an error page.
func (h *Console) conclude(r request, to string, scope operation.Scope, out operation.Outcome, err error, form func(error) templ.Component) error {
	f := fault.As(err)
	switch {
	case err == nil && out.Waiting:
		// A second person has to agree: the change request's page says so, also at a second click.
		page, err := waitingFor(out)
		if err != nil {
			return err
		}
		if out.Replayed {
			page = withNotice(page, scope, r.FormValue("operation_id"), true)
		}
		return r.Redirect(http.StatusSeeOther, page)
	case err == nil:
		return r.Redirect(http.StatusSeeOther, withNotice(to, scope, r.FormValue("operation_id"), out.Replayed))
	case f == nil:
		return err
	case f.Code == fault.CodeStateConflict:
		// The dialog closes and the object is shown as it is: no success, and no second click on the same form.
		return h.conflict(r, to, f)
	case f.Kind == fault.NotFound, f.Kind == fault.Forbidden, f.Kind == fault.Unauthenticated:
		return err
	}
	return render(r, status(f), form(err))
}

// withNotice adds to an object's URL which operation to tell of. The page looks it up, so nobody can make
// it say something that did not happen.
func withNotice(to string, scope operation.Scope, id string, replayed bool) string {
	to, place, _ := strings.Cut(to, "#")
	if place != "" {
		place = "#" + place
	}
	q := url.Values{"op_scope": {scope.String()}, "op": {id}}
	if replayed {
		q.Set("replayed", "1")
	}
	sep := "?"
	if strings.Contains(to, "?") {
		sep = "&"
	}
	return to + sep + q.Encode() + place
}

// notices are those that the page's URL asks for.
func (h *Console) notices(r request) []ui.Notice {
	if n := r.QueryParam("refused"); n != "" {
		return h.refused(r, readable(n), readable(r.QueryParam("request")))
	}
	id := readable(r.QueryParam("op"))
	if id == "" {
		return nil
	}
	stored, _, err := h.Ops.Find(r.Request().Context(), operation.ParseScope(readable(r.QueryParam("op_scope"))), id)
	if err != nil || stored.Actor != r.Who.Actor().String() {
		return nil
	}
	if stored.CompletedAt == nil {
		// It waits for a second person, or somebody decided against it: its page says which, and not twice what was asked.
		if r.QueryParam("replayed") == "" {
			return nil
		}
		return []ui.Notice{ui.NoticeReplayed(r.L, r.L.T("done.propose"), r.L.Stamp(stored.StartedAt, r.Now))}
	}
	happened := h.triaged(r, stored)
	if happened == "" {
		happened = h.approvedLater(r, stored)
	}
	if happened == "" {
		happened = r.L.Maybe("done."+stored.Kind, stored.Kind)
	}
	if r.QueryParam("replayed") != "" {
		return []ui.Notice{ui.NoticeReplayed(r.L, happened, r.L.Stamp(*stored.CompletedAt, r.Now))}
	}
	done := ui.NoticeDone(happened)
	done.Undo = h.undoOf(r, stored)
	return []ui.Notice{done}
}

// refused is the notice of a conflict, where this person's request about the object of this page was refused. A link
// that somebody made up shows nothing: neither the words nor the request id are the address's to choose.
func (h *Console) refused(r request, state, requestID string) []ui.Notice {
	if requestID == "" {
		return nil
	}
	object, account, job := about(r)
	if object == "" {
		return nil
	}
	detail, found, err := h.Ops.Refused(r.Request().Context(), object, r.Who.Actor(), requestID, fault.CodeStateConflict)
	if err != nil || !found {
		return nil
	}
	happened := r.L.Maybe("conflict."+state, r.L.T("error.409"))
	if object == verify.Scope().String() {
		happened = r.L.Maybe("conflict."+"integrity_"+state, happened)
	}
	if strings.HasPrefix(object, export.Object("")) {
		happened = r.L.T("exports.too_late")
	}
	switch {
	case strings.HasPrefix(object, settlement.Object("")):
		happened = r.L.T("conflict.settlement")
	case strings.HasPrefix(object, "rollout:"):
		happened = r.L.T("conflict.rollout")
	case strings.HasPrefix(object, bulk.Object("")):
		happened = r.L.Maybe("conflict.bulk_"+state, r.L.T("conflict.bulk_work"))
	case strings.HasPrefix(object, "action:") && r.Request().URL.Path != queuePath:
		happened = r.L.T("conflict.price")
	case strings.HasPrefix(object, approval.ObjectOf("")):
		happened = r.L.Maybe("toolate."+state, r.L.T("error.409"))
	}
	notice := ui.NoticeConflict(r.L, happened, requestID)
	pr := present.Presenter{L: r.L, Now: r.Now}
	if say, to, ok := pr.Refusal(detail); ok {
		notice.Happened, notice.Link = say, to
	}
	switch prefix, _, _ := strings.Cut(object, ":"); {
	case prefix == "group", prefix == "dependency", prefix == "webhook", strings.HasPrefix(object, bulk.Object("")), prefix == "action" && r.Request().URL.Path == queuePath:
		if by := h.toldBy(r, detail); by != "" {
			notice.Happened += " " + by
		}
	}
	if job != "" {
		if n, ok := detail["generation"]; ok {
			notice.Happened = anotherGeneration(r.L, happened, state, fmt.Sprint(n))
		}
		if by := h.whoWasFirst(r, account, job, state); by != "" {
			notice.Happened += " " + by
		}
	}
	return []ui.Notice{notice}
}

// anotherGeneration says of a job's conflict that what the person looked at is over, and in which generation the job is.
func anotherGeneration(l text.Locale, happened, state, generation string) string {
	if state == "dead" {
		return l.T("conflict.died_again", generation)
	}
	return l.T("conflict.generation", happened, generation)
}

// toldBy says by whom and when, where a refusal keeps that; "" where it does not.
func (h *Console) toldBy(r request, detail map[string]any) string {
	by, _ := detail["by"].(string)
	moment, _ := detail["at"].(string)
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil || by == "" {
		return ""
	}
	pr, err := h.presenter(r)
	if err != nil {
		return ""
	}
	return r.L.T("conflict.by", pr.Who(by), r.L.Stamp(at, r.Now).Full)
}

// about is what this page is of, as audit rows name it, and of which account and job; "" where it is of none.
func about(r request) (object, account, job string) {
	named := func(name string) string {
		v, err := param(r, name)
		if err != nil {
			return ""
		}
		return readable(v)
	}
	account, job = named("account"), named("job")
	switch {
	case named("month") != "":
		return "month:" + named("month"), "", ""
	case r.Request().URL.Path == integrityPath:
		return verify.Scope().String(), "", ""
	case named("export") != "":
		return export.Object(named("export")), "", ""
	case named("rollout") != "":
		return "rollout:" + named("rollout"), "", ""
	case named("action") != "":
		return "action:" + named("action"), "", ""
	case named("dependency") != "":
		return "dependency:" + named("dependency"), "", ""
	case r.Request().URL.Path == queuePath && r.QueryParam("action") != "":
		return "action:" + readable(r.QueryParam("action")), "", ""
	case named("webhook") != "":
		return "webhook:" + named("webhook"), "", ""
	case named("request") != "":
		return approval.ObjectOf(named("request")), "", ""
	case named("settlement") != "":
		return settlement.Object(named("settlement")), "", ""
	case named("bulk") != "":
		return bulkgrant.Object(named("bulk")), "", ""
	case named("work") != "":
		return bulk.Object(named("work")), "", ""
	case named("group") != "":
		return "group:" + named("group"), "", ""
	case account == "":
		return costObject(r), "", ""
	case job != "":
		return operation.Account(account).String() + "/job:" + job, account, job
	}
	return operation.Account(account).String(), account, ""
}

// conflict leads to the object, which shows its current state and what was refused.
func (h *Console) conflict(r request, to string, f *fault.Error) error {
	state, _ := f.Detail["state"].(string)
	q := url.Values{"refused": {state}, "request": {reqctx.RequestID(r.Request().Context())}}
	sep := "?"
	if strings.Contains(to, "?") {
		sep = "&"
	}
	return r.Redirect(http.StatusSeeOther, to+sep+q.Encode())
}

// sentence words a fault for a person: the catalogue's phrase for its code where there is one, else the
// fault's own.
func sentence(l text.Locale, f *fault.Error) string {
	if say, _, ok := (present.Presenter{L: l}).Refusal(f.Detail); ok {
		return say
	}
	return l.Maybe("fault."+f.Code, f.Message)
}
