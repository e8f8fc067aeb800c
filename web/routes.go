package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/handlers/api"
	"recoup/handlers/console"
	"recoup/handlers/route"
	"recoup/static"
)

// Routes is every URL of an installation: the API, the console and the assets. /metrics is added by the
// command that serves it, here or on a listener of its own.
func Routes(a *api.API, c *console.Console) []route.Route {
	routes := append(a.Routes(), c.Routes()...)
	return append(routes, route.Route{Method: http.MethodGet, Path: "/static/*", Name: "static", Access: route.Public(),
		Handler: echo.WrapHandler(static.Handler()), Quiet: true})
}
