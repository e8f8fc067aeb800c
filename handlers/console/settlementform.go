package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/rollout"
	"recoup/models/settlement"
	views "recoup/views/settlements"
	"recoup/views/ui"
)

// shownPreview is how many accounts the preview of a proposal lists.
const shownPreview = 20

// proposalForm is what a proposal's form says, with what is wrong with its fields.
type proposalForm struct {
	rollout  string
	filter   settlement.Filter
	way      settlement.Way
	accounts string
	days     url.Values // from, to
	minimum  string
	bad      map[string]string
}

// proposalOf reads a form from wherever it came: the URL of a page, of a preview, or a posted body.
func proposalOf(r request) proposalForm {
	value := func(name string) string { return readable(r.FormValue(name)) }
	f := proposalForm{rollout: value("rollout"), way: settlement.Way(value("way")), accounts: value("accounts"), minimum: value("minimum"), days: url.Values{"period": {"custom"}}}
	for _, name := range []string{"from", "to"} {
		if v := value(name); v != "" {
			f.days.Set(name, v)
		}
	}
	period, bad := periodOf(r, query{values: f.days})
	f.bad = map[string]string{}
	for name, problem := range bad {
		f.bad[name] = problem
	}
	f.filter = settlement.Filter{From: period.From, To: period.To, Sign: settlement.Sign(value("sign"))}
	if !f.filter.Sign.Valid() {
		f.filter.Sign = settlement.Credits
	}
	if !f.way.Valid() {
		f.way = settlement.Ledger
	}
	f.filter.Accounts = strings.FieldsFunc(f.accounts, func(c rune) bool { return c == ',' || c == ';' || unicode.IsSpace(c) })
	if f.minimum != "" {
		n, err := amount(f.minimum)
		if f.filter.Minimum = n; err != nil || n < 0 {
			f.filter.Minimum, f.bad["minimum"] = 0, r.L.T("problem.amount")
		}
	}
	return f
}

// fill puts what was typed, and what is wrong with it, into the form's page.
func (f proposalForm) fill(r request, m *views.New, err error) {
	one := func(name, value string) ui.Field {
		out := ui.Field{Value: value, Error: f.bad[name]}
		for _, bad := range invalidFields(err) {
			if bad.Name == name && out.Error == "" {
				out.Error = r.L.Maybe("problem."+bad.Message, bad.Message)
			}
		}
		if missing := missingOf(r, err); name == "accounts" && missing != "" {
			out.Error = missing
		}
		return out
	}
	m.From, m.To, m.Minimum, m.Accounts = one("from", f.days.Get("from")), one("to", f.days.Get("to")), one("minimum", f.minimum), one("accounts", f.accounts)
	m.Reason = field(r, "reason", err)
	for _, s := range []settlement.Sign{settlement.Credits, settlement.Debits, settlement.Both} {
		m.Signs = append(m.Signs, ui.Option{Value: string(s), Label: r.L.T("settle_sign." + string(s)), Selected: s == f.filter.Sign})
	}
	for _, w := range []settlement.Way{settlement.Ledger, settlement.Outside} {
		m.Ways = append(m.Ways, ui.Option{Value: string(w), Label: r.L.T("settle_way." + string(w)), Selected: w == f.way})
	}
}

// missingOf names the accounts that a filter names though there are none; "" where a fault is about something else.
func missingOf(r request, err error) string {
	f := fault.As(err)
	if f == nil {
		return ""
	}
	missing, _ := f.Detail[settlement.DetailMissing].([]string)
	return noSuchAccounts(r, missing)
}

// formOf is the form of a settlement that was proposed, to be edited.
func formOf(r request, st settlement.Settlement) proposalForm {
	f := proposalForm{rollout: st.RolloutID, filter: st.Filter, way: st.Way, accounts: strings.Join(st.Filter.Accounts, "\n"), days: url.Values{}, bad: map[string]string{}}
	day := func(name string, back int) {
		at := st.Filter.From
		if name == "to" {
			at = st.Filter.To
		}
		if at != nil {
			local := at.AddDate(0, 0, back)
			if r.L.Zone != nil {
				local = at.In(r.L.Zone).AddDate(0, 0, back)
			}
			f.days.Set(name, local.Format("2006-01-02"))
		}
	}
	day("from", 0)
	day("to", -1)
	if st.Filter.Minimum > 0 {
		f.minimum = digits(st.Filter.Minimum)
	}
	return f
}

// digits is a number as a field of a form has it.
func digits(n int64) string { return strconv.FormatInt(n, 10) }

func (h *Console) newSettlementPage(c echo.Context) error {
	r := h.of(c)
	f := proposalOf(r)
	var old *settlement.Settlement
	if id := readable(r.QueryParam("replaces")); id != "" {
		st, err := h.Settlements.Find(c.Request().Context(), id)
		if err != nil {
			return err
		}
		if st.State != settlement.Proposed {
			// Nothing is left to edit: its page says what became of it.
			return c.Redirect(http.StatusSeeOther, present.SettlementURL(st.ID))
		}
		old = &st
		if len(r.QueryParams()) == 1 {
			f = formOf(r, st)
		}
	}
	m, err := h.settlementForm(r, act(r, settlementsPath), f, old, nil)
	if err != nil {
		return err
	}
	m.Action = settlementsPath + "/new"
	return formPage(c, views.NewPage(h.frame(r), m))
}

// settlementForm is the page of a proposal; old is what it takes the place of, nil for none.
func (h *Console) settlementForm(r request, a ui.Act, f proposalForm, old *settlement.Settlement, refused error) (views.New, error) {
	ctx := r.Request().Context()
	m := views.New{Act: a, Zone: r.L.ZoneName()}
	f.fill(r, &m, refused)
	switch {
	case old != nil:
		f.rollout = old.RolloutID
		m.Rollout, m.RolloutURL, m.Replaces, m.ReplacesURL = old.RolloutID, present.RolloutURL(old.RolloutID), old.ID, present.SettlementURL(old.ID)
		m.CancelURL = m.ReplacesURL
		if m.Reason.Value == "" {
			m.Reason.Value = old.Reason
		}
		cr, err := h.Requests.OfOperation(ctx, settlement.Scope(), old.OperationID)
		if err != nil {
			return m, err
		}
		if cr != nil {
			m.Version, m.Digest = digits(int64(cr.Version)), cr.DigestHex()
		}
		if seen := r.FormValue("version"); seen != "" {
			m.Version, m.Digest = seen, r.FormValue("digest")
		}
	default:
		rows, err := h.Rollouts.List(ctx, shownRollouts)
		if err != nil {
			return m, err
		}
		for _, o := range rows {
			// What is live may still charge more, and of what was completed nothing is owed: the one is refused, the other has to be asked for by name.
			if o.State == rollout.RolledBack || o.State == rollout.Completed && o.ID == f.rollout {
				m.Rollouts = append(m.Rollouts, ui.Option{Value: o.ID, Label: o.ID + " · " + r.L.Maybe("state."+string(o.State), string(o.State)), Selected: o.ID == f.rollout})
			}
		}
		// The preview is of what the form would send: a rollout that cannot be settled is refused in both, and one that there
		// is not is passed over.
		offered := slices.ContainsFunc(m.Rollouts, func(o ui.Option) bool { return o.Value == f.rollout })
		if at := slices.IndexFunc(rows, func(o rollout.Rollout) bool { return o.ID == f.rollout }); !offered && at >= 0 {
			state := string(rows[at].State)
			m.Rollouts = append(m.Rollouts, ui.Option{Value: f.rollout, Label: f.rollout + " · " + r.L.Maybe("state."+state, state), Selected: true})
		} else if !offered {
			f.rollout = ""
		}
		if f.rollout == "" && len(m.Rollouts) > 0 {
			f.rollout = m.Rollouts[0].Value
		}
	}
	var err error
	m.Preview, err = h.settlementPreview(ctx, r, f, old)
	return m, err
}

func (h *Console) previewSettlement(c echo.Context) error {
	r := h.of(c)
	var old *settlement.Settlement
	if id := readable(r.QueryParam("replaces")); id != "" {
		st, err := h.Settlements.Find(c.Request().Context(), id)
		if err != nil {
			return err
		}
		old = &st
	}
	p, err := h.settlementPreview(c.Request().Context(), r, proposalOf(r), old)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.PreviewPart(r.L, p))
}

// settlementPreview says what a proposal would hold now. What an edit takes the place of does not count as held.
func (h *Console) settlementPreview(ctx context.Context, r request, f proposalForm, old *settlement.Settlement) (views.Preview, error) {
	if f.rollout == "" {
		return views.Preview{}, nil
	}
	for _, name := range []string{"from", "to", "minimum"} {
		if problem := f.bad[name]; problem != "" {
			return views.Preview{Problem: r.L.T(map[string]string{"from": "settlement.from", "to": "settlement.to", "minimum": "settlement.minimum"}[name]) + ": " + problem}, nil
		}
	}
	replaces := ""
	if old != nil {
		replaces = old.ID
	}
	p, err := h.Settlements.Preview(ctx, f.rollout, f.filter, replaces, shownPreview)
	if bad := fault.As(err); bad != nil && bad.Kind != fault.Busy {
		if missing := missingOf(r, bad); missing != "" {
			return views.Preview{Problem: missing}, nil
		}
		if len(bad.Fields) > 0 {
			return views.Preview{Problem: r.L.Maybe("problem."+bad.Fields[0].Message, bad.Fields[0].Message)}, nil
		}
		return views.Preview{Problem: sentence(r.L, bad)}, nil
	}
	if err != nil {
		return views.Preview{}, err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	m := views.Preview{Say: r.L.T("settlement.preview_say", r.L.N("count.charges", p.Jobs), r.L.N("count.settled_accounts", p.Accounts), r.L.Credits(p.Charged), r.L.Credits(p.Baseline))}
	if p.Jobs == 0 {
		m.Say = r.L.T("settlement.preview_nothing")
	}
	m.Totals = pr.SettlementTotals(p.Totals)
	for _, x := range p.Lines {
		m.Lines = append(m.Lines, pr.SettlementLine(x, f.way == settlement.Ledger))
	}
	if p.Accounts > int64(len(p.Lines)) {
		m.More = r.L.T("settlement.preview_more", r.L.Credits(int64(len(p.Lines))), r.L.Credits(p.Accounts))
	}
	note := func(s string) { m.Notes = append(m.Notes, s) }
	if f.way == settlement.Outside {
		note(r.L.T("settlement.preview_outside"))
	} else if p.Frozen > 0 {
		note(r.L.T("settlement.preview_frozen", r.L.Credits(p.Frozen)))
	}
	return m, h.otherSign(ctx, r, f, note)
}

// otherSign tells of charges that the chosen sign leaves out.
func (h *Console) otherSign(ctx context.Context, r request, f proposalForm, note func(string)) error {
	if f.filter.Sign == settlement.Both {
		return nil
	}
	s, err := h.Settlements.Standing(ctx, f.rollout)
	if err != nil {
		return err
	}
	if f.filter.Sign == settlement.Credits && s.Debits > 0 {
		note(r.L.T("settlement.preview_debits", r.L.N("count.charges", s.Debits)))
	}
	if f.filter.Sign == settlement.Debits && s.Credits > 0 {
		note(r.L.T("settlement.preview_credits", r.L.N("count.charges", s.Credits)))
	}
	return nil
}

func (h *Console) newSettlement(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	f := proposalOf(r)
	p := settlement.Proposal{Envelope: r.by(), RolloutID: f.rollout, Filter: f.filter, Way: f.way, Reason: r.FormValue("reason")}
	to := newSettlementURL(f.rollout)
	var old *settlement.Settlement
	if id := readable(r.FormValue("replaces")); id != "" {
		st, err := h.Settlements.Find(ctx, id)
		if err != nil {
			return err
		}
		old, to = &st, present.SettlementURL(st.ID)
		p.RolloutID = st.RolloutID
		cr, err := h.Requests.OfOperation(ctx, settlement.Scope(), st.OperationID)
		if err != nil {
			return err
		}
		p.Replaces = &settlement.Replaced{SettlementID: st.ID}
		if cr != nil {
			p.Replaces.Replaced = seenOf(r, cr.ID)
		}
	}
	var out operation.Outcome
	var err error
	if len(f.bad) > 0 {
		err = fault.InvalidField("filter", "cannot be read")
	} else {
		out, err = h.Settlements.Propose(ctx, p)
	}
	var m views.New
	if err != nil {
		var unread error
		if m, unread = h.settlementForm(r, again(r, settlementsPath, err), f, old, err); unread != nil {
			return unread
		}
		m.Action = settlementsPath + "/new"
	}
	return h.conclude(r, to, settlement.Scope(), out, err, func(error) templ.Component { return views.NewPage(h.frame(r), m) })
}

func (h *Console) outsideForm(c echo.Context) error {
	r := h.of(c)
	st, err := h.settlementOf(r)
	if err != nil {
		return err
	}
	if st.State != settlement.Approved {
		return c.Redirect(http.StatusSeeOther, present.SettlementURL(st.ID))
	}
	return formPage(c, views.OutsidePage(h.frame(r), outsideModel(r, act(r, present.SettlementURL(st.ID)), st, nil)))
}

func outsideModel(r request, a ui.Act, st settlement.Settlement, err error) views.Outside {
	return views.Outside{Act: a, ID: st.ID, URL: present.SettlementURL(st.ID), Reference: field(r, "reference", err), Reason: field(r, "reason", err),
		Changes: []ui.Change{{Label: r.L.T("settlement.jobs"), After: r.L.Credits(st.Jobs)}, {Label: r.L.T("settlement.credits"), After: r.L.Signed(st.Credits)},
			{Label: r.L.T("settlement.debits"), After: r.L.Signed(-st.Debits)}}}
}

func (h *Console) settleOutside(c echo.Context) error {
	r := h.of(c)
	st, err := h.settlementOf(r)
	if err != nil {
		return err
	}
	at := present.SettlementURL(st.ID)
	out, err := h.Settlements.SettleOutside(c.Request().Context(), settlement.OutsideRequest{Envelope: r.by(), ID: st.ID, Reference: r.FormValue("reference"), Reason: r.FormValue("reason")})
	return h.conclude(r, at, settlement.Scope(), out, err, func(err error) templ.Component {
		return views.OutsidePage(h.frame(r), outsideModel(r, again(r, at, err), st, err))
	})
}

func (h *Console) resumeForm(c echo.Context) error {
	r := h.of(c)
	st, err := h.settlementOf(r)
	if err != nil {
		return err
	}
	if st.State != settlement.Paying {
		return c.Redirect(http.StatusSeeOther, present.SettlementURL(st.ID))
	}
	return formPage(c, views.ResumePage(h.frame(r), resumeModel(r, act(r, present.SettlementURL(st.ID)), st, nil)))
}

func resumeModel(r request, a ui.Act, st settlement.Settlement, err error) views.Resume {
	return views.Resume{Act: a, ID: st.ID, URL: present.SettlementURL(st.ID), Reason: field(r, "reason", err),
		Changes: []ui.Change{{Label: r.L.T("settlement.left"), After: r.L.Credits(st.Jobs - st.Paid - st.Excluded)}}}
}

func (h *Console) resumeSettlement(c echo.Context) error {
	r := h.of(c)
	st, err := h.settlementOf(r)
	if err != nil {
		return err
	}
	at := present.SettlementURL(st.ID)
	out, err := h.Settlements.Resume(c.Request().Context(), r.by(), st.ID, r.FormValue("reason"))
	return h.conclude(r, at, settlement.Scope(), out, err, func(err error) templ.Component {
		return views.ResumePage(h.frame(r), resumeModel(r, again(r, at, err), st, err))
	})
}
