package console

import (
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/views/layout"
	"recoup/views/ui"
)

// unreadableKey is where a request keeps the page that ErrorPage shows in place of the plain one.
const unreadableKey = "console:unreadable"

// unreadable answers a list that could not be read. A fault of the request goes on as it is. Anything else goes on
// too, so that it is logged and answered with its own status; but the person sees the page as it is with tabs and
// filters, saying in the place of the rows that they could not be read, with the request id and a way to try again.
func (h *Console) unreadable(r request, err error, list *ui.List, retry string, page func(layout.Frame) component, part func() component) error {
	if f := fault.As(err); f != nil && f.Kind != fault.Busy {
		return err
	}
	list.Unreadable = &ui.Unreadable{RequestID: reqctx.RequestID(r.Request().Context()), RetryURL: retry,
		Wide: fault.Is(err, fault.CodeFilterTooWide)}
	r.Set(unreadableKey, func(status int) error { return fragment(r, h, status, page, part) })
	return err
}

// unreadableOf returns what unreadable left for the request, nil when it left nothing.
func unreadableOf(c echo.Context) func(status int) error {
	show, _ := c.Get(unreadableKey).(func(status int) error)
	return show
}
