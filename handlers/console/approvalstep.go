package console

import (
	"net/http"
	"slices"
	"strings"

	"recoup/handlers/present"
	"recoup/handlers/reqctx"
	"recoup/models/approval"
	"recoup/models/rollout"
	views "recoup/views/approvals"
	"recoup/views/ui"
)

// aboutStep adds to the request for a step of a rollout what whoever decides has to know: both prices in words, and while
// it is open what the step would do now and how the checks stand.
func (h *Console) aboutStep(r request, pr present.Presenter, cr approval.Request, m *views.Detail) error {
	if !slices.Contains(rollout.Kinds(), cr.Kind) {
		return nil
	}
	ctx := r.Request().Context()
	what, err := rollout.ReadProposed(cr)
	if err != nil {
		return err
	}
	o, err := h.Rollouts.Find(ctx, what.RolloutID)
	if err != nil {
		return err
	}
	prices, err := h.pricesOf(ctx, o)
	if err != nil {
		return err
	}
	m.Lines = append(m.Lines, pr.PriceLines(o, prices)...)
	if cr.State != approval.Open {
		return nil
	}
	m.ApproveSay = pr.ApproveSay(cr, what)
	switch {
	case what.Completes():
		m.Effect = []ui.Change{{Label: r.L.T("step.price_of_all"), Before: pr.Price(prices.Baseline, o.Unit), After: pr.Price(prices.Candidate, o.Unit)}}
	case what.To == o.Stage+1:
		if m.Effect, m.Notes, err = h.nextStage(r, pr, o); err != nil {
			return err
		}
	}
	checks, err := h.Rollouts.LastChecks(ctx, o.ID)
	if err != nil || checks == nil {
		return err
	}
	m.Lines = append(m.Lines, pr.CheckLine(*checks))
	return nil
}

// keptBack answers an approval that the checks kept back: they were made again, and where one failed the rollout is
// halted and the request void, so that its page is shown and nothing to approve; else the form says what is lacking.
func (h *Console) keptBack(r request, cr approval.Request, reason ui.Field) error {
	ctx := r.Request().Context()
	if err := h.checkProposed(ctx, cr); err != nil {
		return err
	}
	cr, err := h.Requests.Find(ctx, cr.ID)
	if err != nil {
		return err
	}
	what, err := rollout.ReadProposed(cr)
	if err != nil {
		return err
	}
	checks, err := h.Rollouts.LastChecks(ctx, what.RolloutID)
	if err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	say := r.L.T("fault.checks_not_passed")
	if checks != nil {
		say = strings.TrimSpace(say + " " + pr.NotPassed(*checks))
	}
	m, err := h.approvalDetail(r, cr)
	if err != nil {
		return err
	}
	frame := h.frame(r)
	if cr.State != approval.Open {
		frame.Notices = []ui.Notice{{Kind: ui.Conflict, Happened: say, Unchanged: r.L.T("notice.nothing_changed"), Next: r.L.T("approval.void_now"),
			RequestID: reqctx.RequestID(ctx), Link: ui.Link{Text: what.RolloutID, URL: present.RolloutURL(what.RolloutID)}}}
		return render(r, http.StatusConflict, views.RequestPage(frame, m))
	}
	form := act(r, present.ApprovalURL(cr.ID))
	form.OperationID, form.Error, form.RequestID = r.FormValue("operation_id"), say, reqctx.RequestID(ctx)
	return render(r, http.StatusConflict, views.DecidePage(frame, views.Decide{Act: form, Request: m, Verb: "approve", Reason: reason}))
}
