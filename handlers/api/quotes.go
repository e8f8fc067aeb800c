package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/pricing"
	"recoup/models/staff"
)

func (a *API) quoteCalls() []call {
	return []call{
		post("/v1/accounts/:account_id/quotes", "api.quote", staff.JobCharge, a.quote, doc{
			Summary: "Freeze the price of a charge that is to come",
			Text: "The operation id is that of the charge, which has to come within 15 minutes, for the same action and units. The price holds " +
				"whatever happens to the price in force or to a rollout meanwhile.",
			Body: quoteBody{}, Operation: true, Result: pricing.QuoteResult{}, Created: true,
			Refusals: []string{fault.CodeActionNotFound, fault.CodeAccountNotFound, fault.CodeQuoteExpired}}),
	}
}

type quoteBody struct {
	Action string `json:"action" required:"true" doc:"what will be done; it must have a price"`
	Units  *int64 `json:"units" required:"true" doc:"how much of it, at least 1"`
}

func (a *API) quote(c echo.Context) error {
	var b quoteBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.pricing.Quote(c.Request().Context(), pricing.QuoteRequest{OperationID: ch.OperationID, AccountID: ch.account,
		Action: b.Action, Units: Optional(b.Units, 0)})
	return reply(c, ch, out, err, http.StatusCreated)
}
