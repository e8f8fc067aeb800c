package console

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/handlers/route"
	"recoup/models/comparison"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/rollout"
	"recoup/models/staff"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// youngComparison is how old a comparison is before it is made again because somebody asks.
const youngComparison = 10 * time.Second

// effectRoutes declares the URLs of what a rollout does.
func (h *Console) effectRoutes() []route.Route {
	return []route.Route{{Method: http.MethodPost, Path: "/rollouts/:rollout/compare", Name: "console.rollout.compare",
		Access: route.SignedIn(staff.RolloutView), Handler: h.compareRollout}}
}

// effects is what a rollout does, as it was worked out last; nil before its start.
func (h *Console) effects(r request, pr present.Presenter, o rollout.Rollout) (*views.Effects, error) {
	if o.StartedAt == nil {
		return nil, nil
	}
	ctx := r.Request().Context()
	m := &views.Effects{CompareURL: present.RolloutURL(o.ID) + "/compare"}
	c, err := h.Comparisons.Last(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if c != nil {
		m.Comparison = pr.Comparison(o, *c)
	}
	given, err := h.Comparisons.Given(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if given != nil {
		m.Given = pr.Given(*given)
	}
	days, err := h.Comparisons.Days(ctx, o, r.L.Zone, r.Now)
	if err != nil {
		return nil, err
	}
	m.Chart = pr.ChargesChart(days)
	return m, nil
}

// compareRollout makes the comparison now and leads back to the page. It changes nothing but what the next quarter of an
// hour would.
func (h *Console) compareRollout(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	o, err := h.rolloutOf(r)
	if err != nil {
		return err
	}
	if o.StartedAt != nil {
		last, err := h.Comparisons.Last(ctx, o.ID)
		if err != nil {
			return err
		}
		if last == nil || last.Stage != o.Stage || r.Now.Sub(last.At) > youngComparison {
			if _, err := h.Comparisons.Make(ctx, o); err != nil {
				return err
			}
		}
		if err := h.Comparisons.Advance(ctx, o.ID); err != nil {
			return err
		}
	}
	return c.Redirect(http.StatusSeeOther, present.RolloutURL(o.ID))
}

// nextStage is what a start or an advance would do, for its dialog. Where that cannot be worked out in time, the dialog
// says so and names the stage alone; so it does where an earlier charge has a price that no number of credits holds.
func (h *Console) nextStage(r request, pr present.Presenter, o rollout.Rollout) ([]ui.Change, []string, error) {
	ctx := r.Request().Context()
	e, err := h.Comparisons.NextStage(ctx, o)
	switch {
	case fault.Is(err, fault.CodeComparisonTooSlow):
		return []ui.Change{{Label: r.L.T("step.stage"), Before: pr.StageName(o.Stages, o.Stage), After: pr.StageName(o.Stages, o.Stage+1)}}, []string{r.L.T("effect.slow")}, nil
	case errors.Is(err, credit.ErrOverflow):
		return []ui.Change{{Label: r.L.T("step.stage"), Before: pr.StageName(o.Stages, o.Stage), After: pr.StageName(o.Stages, o.Stage+1)}}, []string{r.L.T("effect.overflow")}, nil
	case err == comparison.ErrNotStarted: //nolint:errorlint // it comes as it is
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	prices, err := h.pricesOf(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	changes, notes := pr.NextStage(o, e, prices.Baseline, prices.Candidate)
	return changes, notes, nil
}

// reach counts the accounts of a rollout; nil where that would have taken too long.
func (h *Console) reach(ctx context.Context, o rollout.Rollout) (*comparison.Reach, error) {
	x, err := h.Comparisons.Reach(ctx, o)
	if fault.Is(err, fault.CodeComparisonTooSlow) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &x, nil
}

// pricesOf reads the two rule versions of a rollout.
func (h *Console) pricesOf(ctx context.Context, o rollout.Rollout) (present.Prices, error) {
	base, err := h.Pricing.Version(ctx, o.Baseline)
	if err != nil {
		return present.Prices{}, err
	}
	candidate, err := h.Pricing.Version(ctx, o.Candidate)
	return present.Prices{Baseline: base.Rule, Candidate: candidate.Rule}, err
}

// checkedNow makes the checks of a live rollout and returns them with the rollout as it is then: a red one halts it.
// Where they cannot be made, the last ones are returned, whose age tells.
func (h *Console) checkedNow(ctx context.Context, o rollout.Rollout) (rollout.Rollout, *rollout.Checks, error) {
	if _, err := h.Rollouts.Check(ctx, o.ID); err != nil && ctx.Err() != nil {
		return o, nil, err
	}
	checks, err := h.Rollouts.LastChecks(ctx, o.ID)
	if err != nil {
		return o, nil, err
	}
	o, err = h.Rollouts.Find(ctx, o.ID)
	return o, checks, err
}
