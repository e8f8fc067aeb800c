package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/staff"
)

func (a *API) changeRequestCalls() []call {
	return []call{
		get("/v1/change-requests/:change_request_id", "api.change_request.get", staff.ApprovalView, a.changeRequest, doc{
			Summary: "Read what waits for a second person, or did",
			Text:    "People decide in the console. No program can, whatever its scopes.",
			Result:  approval.Required{}, Refusals: []string{approval.CodeRequestNotFound}}),
	}
}

func (a *API) changeRequest(c echo.Context) error {
	if _, err := placeOf(c); err != nil {
		return err
	}
	if _, err := ParseQuery(c); err != nil {
		return err
	}
	id, err := route.Param(c, "change_request_id")
	if err != nil {
		return err
	}
	r, err := a.requests.Find(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return write(c, http.StatusOK, "change_request", r.View())
}
