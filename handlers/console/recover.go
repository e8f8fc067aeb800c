package console

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/models/credit"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	views "recoup/views/jobs"
	"recoup/views/ui"
)

func (h *Console) recoverForm(c echo.Context) error {
	return h.jobFormIn(c, []job.State{job.Dead, job.Discarded, job.Canceled}, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.RecoverPage(h.frame(r), recoverModel(r, act(r, jobURL(a.ID, j.ID)), j, a, nil))
	})
}

// recoverModel shows the balance before and after, as far as it stands when the form is made.
func recoverModel(r request, form ui.Act, j job.Listed, a ledger.Account, err error) views.Recover {
	name := a.Name
	if name == "" {
		name = a.ID
	}
	m := views.Recover{Act: form, JobID: j.ID, JobURL: jobURL(a.ID, j.ID), Account: name, State: string(j.State), Generation: strconv.Itoa(j.Generation),
		Cost: r.L.Credits(j.Cost), Reclaims: j.IsRefunded && !j.IsReclaimed, Before: r.L.Credits(a.Balance), After: r.L.Credits(a.Balance),
		Result: field(r, "result", err), Reason: field(r, "reason", err)}
	if m.Reclaims {
		m.After = r.L.Sum(credit.SumOf(a.Balance).Plus(credit.SumOf(-j.Cost)).String())
	}
	return m
}

func (h *Console) recover(c echo.Context) error {
	return h.jobAct(c, func(r request, p job.PersonRequest) (operation.Outcome, error) {
		p.Result = r.FormValue("result")
		p.Seen = seenState(r)
		return h.Jobs.Recover(c.Request().Context(), p)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return views.RecoverPage(h.frame(r), recoverModel(r, again(r, jobURL(a.ID, j.ID), err), j, a, err))
	})
}

// seenState is the state in which a form showed its job. While work waits and runs it changes by itself: whoever saw it do one
// has seen it do the other.
func seenState(r request) []job.State {
	working := []job.State{job.Queued, job.Running, job.Retrying}
	switch seen := job.State(r.FormValue("seen")); {
	case slices.Contains(working, seen):
		return working
	case seen == job.Dead, seen == job.Discarded, seen == job.Canceled:
		return []job.State{seen}
	}
	return nil
}

// recovered words a recovery with the balance that it led to.
func recovered(r request, stored operation.Stored) string {
	var x job.SignalResult
	if err := (operation.Outcome{Result: []byte(*stored.Result)}).Decode(&x); err != nil || x.Entry == nil {
		return r.L.T("done.recover")
	}
	return r.L.T("done.recover") + " " + r.L.T("recover.now", r.L.Credits(x.Job.Cost), r.L.Credits(x.Entry.BalanceAfter))
}
