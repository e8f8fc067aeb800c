package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/webhook"
	"recoup/views/layout"
	"recoup/views/text"
	"recoup/views/ui"
	views "recoup/views/webhooks"
)

func webhookURL(id string) string { return "/webhooks/" + seg(id) }

// settings is the scope in which receivers are changed.
func settings() operation.Scope { return operation.Named("settings") }

func eventNames(l text.Locale, types []webhook.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = l.Maybe("event."+string(t), string(t))
	}
	return strings.Join(names, l.T("webhooks.comma"))
}

func some(r request, n, capped int64) string {
	switch n {
	case 0:
		return ""
	case capped:
		return r.L.Credits(n) + "+"
	}
	return r.L.Credits(n)
}

func (h *Console) webhooks(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	endpoints, err := h.Webhooks.Endpoints(ctx)
	if err != nil {
		return err
	}
	counts, err := h.Webhooks.Counts(ctx)
	if err != nil {
		return err
	}
	m := views.Model{NewURL: "/webhooks/new", Zone: r.L.ZoneLabel(r.Now)}
	for _, e := range endpoints {
		n := counts[e.Key]
		m.Rows = append(m.Rows, views.Row{URL: ui.Link{Text: e.URL, URL: webhookURL(e.ID)}, Note: e.Description, Events: eventNames(r.L, e.Events), State: e.State,
			Down: e.State == webhook.Active && e.FailingSince != nil, Waiting: some(r, n.Waiting, webhook.CountCap), Failed: some(r, n.Failed, webhook.CountCap), Created: r.L.Stamp(e.CreatedAt, r.Now)})
	}
	return render(c, http.StatusOK, views.Page(h.frame(r), m))
}

// tryFailed says why a try failed: by its code, or with the sentence that a try of before there were codes has. "" where it did not.
func tryFailed(l text.Locale, code, about, sentence string) string {
	switch code {
	case "":
		return sentence
	case webhook.FailedAddress:
		return l.Maybe("problem."+about, sentence)
	}
	return l.T("try_failed."+code, about)
}

// endpoint reads the endpoint of the URL.
func (h *Console) endpoint(r request) (webhook.Endpoint, error) {
	id, err := param(r, "webhook")
	if err != nil {
		return webhook.Endpoint{}, err
	}
	return h.Webhooks.Find(r.Request().Context(), id)
}

func (h *Console) webhook(c echo.Context) error {
	r := h.of(c)
	e, err := h.endpoint(r)
	if err != nil {
		return err
	}
	return h.showWebhook(r, e, "")
}

// showWebhook is an endpoint's page. secret is shown where it was just asked for.
func (h *Console) showWebhook(r request, e webhook.Endpoint, secret string) error {
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	at := webhookURL(e.ID)
	m := views.Endpoint{URL: e.URL, ID: e.ID, Note: e.Description, State: e.State, Disabled: e.State == webhook.Disabled, Gone: e.DisabledReason == "gone",
		Events: eventNames(r.L, e.Events), CreatedBy: pr.Who(e.CreatedBy), Created: r.L.Stamp(e.CreatedAt, r.Now), Secret: secret,
		EditURL: at + "/edit", StateURL: at + "/disable", RotateURL: at + "/rotate", SecretURL: at + "/secret", TestURL: at + "/test", Zone: r.L.ZoneLabel(r.Now)}
	if e.OldUntil != nil {
		m.OldUntil = r.L.Stamp(*e.OldUntil, r.Now)
	}
	if e.FailingSince != nil && e.CallAt != nil {
		m.DownSince, m.CallAt = r.L.Stamp(*e.FailingSince, r.Now), r.L.Stamp(*e.CallAt, r.Now)
	}
	if m.Disabled {
		m.StateURL, m.TestURL = at+"/enable", ""
	}
	q := newQuery(r, at, "state")
	m.Tabs = []ui.Choice{{Text: r.L.T("webhooks.all"), URL: q.without("state"), Current: q.get("state") == ""}}
	states := []string{webhook.Waiting, webhook.Failed, webhook.Delivered}
	m.List.Refused = q.get("state") != "" && !slices.Contains(states, q.get("state"))
	for _, s := range states {
		m.Tabs = append(m.Tabs, ui.Choice{Text: r.L.Maybe("state."+s, s), URL: q.with("state", s), Current: q.get("state") == s})
	}
	m.List.ClearURL = at
	if state := q.get("state"); state != "" {
		m.List.Chips = q.chip(nil, "state", r.L.T("col.state"))
		m.List.Chips[0].Value = r.L.Maybe("state."+state, state)
	}
	show := func(f layout.Frame) component { return views.EndpointPage(f, m) }
	if m.List.Refused {
		return render(r, http.StatusUnprocessableEntity, show(h.frame(r)))
	}
	from, dir := position[webhook.Position](r, q)
	rows, err := h.Webhooks.Deliveries(r.Request().Context(), e.Key, q.get("state"), from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), show, func() component { return views.EndpointPage(h.frame(r), m) })
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	for _, d := range rows.Rows {
		v := views.Delivery{Event: ui.ID{Value: d.EventID, URL: at + "/deliveries/" + strconv.FormatInt(d.Key, 10)}, Type: r.L.Maybe("event."+string(d.Type), string(d.Type)),
			State: d.State, Tries: strconv.Itoa(d.Tries), Last: tryFailed(r.L, d.LastCode, d.LastAbout, d.LastError), Created: r.L.Stamp(d.CreatedAt, r.Now)}
		if d.LastStatus != 0 && d.LastError == "" {
			v.Last = strconv.Itoa(d.LastStatus)
		}
		if d.State == webhook.Waiting {
			v.Next = r.L.Stamp(d.DueAt, r.Now)
		}
		m.Deliveries = append(m.Deliveries, v)
	}
	return render(r, http.StatusOK, show(h.frame(r)))
}

// delivery reads the delivery of the URL and its endpoint.
func (h *Console) delivery(r request) (webhook.Endpoint, webhook.Detail, error) {
	e, err := h.endpoint(r)
	if err != nil {
		return e, webhook.Detail{}, err
	}
	key, err := strconv.ParseInt(r.Param("delivery"), 10, 64)
	if err != nil {
		return e, webhook.Detail{}, fault.New(fault.NotFound, webhook.CodeNotFound, "There is no delivery %q.", readable(r.Param("delivery")))
	}
	d, err := h.Webhooks.Delivery(r.Request().Context(), e.Key, key)
	return e, d, err
}

func (h *Console) webhookDelivery(c echo.Context) error {
	r := h.of(c)
	e, d, err := h.delivery(r)
	if err != nil {
		return err
	}
	m := views.Sent{Endpoint: ui.Link{Text: e.URL, URL: webhookURL(e.ID)}, Event: d.EventID, Type: r.L.Maybe("event."+string(d.Type), string(d.Type)), State: d.State,
		Created: r.L.Stamp(d.CreatedAt, r.Now), Body: d.Body, Zone: r.L.ZoneLabel(r.Now)}
	if d.State != webhook.Waiting && e.State == webhook.Active {
		m.ResendURL = webhookURL(e.ID) + "/deliveries/" + strconv.FormatInt(d.Key, 10) + "/resend"
	}
	for _, a := range d.Attempts {
		v := views.Attempt{Try: strconv.Itoa(a.Try), At: r.L.Stamp(a.At, r.Now), Took: r.L.Credits(a.DurationMs), Error: tryFailed(r.L, a.Code, a.About, a.Error), Answer: a.Answer, OK: a.Error == ""}
		if a.Status != 0 {
			v.Status = strconv.Itoa(a.Status)
		}
		m.Attempts = append(m.Attempts, v)
	}
	return render(c, http.StatusOK, views.SentPage(h.frame(r), m))
}

// envelope is what a change of a receiver carries.
func envelope(r request) webhook.Envelope {
	return webhook.Envelope{OperationID: r.FormValue("operation_id"), Actor: r.Who.Actor(), RequestID: reqctx.RequestID(r.Request().Context()),
		Reason: r.FormValue("reason")}
}

func eventOptions(l text.Locale, chosen []string) []ui.Option {
	var out []ui.Option
	for _, t := range webhook.Types() {
		out = append(out, ui.Option{Value: string(t), Label: l.Maybe("event."+string(t), string(t)), Selected: slices.Contains(chosen, string(t))})
	}
	return out
}

// typedEndpoint is the form as the person filled it in.
func typedEndpoint(r request, err error) views.Form {
	events, parseErr := r.FormParams()
	if parseErr != nil {
		events = nil
	}
	return views.Form{URL: field(r, "url", err), Description: field(r, "description", err), Events: eventOptions(r.L, events["events"]),
		EventsError: field(r, "events", err).Error, Reason: field(r, "reason", err)}
}

func input(r request) (webhook.EndpointInput, error) {
	values, err := r.FormParams()
	if err != nil {
		return webhook.EndpointInput{}, fault.InvalidField("url", "is not a web address")
	}
	return webhook.EndpointInput{URL: strings.TrimSpace(r.FormValue("url")), Description: r.FormValue("description"), Events: values["events"]}, nil
}

func (h *Console) newWebhookForm(c echo.Context) error {
	r := h.of(c)
	return formPage(c, views.FormPage(h.frame(r), views.Form{Act: act(r, "/webhooks"), Events: eventOptions(r.L, []string{string(webhook.JobDeadLettered)})}))
}

func (h *Console) newWebhook(c echo.Context) error {
	r := h.of(c)
	in, err := input(r)
	if err != nil {
		return err
	}
	out, err := h.Webhooks.Create(c.Request().Context(), envelope(r), in)
	to := "/webhooks"
	if err == nil {
		var made webhook.EndpointResult
		if err := out.Decode(&made); err != nil {
			return err
		}
		to = webhookURL(made.EndpointID)
	}
	return h.conclude(r, to, settings(), out, err, func(err error) templ.Component {
		m := typedEndpoint(r, err)
		m.Act = again(r, "/webhooks", err)
		return views.FormPage(h.frame(r), m)
	})
}

func (h *Console) editWebhookForm(c echo.Context) error {
	r := h.of(c)
	e, err := h.endpoint(r)
	if err != nil {
		return err
	}
	var chosen []string
	for _, t := range e.Events {
		chosen = append(chosen, string(t))
	}
	return formPage(c, views.FormPage(h.frame(r), views.Form{Act: act(r, webhookURL(e.ID)), Version: strconv.Itoa(e.Version), Name: e.URL, PageURL: webhookURL(e.ID),
		URL: ui.Field{Value: e.URL}, Description: ui.Field{Value: e.Description}, Events: eventOptions(r.L, chosen)}))
}

// version is the version of the endpoint that the form was made for.
func version(r request) (int, error) {
	n, err := strconv.Atoi(r.FormValue("version"))
	if err != nil || n < 1 {
		return 0, fault.InvalidField("version", "is required")
	}
	return n, nil
}

func (h *Console) editWebhook(c echo.Context) error {
	r := h.of(c)
	e, err := h.endpoint(r)
	if err != nil {
		return err
	}
	seen, err := version(r)
	if err != nil {
		return err
	}
	in, err := input(r)
	if err != nil {
		return err
	}
	out, err := h.Webhooks.Change(c.Request().Context(), envelope(r), e.ID, seen, in)
	return h.conclude(r, webhookURL(e.ID), settings(), out, err, func(err error) templ.Component {
		m := typedEndpoint(r, err)
		m.Act, m.Version, m.Name, m.PageURL = again(r, webhookURL(e.ID), err), strconv.Itoa(seen), e.URL, webhookURL(e.ID)
		return views.FormPage(h.frame(r), m)
	})
}

// asking are the forms with nothing but a reason, by the last part of their path.
func (h *Console) asking(c echo.Context) (request, webhook.Endpoint, views.Ask, error) {
	r := h.of(c)
	e, err := h.endpoint(r)
	if err != nil {
		return r, e, views.Ask{}, err
	}
	path := r.Request().URL.Path
	m := views.Ask{Act: act(r, webhookURL(e.ID)), What: path[strings.LastIndex(path, "/")+1:], Name: e.URL, PageURL: webhookURL(e.ID), Version: strconv.Itoa(e.Version)}
	m.Danger = m.What == "disable"
	return r, e, m, nil
}

func (h *Console) askWebhook(c echo.Context) error {
	r, _, m, err := h.asking(c)
	if err != nil {
		return err
	}
	return formPage(c, views.AskPage(h.frame(r), m))
}

// answerWebhook runs one of those forms.
func (h *Console) answerWebhook(c echo.Context) error {
	r, e, m, err := h.asking(c)
	if err != nil {
		return err
	}
	seen, err := version(r)
	if err != nil {
		return err
	}
	ctx, by := c.Request().Context(), envelope(r)
	var out operation.Outcome
	switch m.What {
	case "disable", "enable":
		out, err = h.Webhooks.SetState(ctx, by, e.ID, seen, m.What == "enable")
	case "rotate":
		out, err = h.Webhooks.Rotate(ctx, by, e.ID, seen)
	case "test":
		out, err = h.Webhooks.Test(ctx, by, e.ID)
	case "resend":
		_, d, find := h.delivery(r)
		if find != nil {
			return find
		}
		out, err = h.Webhooks.Resend(ctx, by, e.ID, d.Key)
	}
	return h.conclude(r, webhookURL(e.ID), settings(), out, err, func(err error) templ.Component {
		m.Act, m.Version, m.Reason = again(r, webhookURL(e.ID), err), strconv.Itoa(seen), field(r, "reason", err)
		return views.AskPage(h.frame(r), m)
	})
}

// webhookSecret answers with the endpoint's page and its secret, which no cache keeps and no address leads to.
func (h *Console) webhookSecret(c echo.Context) error {
	r, e, m, err := h.asking(c)
	if err != nil {
		return err
	}
	by := envelope(r)
	by.OperationID = ids.New()
	secret, err := h.Webhooks.Reveal(c.Request().Context(), by, e.ID)
	if len(invalidFields(err)) > 0 {
		m.Act, m.Reason = again(r, webhookURL(e.ID), err), field(r, "reason", err)
		return render(r, http.StatusUnprocessableEntity, views.AskPage(h.frame(r), m))
	}
	if err != nil {
		return err
	}
	return h.showWebhook(r, e, secret)
}
