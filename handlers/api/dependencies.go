package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/dependency"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/page"
	"recoup/models/staff"
)

func (a *API) dependencyCalls() []call {
	const one = "/v1/dependencies/:dependency"
	refusals := []string{fault.CodeStateConflict}
	return []call{
		get("/v1/dependencies", "api.dependencies", staff.QueueView, a.dependencies, doc{
			Summary: "List what jobs depend on, what is not healthy first",
			Query:   []parameter{limitParameter(), cursorParameter()}, Result: dependenciesAnswer{}}),
		get(one, "api.dependency.get", staff.QueueView, a.dependency, doc{
			Summary: "Read one dependency", Result: dependencyView{}, Refusals: []string{dependency.CodeNotFound}}),
		post(one+"/hold", "api.dependency.hold", staff.DependencyHold, a.holdDependency, doc{
			Summary: "Hold a dependency's queued work", Text: "No worker gets it until it is released. What runs goes on; held jobs use up no attempt.",
			Body: reasonBody{}, Operation: true, Result: dependency.Result{}, Refusals: refusals}),
		post(one+"/release", "api.dependency.release", staff.DependencyHold, a.releaseDependency, doc{
			Summary: "Release a dependency's work at a rate", Text: "Oldest first, never faster than the rate. A breaker that was open begins anew.",
			Body: releaseBody{}, Operation: true, Result: dependency.Result{}, Refusals: append([]string{dependency.CodeNotFound}, refusals...)}),
	}
}

type releaseBody struct {
	Reason    string `json:"reason" required:"true" doc:"why, up to 500 characters"`
	PerMinute *int64 `json:"per_minute" required:"true" doc:"how many held jobs a minute are handed out, 1–60,000"`
}

type dependenciesAnswer struct {
	Dependencies []dependencyView `json:"dependencies"`
	NextCursor   string           `json:"next_cursor,omitempty" doc:"left out on the last page"`
}

type dependencyView struct {
	Name   string `json:"name"`
	Health string `json:"health" doc:"held (by a person), open, half_open, releasing or closed"`
	// State is the breaker's alone.
	State     string              `json:"state" doc:"of the breaker: closed, open or half_open"`
	ChangedAt *time.Time          `json:"changed_at" doc:"since when the breaker is in its state; null while it never left closed"`
	Waiting   int64               `json:"waiting" doc:"its queued jobs; 100001 for more than 100000"`
	Results   int64               `json:"results" doc:"how many of its newest results since then were looked at"`
	Failures  int64               `json:"failures" doc:"how many of those failed"`
	HeldBy    string              `json:"held_by,omitempty"`
	Reason    string              `json:"reason,omitempty" doc:"why a person holds it"`
	PerMinute int64               `json:"per_minute,omitempty" doc:"rate at which held jobs are or will be released; left out where nothing is held"`
	Settings  dependency.Settings `json:"settings"`
}

func viewOf(s dependency.Status) dependencyView {
	v := dependencyView{Name: s.Name, Health: string(s.Health()), State: string(s.State), ChangedAt: utc(s.ChangedAt), Waiting: s.Waiting, Results: s.Results,
		Failures: s.Failures, Settings: s.Settings}
	if s.Hold != nil {
		v.HeldBy, v.Reason, v.PerMinute = s.Hold.HeldBy, s.Hold.Reason, s.Hold.PerMinute
	}
	return v
}

// dependencyList tells a cursor of this list from those of others.
type dependencyList struct {
	List string `json:"list"`
}

func (a *API) dependencies(c echo.Context) error {
	q, err := ParseQuery(c, "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := q.Int("limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	query := dependencyList{List: "dependencies"}
	var from *dependency.Position
	if q.Has("cursor") {
		cur, err := decodeCursor[dependencyList, dependency.Position](q.Text("cursor"))
		if err != nil {
			return err
		}
		if cur.Query != query {
			return fault.InvalidField("cursor", "is not a cursor of this list")
		}
		from = &cur.Position
	}
	rows, err := a.holds.List(c.Request().Context(), dependency.Filter{}, from, page.Older, int(limit))
	if err != nil {
		return err
	}
	out := dependenciesAnswer{Dependencies: make([]dependencyView, len(rows.Rows))}
	for i, s := range rows.Rows {
		out.Dependencies[i] = viewOf(s)
	}
	if out.NextCursor, err = nextCursor(query, rows.Older); err != nil {
		return err
	}
	return writeValue(c, out)
}

// dependencyName is the dependency of a path: by the rule for the ids of callers, as jobs name it.
func dependencyName(c echo.Context) (string, error) {
	name, err := route.Param(c, "dependency")
	if err != nil {
		return "", err
	}
	if err := ids.CheckCallerID(name); err != nil {
		return "", fault.InvalidField("dependency", "%s", err)
	}
	return name, nil
}

func (a *API) dependency(c echo.Context) error {
	if _, err := ParseQuery(c); err != nil {
		return err
	}
	name, err := dependencyName(c)
	if err != nil {
		return err
	}
	s, err := a.holds.Find(c.Request().Context(), name)
	if err != nil {
		return err
	}
	return writeValue(c, viewOf(s))
}

func (a *API) holdDependency(c echo.Context) error {
	var b reasonBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	name, err := dependencyName(c)
	if err != nil {
		return err
	}
	out, err := a.holds.Hold(c.Request().Context(), dependency.Request{Envelope: ch.Envelope, Name: name, Reason: b.Reason})
	return reply(c, ch, out, err, http.StatusOK)
}

func (a *API) releaseDependency(c echo.Context) error {
	var b releaseBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	var v Checks
	v.That(b.PerMinute != nil, "per_minute", missing)
	if err := v.Err(); err != nil {
		return err
	}
	name, err := dependencyName(c)
	if err != nil {
		return err
	}
	out, err := a.holds.Release(c.Request().Context(), dependency.Request{Envelope: ch.Envelope, Name: name, Reason: b.Reason}, *b.PerMinute)
	return reply(c, ch, out, err, http.StatusOK)
}
