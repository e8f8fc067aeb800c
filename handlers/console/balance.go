package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/calendar"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/verify"
	"recoup/views/replay"
	"recoup/views/ui"
)

// replayPage is how many entries of a replay one page shows.
const replayPage = 100

// momentLayout is what a datetime-local field holds.
const momentLayout = "2006-01-02T15:04:05"

// balance answers why an account's balance is what it is, now or at a moment.
func (h *Console) balance(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	id, err := param(c, "account")
	if err != nil {
		return err
	}
	at, field := moment(r)
	if field.Error != "" {
		return h.refusedBalance(r, id, field)
	}
	found, err := h.Ledger.Replay(ctx, id, at)
	if err != nil {
		return err
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	var wrong *verify.OfAccount
	switch {
	case at == nil:
		wrong, err = h.Verifier.OfAccount(ctx, id, nil)
	case found.Seq > 0: // before the first entry there is nothing to be wrong
		wrong, err = h.Verifier.OfAccount(ctx, id, &found.Seq)
	}
	if err != nil {
		return err
	}
	m := pr.Replay(found, at == nil, wrong)
	m.At = field
	if m.At.Value == "" {
		m.At.Value = found.At.In(zoneOf(r)).Format(momentLayout)
	}
	m.Both = bothOf(r, found.At)
	if err := h.replayRows(ctx, r, pr, found, at, &m); err != nil {
		return err
	}
	return render(c, http.StatusOK, replay.Page(h.frame(r), m))
}

// refusedBalance asks again for a moment that cannot be read, or is not yet. It shows no balance: it would be taken for
// that of the moment.
func (h *Console) refusedBalance(r request, id string, at ui.Field) error {
	a, err := h.Ledger.Account(r.Request().Context(), id)
	if err != nil {
		return err
	}
	m := replay.Model{Account: present.Account(a.ID), Name: a.Name, Path: accountURL(a.ID) + "/balance", Zone: r.L.ZoneLabel(r.Now), At: at}
	return render(r, http.StatusUnprocessableEntity, replay.RefusedPage(h.frame(r), m))
}

func zoneOf(r request) *time.Location {
	if r.L.Zone == nil {
		return time.UTC
	}
	return r.L.Zone
}

// moment reads the parameter at: a time of the person's zone as the form sends it, or RFC 3339. A whole second is meant to
// its end. Of a time that the clock shows twice, the parameter again means the second. nil is now. Where it cannot be read
// the field says so.
func moment(r request) (*time.Time, ui.Field) {
	v := readable(r.QueryParam("at"))
	if v == "" {
		return nil, ui.Field{}
	}
	// A plus in an address that was put together by hand reads as a space.
	at, err := time.Parse(time.RFC3339, strings.ReplaceAll(v, " ", "+"))
	for _, layout := range []string{momentLayout, "2006-01-02T15:04"} {
		if err == nil {
			break
		}
		var wall time.Time
		if wall, err = time.Parse(layout, v); err != nil {
			continue
		}
		var reading calendar.Reading
		at, reading = calendar.At(wall, zoneOf(r))
		switch {
		case reading == calendar.LeftOut:
			return nil, ui.Field{Error: r.L.T("problem.left_out")}
		case reading == calendar.Twice && r.QueryParam("again") != "":
			at = secondOf(at)
		}
	}
	if err != nil || at.Year() < 1 || at.Year() > 9999 {
		return nil, ui.Field{Error: r.L.T("problem.moment")}
	}
	field := ui.Field{Value: at.In(zoneOf(r)).Format(momentLayout)}
	if at.After(r.Now) {
		field.Error = r.L.T("problem.future")
		return nil, field
	}
	if at.Nanosecond() == 0 {
		// Pages show whole seconds: the balance at a time that stands beside an entry is the one with that entry.
		if at = at.Add(time.Second - time.Microsecond); at.After(r.Now) {
			at = r.Now
		}
	}
	return &at, field
}

// secondOf is when the clock shows the same again that it shows at first, which it shows twice.
func secondOf(first time.Time) time.Time {
	_, before := first.Zone()
	_, after := first.Add(26 * time.Hour).Zone()
	return first.Add(time.Duration(before-after) * time.Second)
}

// bothOf are the choices between the two moments that the clock of the person's zone shows as at; nil where there is one.
func bothOf(r request, at time.Time) []ui.Option {
	local := at.In(zoneOf(r))
	first, reading := calendar.At(local, zoneOf(r))
	if reading != calendar.Twice {
		return nil
	}
	again := !local.Equal(first)
	return []ui.Option{{Label: r.L.T("why.first_time", r.L.ZoneAt(first)), Selected: !again},
		{Value: "1", Label: r.L.T("why.second_time", r.L.ZoneAt(secondOf(first))), Selected: again}}
}

// replayRows fills in one page of entries, oldest first, and the ways to the neighbouring pages.
func (h *Console) replayRows(ctx context.Context, r request, pr present.Presenter, found ledger.Replay, at *time.Time, m *replay.Model) error {
	after, err := strconv.ParseInt(r.QueryParam("after"), 10, 64)
	if err != nil || after < 0 || after >= found.Seq {
		after = 0
	}
	// One entry more at the beginning tells the balance before the first row.
	from, limit := max(after-1, 0), replayPage
	if after > 0 {
		limit++
	}
	list, err := h.Ledger.List(ctx, ledger.Filter{AccountID: found.Account.ID}, &ledger.Position{Seq: from}, page.Newer, limit)
	if err != nil {
		return err
	}
	entries := list.Rows
	slices.Reverse(entries)
	entries = slices.DeleteFunc(entries, func(e ledger.Entry) bool { return e.Seq > found.Seq })
	var before *int64
	if after == 0 {
		before = new(int64)
	} else if len(entries) > 0 && entries[0].Seq <= after {
		before = &entries[0].BalanceAfter
		entries = entries[1:]
	}
	if len(entries) == 0 {
		return nil
	}
	var jobs []int64
	for _, e := range entries {
		if e.JobKey != nil {
			jobs = append(jobs, *e.JobKey)
		}
	}
	nets, err := h.Ledger.JobNets(ctx, found.Account.Key, jobs, entries[0].Seq)
	if err != nil {
		return err
	}
	broken, err := h.brokenEntries(ctx, entries)
	if err != nil {
		return err
	}
	m.Rows = pr.ReplayRows(entries, before, nets)
	for i, row := range m.Rows {
		m.Rows[i].Broken = row.Broken || broken[row.Number.URL]
	}
	first, last := entries[0].Seq, entries[len(entries)-1].Seq
	m.Range = r.L.T("why.range", r.L.Credits(first), r.L.Credits(last), r.L.Credits(found.Seq))
	to := func(after int64) string {
		v := url.Values{}
		if at != nil {
			v.Set("at", at.UTC().Format(time.RFC3339Nano))
		}
		if after > 0 {
			v.Set("after", strconv.FormatInt(after, 10))
		}
		return address(m.Path, v) + "#entries"
	}
	if after > 0 {
		m.PreviousURL = to(max(after-replayPage, 0))
	}
	if last < found.Seq {
		m.NextURL = to(last)
	}
	return nil
}
