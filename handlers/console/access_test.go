package console_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/handlers/route"
	"recoup/models/ids"
	"recoup/models/staff"
)

// sample says how to call a route: with which path, and for a form with which fields.
type sample struct {
	path string
	form url.Values
	// file is the content of the file that a form takes, empty for forms without one.
	file string
	// opens are the roles that are let in, and no others are.
	opens []staff.Role
	// needs is the right that the object asks for where that of the route is not all; empty: it is.
	needs staff.Permission
}

func every() []staff.Role { return staff.Roles() }

func money() []staff.Role { return []staff.Role{staff.Finance, staff.Lead, staff.Admin} }
func asking() []staff.Role {
	return []staff.Role{staff.Finance, staff.Product, staff.Support, staff.Lead, staff.Admin}
}
func support() []staff.Role { return []staff.Role{staff.Support, staff.Lead, staff.Admin} }

// samples classifies every route of the console by hand, apart from the code that guards it.
func samples() map[string]sample {
	const j = "/accounts/acct_7/jobs/j1"
	reason := url.Values{"reason": {"because"}}
	// The month that is running in the book time zone of these tests.
	running := time.Now().In(time.FixedZone("Asia/Kathmandu", 20700)).Format("2006-01")
	all := map[string]sample{
		"console.preferences":          {path: "/preferences", opens: every()},
		"console.preferences.post":     {path: "/preferences", form: url.Values{"theme": {"dark"}}, opens: every()},
		"console.overview":             {path: "/", opens: every()},
		"console.search":               {path: "/search?q=nothing", opens: every()},
		"console.suggestions.rollouts": {path: "/suggestions/rollouts?rollout=ro", opens: every()},
		"console.suggestions.rules":    {path: "/suggestions/rules?rule_version=v", opens: every()},
		"console.suggestions.accounts": {path: "/suggestions/accounts?account=a", opens: every()},
		"console.accounts":             {path: "/accounts", opens: every()},
		"console.account":              {path: "/accounts/acct_7", opens: every()},
		"console.entry":                {path: "/accounts/acct_7/entries/2", opens: every()},
		"console.balance":              {path: "/accounts/acct_7/balance", opens: every()},
		"console.grant":                {path: "/accounts/acct_7/grants", opens: money()},
		"console.grant.post":           {path: "/accounts/acct_7/grants", form: url.Values{"amount": {"1"}, "category": {"goodwill"}, "reason": {"because"}}, opens: money()},
		"console.adjust":               {path: "/accounts/acct_7/adjustments", opens: money()},
		"console.adjust.post":          {path: "/accounts/acct_7/adjustments", form: url.Values{"amount": {"1"}, "reason": {"because"}}, opens: money()},
		"console.freeze":               {path: "/accounts/acct_7/freeze", opens: money()},
		"console.freeze.post":          {path: "/accounts/acct_7/freeze", form: reason, opens: money()},
		"console.unfreeze":             {path: "/accounts/acct_7/unfreeze", opens: money()},
		"console.unfreeze.post":        {path: "/accounts/acct_7/unfreeze", form: reason, opens: money()},
		"console.months":               {path: "/months", opens: every()},
		"console.month":                {path: "/months/" + running, opens: every()},
		"console.month.export":         {path: "/months/" + running + "/export", opens: money()},
		"console.month.close":          {path: "/months/" + running + "/close", opens: money()},
		"console.month.close.post":     {path: "/months/" + running + "/close", form: url.Values{"confirm": {running}, "digest": {"0"}, "reason": {"because"}}, opens: money()},
		"console.ledger":               {path: "/ledger", opens: every()},
		"console.ledger.export":        {path: "/ledger/export?format=csv", opens: money()},
		"console.account.export":       {path: "/accounts/acct_7/export?format=journal", opens: money()},
		"console.ledger.export.post":   {path: "/ledger/export?format=csv", form: url.Values{}, opens: money()},
		"console.account.export.post":  {path: "/accounts/acct_7/export?format=csv", form: url.Values{}, opens: money()},
		"console.exports":              {path: "/exports", opens: money()},
		"console.export":               {path: "/exports/none", opens: money()},
		"console.export.file":          {path: "/exports/none/file", opens: money()},
		"console.export.cancel":        {path: "/exports/none/cancel", opens: money()},
		"console.export.cancel.post":   {path: "/exports/none/cancel", form: url.Values{}, opens: money()},
		"console.jobs":                 {path: "/jobs", opens: every()},
		"console.job":                  {path: j, opens: every()},
		"console.cancel":               {path: j + "/cancel", opens: support()},
		"console.cancel.post":          {path: j + "/cancel", form: reason, opens: support()},
		"console.reveal":               {path: j + "/payload", opens: support()},
		"console.reveal.post":          {path: j + "/payload", form: reason, opens: support()},
		"console.operation":            {path: "/operations?scope=account:acct_7&id=known", opens: every()},
		"console.dead_letters":         {path: "/dead-letters", opens: every()},
		"console.requeue":              {path: j + "/requeue", opens: support()},
		"console.requeue.post":         {path: j + "/requeue", form: reason, opens: support()},
		"console.discard":              {path: j + "/discard", opens: support()},
		"console.discard.post":         {path: j + "/discard", form: url.Values{"reason": {"too_old"}}, opens: support()},
		"console.reopen":               {path: j + "/reopen", opens: support()},
		"console.reopen.post":          {path: j + "/reopen", form: reason, opens: support()},
		"console.approvals":            {path: "/approvals", opens: every()},
		"console.approval":             {path: decidedRequest, opens: every()},
		"console.approve":              {path: decidedRequest + "/approve", opens: money(), needs: staff.ApprovalDecide},
		"console.approve.post":         {path: decidedRequest + "/approve", form: reason, opens: money(), needs: staff.ApprovalDecide},
		"console.withdraw":             {path: decidedRequest + "/withdraw", opens: asking()},
		"console.withdraw.post":        {path: decidedRequest + "/withdraw", form: reason, opens: asking()},
		"console.approval.edit":        {path: decidedRequest + "/edit", opens: money()},
		"console.approval.edit.post":   {path: decidedRequest + "/edit", form: url.Values{"amount": {"9000"}, "category": {"goodwill"}, "reason": {"because"}}, opens: money()},
		"console.reject":               {path: decidedRequest + "/reject", opens: money(), needs: staff.ApprovalDecide},
		"console.reject.post":          {path: decidedRequest + "/reject", form: reason, opens: money(), needs: staff.ApprovalDecide},
	}
	maps.Copy(all, webhookSamples())
	maps.Copy(all, settlementSamples())
	return all
}

// public are the routes that nobody has to sign in for.
func public() []string {
	return []string{"console.sign_in", "console.sign_in.post", "console.sign_in.link", "console.sign_in.link.post", "console.sign_out"}
}

// freshID stands in a sample's form for an id that nobody used.
const freshID = "a fresh id"

func send(b *browser, r route.Route, s sample) *httptest.ResponseRecorder {
	if r.Method == http.MethodGet {
		return b.get(s.path)
	}
	form := url.Values{"operation_id": {ids.New()}}
	for k, v := range s.form {
		if slices.Equal(v, []string{freshID}) {
			v = []string{"x" + ids.New()}
		}
		form[k] = v
	}
	if s.file != "" {
		return b.upload(s.path, "f.csv", s.file, form)
	}
	return b.post(s.path, form)
}

func TestEveryRouteWithEveryRole(t *testing.T) {
	w := limitedWorld(t, 5000)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	w.note("acct_7", "called them") // the first of the database
	decided := w.decidedRequest("acct_7")
	who := map[staff.Role]*browser{}
	for _, r := range staff.Roles() {
		who[r] = w.as(r)
	}
	visitor := w.visitor()
	known := samples()
	maps.Copy(known, peopleSamples())
	maps.Copy(known, rolloutSamples())
	w.furnishRollouts()
	maps.Copy(known, triageSamples())
	maps.Copy(known, bulkWorkSamples())
	maps.Copy(known, costSamples())
	maps.Copy(known, integritySamples())
	maps.Copy(known, auditSamples())
	maps.Copy(known, holdSamples())
	maps.Copy(known, w.bulkSamples())
	for _, r := range w.console.Routes() {
		if r.Access.Kind() == route.KindPublic {
			if !strings.Contains(" "+strings.Join(public(), " ")+" ", " "+r.Name+" ") {
				t.Errorf("%s is open to everybody and not classified here", r.Name)
			}
			continue
		}
		s, found := known[r.Name]
		if !found {
			t.Errorf("%s %s is not classified", r.Name, r.Path)
			continue
		}
		delete(known, r.Name)
		s.path = strings.Replace(s.path, decidedRequest, decided, 1)
		open := map[staff.Role]bool{}
		for _, role := range s.opens {
			open[role] = true
		}
		for _, role := range staff.Roles() {
			right := cmp.Or(s.needs, r.Access.Permission())
			if staff.Allows(role, right) != open[role] {
				t.Errorf("%s: the table of permissions gives %s to %s: %t, expected %t", r.Name, right, role, !open[role], open[role])
			}
			rec := send(who[role], r, s)
			if r.Method == http.MethodGet && rec.Code == http.StatusOK && strings.Contains(rec.Body.String(), `id="form"`) && rec.Header().Get("Cache-Control") != "private, no-cache" {
				t.Errorf("%s: the form of %s is not kept for the back button, where sending it again is a replay", r.Name, s.path)
			}
			switch {
			case open[role] && (rec.Code == http.StatusForbidden || rec.Code >= 500 || rec.Code == http.StatusUnprocessableEntity):
				t.Errorf("%s as %s: %d\n%s", r.Name, role, rec.Code, text(rec.Body.String()))
			case !open[role] && rec.Code != http.StatusForbidden:
				t.Errorf("%s as %s: %d instead of 403", r.Name, role, rec.Code)
			case !open[role]:
				w.says(rec.Body.String(), "Pat "+string(role), "You may not do this", "Nothing was changed", "Request id", rec.Header().Get("X-Request-Id"))
			}
		}
		rec := send(visitor, r, s)
		want := "/sign-in"
		if r.Method == http.MethodGet && s.path != "/" {
			want += "?next=" + url.QueryEscape(s.path)
		}
		if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != want {
			t.Errorf("%s signed out: %d to %q, want %q", r.Name, rec.Code, rec.Header().Get("Location"), want)
		}
	}
	for name := range known {
		t.Errorf("%s is classified and there is no such route", name)
	}
}

// What a role may not do is not offered; what it may do is.
func TestButtonsFollowPermissions(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Account(t, "cold", 10)
	w.dead("acct_7", "dead1", 40, "no")
	w.dead("acct_7", "gone1", 40, "no")
	w.Charge(t, "acct_7", "live1", 5)
	who := map[staff.Role]*browser{}
	for _, r := range staff.Roles() {
		who[r] = w.as(r)
	}
	lead := who[staff.Lead]
	lead.sent(jobAt("acct_7", "gone1", "/discard"), lead.form(jobAt("acct_7", "gone1", "/discard"), "reason", "too_old"))
	lead.sent("/accounts/cold/freeze", lead.form("/accounts/cold/freeze", "reason", "because"))
	for _, x := range []struct {
		page, link string
		opens      []staff.Role
	}{
		{"/accounts/acct_7", "/accounts/acct_7/grants", money()},
		{"/accounts/acct_7", "/accounts/acct_7/adjustments", money()},
		{"/accounts/acct_7", "/accounts/acct_7/freeze", money()},
		{"/accounts/cold", "/accounts/cold/unfreeze", money()},
		{jobAt("acct_7", "live1", ""), jobAt("acct_7", "live1", "/cancel"), support()},
		{jobAt("acct_7", "dead1", ""), jobAt("acct_7", "dead1", "/cancel"), support()},
		{jobAt("acct_7", "dead1", ""), jobAt("acct_7", "dead1", "/requeue"), support()},
		{jobAt("acct_7", "dead1", ""), jobAt("acct_7", "dead1", "/discard"), support()},
		{jobAt("acct_7", "gone1", ""), jobAt("acct_7", "gone1", "/reopen"), support()},
		{"/dead-letters", jobAt("acct_7", "dead1", "/requeue"), support()},
		{"/dead-letters", jobAt("acct_7", "dead1", "/discard"), support()},
		{"/dead-letters?tab=resolved", jobAt("acct_7", "gone1", "/reopen"), support()},
	} {
		open := map[staff.Role]bool{}
		for _, r := range x.opens {
			open[r] = true
		}
		for _, role := range staff.Roles() {
			if got := strings.Contains(who[role].page(x.page), `href="`+x.link+`"`); got != open[role] {
				t.Errorf("%s offers %s to %s: %t", x.page, x.link, role, got)
			}
		}
	}
}
