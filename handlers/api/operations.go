package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
	"recoup/models/staff"
)

func (a *API) operationCalls() []call {
	return []call{
		get("/v1/operations", "api.operation.get", staff.OperationView, a.operation, doc{
			Summary: "Read a stored operation and every further try to send it",
			Text:    "Operation ids may hold / and %, so scope and id are parameters of the query.",
			Query: []parameter{
				{Name: "scope", Type: "", Required: true, Text: "account:<account id>; system:<account id> for what timers did; worker:<key id> for claims; costs:<source> for cost records"},
				{Name: "id", Type: "", Required: true, Text: "the operation id"}},
			Result: operationAnswer{}, Refusals: []string{fault.CodeOperationNotFound}}),
	}
}

type operationAnswer struct {
	Operation operationView          `json:"operation"`
	Attempts  []operationAttemptView `json:"attempts"`
}

type operationView struct {
	Scope       string         `json:"scope"`
	ID          string         `json:"id"`
	Kind        string         `json:"kind"`
	Actor       string         `json:"actor"`
	StartedAt   time.Time      `json:"started_at"`
	CompletedAt *time.Time     `json:"completed_at"`
	JobID       *string        `json:"job_id,omitempty"`
	TraceID     *string        `json:"trace_id,omitempty"`
	Result      jsontext.Value `json:"result" doc:"the stored result, byte for byte"`
}

type operationAttemptView struct {
	Attempt     int       `json:"attempt" doc:"the first try is 1 and not listed"`
	Outcome     string    `json:"outcome" enum:"replayed,conflict"`
	Fields      []string  `json:"fields" doc:"for a conflict: the fields that differ"`
	Price       *int64    `json:"price,omitempty"`
	RuleVersion *string   `json:"rule_version,omitempty"`
	Actor       string    `json:"actor"`
	TraceID     *string   `json:"trace_id,omitempty"`
	At          time.Time `json:"at"`
}

func (a *API) operation(c echo.Context) error {
	q, err := ParseQuery(c, "scope", "id")
	if err != nil {
		return err
	}
	scope, id, err := operationQuery(q)
	if err != nil {
		return err
	}
	stored, attempts, err := a.ops.Find(c.Request().Context(), scope, id)
	if err != nil {
		return err
	}
	views := make([]operationAttemptView, len(attempts))
	for i, t := range attempts {
		views[i] = operationAttemptView{Attempt: t.Attempt, Outcome: t.Outcome, Fields: fieldNames(t.Fields), Price: t.Price,
			RuleVersion: t.RuleVersion, Actor: t.Actor, TraceID: traceHex(t.TraceID), At: t.At.UTC()}
	}
	result := raw("null")
	if stored.Result != nil {
		result = raw(*stored.Result)
	}
	members := []any{"scope", stored.ScopeName(), "id", stored.ID, "kind", stored.Kind, "actor", stored.Actor,
		"started_at", stored.StartedAt.UTC(), "completed_at", utc(stored.CompletedAt)}
	if stored.JobID != nil {
		members = append(members, "job_id", *stored.JobID)
	}
	if trace := traceHex(stored.TraceID); trace != nil {
		members = append(members, "trace_id", *trace)
	}
	op, err := object(append(members, "result", result)...)
	if err != nil {
		return err
	}
	return write(c, http.StatusOK, "operation", raw(op), "attempts", views)
}

// operationQuery reads which operation is meant. Only scopes of accounts, workers and costs are for
// programs; what people did in settings and staff is not.
func operationQuery(q Query) (operation.Scope, string, error) {
	var v Checks
	name := v.Bytes("scope", q.Text("scope"), 1, 200)
	id := q.Text("id")
	if id == "" {
		v.Refuse("id", missing)
	} else if err := ids.CheckOperationID(id); err != nil {
		v.Refuse("id", err.Error())
	}
	if name != "" {
		kind, rest, _ := strings.Cut(name, ":")
		switch {
		case kind == "costs":
			costScope(&v, rest)
		case kind != "account" && kind != "system" && kind != "worker":
			v.Refuse("scope", "must be account:<account id>, system:<account id>, worker:<key id> or costs:<source>")
		default:
			v.CallerID("scope", rest)
		}
	}
	return operation.ParseScope(name), id, v.Err()
}

func fieldNames(joined string) []string {
	if joined == "" {
		return []string{}
	}
	return strings.Split(joined, ",")
}
