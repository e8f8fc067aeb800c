package console

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/staff"
	entries "recoup/views/ledger"
	"recoup/views/ui"
)

// suggestionRoutes declares what filter fields offer while a person types, beside accounts.
func (h *Console) suggestionRoutes() []route.Route {
	return []route.Route{
		{Method: http.MethodGet, Path: "/suggestions/rollouts", Name: "console.suggestions.rollouts", Access: route.SignedIn(staff.RolloutView), Handler: h.suggestRollouts},
		{Method: http.MethodGet, Path: "/suggestions/rules", Name: "console.suggestions.rules", Access: route.SignedIn(staff.PricingView), Handler: h.suggestRules},
	}
}

// suggestRollouts answers with the ids of rollouts, each with its title.
func (h *Console) suggestRollouts(c echo.Context) error {
	rows, err := h.Rollouts.Suggest(c.Request().Context(), readable(c.QueryParam("rollout")))
	if err != nil {
		return err
	}
	options := make([]ui.Option, len(rows))
	for i, o := range rows {
		options[i] = ui.Option{Value: o.ID, Label: o.Title}
	}
	return render(c, http.StatusOK, entries.Options(options))
}

// suggestRules answers with the ids of rule versions.
func (h *Console) suggestRules(c echo.Context) error {
	rows, err := h.Pricing.Suggest(c.Request().Context(), readable(c.QueryParam("rule_version")))
	if err != nil {
		return err
	}
	options := make([]ui.Option, len(rows))
	for i, id := range rows {
		options[i] = ui.Option{Value: id}
	}
	return render(c, http.StatusOK, entries.Options(options))
}
