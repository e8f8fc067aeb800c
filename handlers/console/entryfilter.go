package console

import (
	"context"
	"math"
	"strings"

	"recoup/handlers/present"
	"recoup/models/ledger"
	views "recoup/views/ledger"
	"recoup/views/ui"
)

// entryFilter is the filter of entries as a URL says it.
type entryFilter struct {
	query
	ledger.Filter
	period period
	form   views.Filter
	chips  []ui.Chip
	bad    bool
	// names are what people and keys are called, by actor.
	names map[string]string
}

// presenter shows rows with the names that the filter was read with.
func (f entryFilter) presenter(r request) present.Presenter {
	return present.Presenter{L: r.L, Now: r.Now, Names: f.names}
}

// anySign is the value of the parameter sign that lets an amount stand for both of its signs.
const anySign = "any"

// statementParams are the parameters of a statement's URL.
func statementParams() []string {
	return []string{"type", "job", "operation", "rule_version", "period", "from", "to"}
}

// ledgerParams are the parameters of the ledger's URL.
func ledgerParams() []string {
	return append(statementParams(), "account", "rollout", "action", "cohort", "category", "actor", "min", "max", "sign", "zone")
}

// entriesOf parses the filter once, for the page, the next page and whatever else reads the same rows.
// What cannot be read is named at its field, and sets bad: such a filter selects nothing, rather than more than it says.
func (h *Console) entriesOf(r request, path string, params []string) (entryFilter, error) {
	q := newQuery(r, path, params...)
	f := entryFilter{query: q, form: views.Filter{Action: path, Types: views.TypeOptions(r.L, q.values["type"]...)}}
	actors, err := h.actors(r.Request().Context())
	if err != nil {
		return f, err
	}
	f.names = actors.names
	f.form.Actors = actors.options(r)
	for _, t := range q.values["type"] {
		if ledger.Type(t).Valid() {
			f.Types = append(f.Types, ledger.Type(t))
			f.chips = append(f.chips, ui.Chip{Label: r.L.T("col.type"), Value: r.L.Maybe("type."+t, t), RemoveURL: q.withoutValue("type", t)})
			continue
		}
		f.form.TypeError, f.bad = r.L.T("problem.type", t), true
	}
	for _, p := range []struct {
		name, label string
		to          *string
		field       *ui.Field
	}{
		{"account", "filter.account", &f.AccountID, &f.form.Account},
		{"job", "filter.job", &f.JobID, &f.form.Job},
		{"operation", "filter.operation", &f.OperationID, &f.form.Operation},
		{"rule_version", "col.rule_version", &f.RuleVersion, &f.form.RuleVersion},
		{"rollout", "filter.rollout", &f.RolloutID, &f.form.Rollout},
	} {
		*p.to, p.field.Value = q.get(p.name), q.get(p.name)
		f.chips = q.chip(f.chips, p.name, r.L.T(p.label))
	}
	f.readMore(r)
	f.readActor(r, actors)
	f.readAmounts(r)
	q.typedDays(readable(r.QueryParam("was")))
	var bad map[string]string
	f.period, bad = periodOf(r, q)
	f.From, f.To = f.period.From, f.period.To
	f.form.Periods, f.form.Period = views.PeriodOptions(r.L, q.get("period")), q.get("period")
	f.form.From = ui.Field{Value: q.get("from"), Error: bad["from"]}
	f.form.PeriodError = bad["period"]
	f.form.To = ui.Field{Value: q.get("to"), Error: bad["to"]}
	f.readOnce(r)
	f.bad = f.bad || len(bad) > 0
	f.form.OpenOnErrors = f.bad
	if days := f.period.words(r.L, r.Now); days != "" {
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("period.label"), Value: views.PeriodChip(r.L, days, r.L.ZoneName()),
			RemoveURL: q.without("period", "from", "to")})
	}
	return f, nil
}

// readOnce refuses what is given twice and counts once, rather than take the first of it.
func (f *entryFilter) readOnce(r request) {
	for name, field := range map[string]*ui.Field{"account": &f.form.Account, "job": &f.form.Job, "operation": &f.form.Operation,
		"rule_version": &f.form.RuleVersion, "rollout": &f.form.Rollout, "actor": &f.form.Actor, "min": &f.form.Min, "max": &f.form.Max,
		"from": &f.form.From, "to": &f.form.To} {
		if len(f.values[name]) > 1 {
			field.Error, f.bad = r.L.T("problem.twice"), true
		}
	}
	if len(f.values["period"]) > 1 {
		f.form.PeriodError, f.bad = r.L.T("problem.twice"), true
	}
	for _, name := range []string{"action", "cohort", "category", "sign"} {
		f.bad = f.bad || len(f.values[name]) > 1
	}
}

// readMore reads what only links filter by: the form carries it on unseen, its chips take it away.
func (f *entryFilter) readMore(r request) {
	for _, p := range []struct {
		name, label string
		to          *string
	}{{"action", "filter.action", &f.Action}, {"cohort", "filter.cohort", &f.Cohort}, {"category", "filter.category", &f.Category}} {
		*p.to = f.get(p.name)
		f.chips = f.chip(f.chips, p.name, r.L.T(p.label))
	}
	if f.get("zone") != bookZone {
		f.values.Del("zone")
	} else {
		f.chips = append(f.chips, ui.Chip{Label: r.L.T("filter.zone"), Value: r.L.ZoneName(), RemoveURL: f.without("zone")})
	}
	for _, name := range []string{"action", "cohort", "category", "zone"} {
		if v := f.get(name); v != "" {
			f.form.Kept = append(f.form.Kept, ui.Option{Label: name, Value: v})
		}
	}
}

// bookZone is the value of the parameter zone that turns days and times into those of the book time zone.
const bookZone = "book"

// inZone is the request with the times of the zone that its URL asks for.
func (h *Console) inZone(r request) request {
	if r.QueryParam("zone") == bookZone {
		return h.inBookZone(r)
	}
	return r
}

// readActor reads who made the entries: an actor as it is recorded, or the name of a person or a key.
func (f *entryFilter) readActor(r request, actors actors) {
	typed := f.get("actor")
	if f.form.Actor.Value = typed; typed == "" {
		return
	}
	found := actors.named(typed)
	if len(found) > 1 {
		f.form.Actor.Error, f.bad = r.L.T("problem.actor_ambiguous"), true
		return
	}
	shown := typed
	if f.Actor = typed; len(found) == 1 {
		f.Actor = found[0]
	}
	if name := f.names[f.Actor]; name != "" {
		shown = name
	}
	f.chips = append(f.chips, ui.Chip{Label: r.L.T("filter.actor"), Value: shown, RemoveURL: f.without("actor")})
}

// readAmounts reads the range of amounts. Where either sign counts it is a range of sizes, and the sign that was
// typed is no part of it.
func (f *entryFilter) readAmounts(r request) {
	f.AnySign = f.get("sign") == anySign
	f.form.Sign = []ui.Option{{Value: anySign, Label: r.L.T("filter.any_sign"), Selected: f.AnySign}}
	for _, p := range []struct {
		name, label, anySign string
		to                   **int64
		field                *ui.Field
	}{
		{"min", "filter.min", "filter.min_any_sign", &f.MinAmount, &f.form.Min},
		{"max", "filter.max", "filter.max_any_sign", &f.MaxAmount, &f.form.Max},
	} {
		v := f.get(p.name)
		if p.field.Value = v; v == "" {
			continue
		}
		n, err := amount(v)
		if err != nil || f.AnySign && n == math.MinInt64 {
			p.field.Error, f.bad = r.L.T("problem.amount"), true
			continue
		}
		label := p.label
		if f.AnySign {
			n, label = max(n, -n), p.anySign
		}
		*p.to = &n
		f.chips = append(f.chips, ui.Chip{Label: r.L.T(label), Value: r.L.Credits(n), RemoveURL: f.without(p.name)})
	}
}

// actors are the people and keys that may have made an entry.
type actors struct {
	names map[string]string // actor → name
	mails map[string]string // actor → e-mail address; a key has none
	order []string
}

// actors reads everybody, the disabled and revoked too: what they did stays.
func (h *Console) actors(ctx context.Context) (actors, error) {
	out := actors{names: map[string]string{}, mails: map[string]string{}}
	all, err := h.Staff.Actors(ctx)
	if err != nil {
		return out, err
	}
	for _, x := range all {
		id := x.Actor.String()
		out.names[id], out.order = x.Name, append(out.order, id)
		if x.Email != "" {
			out.mails[id] = x.Email
		}
	}
	return out, nil
}

// named are the actors that a person may mean by what they typed: a recorded actor, an e-mail address, a name.
func (a actors) named(typed string) (found []string) {
	if _, ok := a.names[typed]; ok {
		return []string{typed}
	}
	for _, id := range a.order {
		if strings.EqualFold(a.names[id], typed) || a.mails[id] != "" && strings.EqualFold(a.mails[id], typed) {
			found = append(found, id)
		}
	}
	return found
}

// options suggests everybody by what the field understands: the name where it is nobody else's, else the e-mail address
// or the recorded actor.
func (a actors) options(r request) []ui.Option {
	out := []ui.Option{{Value: "system", Label: r.L.T("actor.system")}}
	for _, id := range a.order {
		o := ui.Option{Value: a.names[id], Label: a.mails[id]}
		if o.Label == "" {
			o.Label = r.L.T("actor.key")
		}
		if len(a.named(o.Value)) > 1 {
			if o.Value, o.Label = a.mails[id], a.names[id]; o.Value == "" {
				o.Value = id
			}
		}
		out = append(out, o)
	}
	return out
}
