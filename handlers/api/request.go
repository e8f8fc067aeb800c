package api

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// HeaderReplayed marks an answer that repeats a stored result.
const HeaderReplayed = "Idempotent-Replayed"

// Names of path parameters and of the fields that faults name them by.
const (
	paramAccount = "account_id"
	paramJob     = "job_id"
)

// place is what the path of a request names. Members that the route does not have are empty.
type place struct{ account, job string }

// placeOf reads and checks the ids of the path. The fault names the parameter.
func placeOf(c echo.Context) (place, error) {
	var p place
	var v Checks
	for _, name := range c.ParamNames() {
		id, err := route.Param(c, name)
		if err != nil {
			return p, err
		}
		v.CallerID(name, id)
		switch name {
		case paramAccount:
			p.account = id
		case paramJob:
			p.job = id
		}
	}
	return p, v.Err()
}

// change is what every mutation carries.
type change struct {
	place
	ledger.Envelope
}

// begin reads a mutation: operation id, path, no query, body into a pointer to a struct. Each fault
// is an Invalid one.
func begin(c echo.Context, body any) (change, error) { return beginWith(c, body, Decode) }

// beginOptional is begin for calls whose body may be left out.
func beginOptional(c echo.Context, body any) (change, error) {
	return beginWith(c, body, DecodeOptional)
}

func beginWith(c echo.Context, body any, decode func(echo.Context, any) error) (change, error) {
	var ch change
	var err error
	if ch.OperationID, err = OperationID(c); err != nil {
		return ch, err
	}
	if ch.place, err = placeOf(c); err != nil {
		return ch, err
	}
	if _, err = ParseQuery(c); err != nil {
		return ch, err
	}
	if err = decode(c, body); err != nil {
		return ch, err
	}
	facts := reqctx.Of(c.Request().Context())
	ch.Actor, ch.RequestID = facts.Actor, facts.RequestID
	return ch, nil
}

// reply renders what came of a mutation; first is the status of an answer that is no replay.
func reply(c echo.Context, ch change, out operation.Outcome, err error, first int) error {
	if err != nil {
		return err
	}
	if out.Waiting {
		return write(c, http.StatusAccepted, "outcome", approvalRequired, "operation_id", ch.OperationID, "result", raw(out.Result))
	}
	return envelope(c, ch.OperationID, out.Replayed, out.Result, first)
}

// approvalRequired is the outcome of a mutation that is not applied until a second person agrees.
const approvalRequired = "approval_required"

// envelope writes the answer of a mutation around a result, whose bytes it does not touch.
func envelope(c echo.Context, operationID string, replayed bool, result []byte, first int) error {
	status, outcome := first, "applied"
	if replayed {
		status, outcome = http.StatusOK, "replayed"
		c.Response().Header().Set(HeaderReplayed, "true")
	}
	return write(c, status, "outcome", outcome, "operation_id", operationID, "result", raw(result))
}

// raw is JSON that goes into an answer byte for byte.
type raw []byte

// write answers with an object of the given names and values, in this order.
func write(c echo.Context, status int, members ...any) error {
	body, err := object(members...)
	if err != nil {
		return err
	}
	return c.Blob(status, echo.MIMEApplicationJSON, append(body, '\n'))
}

// object makes a JSON object of alternating names and values. It splices raw values instead of
// marshalling them: every encoder at hand would compact them or escape their strings anew.
func object(members ...any) ([]byte, error) {
	var b bytes.Buffer
	for i := 0; i < len(members); i += 2 {
		if i == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", members[i])
		value, isRaw := members[i+1].(raw)
		if !isRaw {
			var err error
			if value, err = json.Marshal(members[i+1], json.Deterministic(true)); err != nil {
				return nil, fmt.Errorf("api: answer: %s: %w", members[i], err)
			}
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeValue answers 200 with a value that is no mutation's result.
func writeValue(c echo.Context, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("api: answer: %w", err)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, append(body, '\n'))
}
