package api

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/fault"
)

// Version is the version of the API, as its paths carry it.
const Version = "1"

func (a *API) openAPICalls() []call {
	document := sync.OnceValues(a.OpenAPI)
	return []call{
		public("/v1/openapi.json", "api.openapi", func(c echo.Context) error {
			body, err := document()
			if err != nil {
				return err
			}
			c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=300")
			return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
		}, doc{Summary: "This document"}),
	}
}

// OpenAPI returns the API's OpenAPI 3.1 document, made from the same table that Routes returns and
// from the types that the handlers read and write.
func (a *API) OpenAPI() ([]byte, error) {
	s := &schemas{named: map[string]any{}}
	paths := map[string]map[string]any{}
	for _, c := range a.calls() {
		path := pathTemplate(c.Path)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(c.Method)] = c.describe(s)
	}
	s.named["Problem"] = problemSchema()
	s.named["FlagFailure"] = flagFailureSchema()
	body, err := json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Recoup", "version": Version,
			"description": "Credits for media work: charged once, refunded on failure, taken back when a failed job is delivered after all. " +
				"Every change is an operation named by the header Idempotency-Key; sent again it answers with its stored result.",
		},
		"paths": paths,
		"components": map[string]any{
			"schemas": s.named,
			"securitySchemes": map[string]any{
				"key": map[string]any{"type": "http", "scheme": "bearer", "description": "An API key, rk_…; the roles are the key's scopes."}},
		},
	}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("api: OpenAPI document: %w", err)
	}
	return append(body, '\n'), nil
}

// pathTemplate writes Echo's :name as {name}.
func pathTemplate(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

func (c call) describe(s *schemas) map[string]any {
	out := map[string]any{"operationId": c.Name, "summary": c.Summary, "responses": c.responses(s)}
	if c.Text != "" {
		out["description"] = c.Text
	}
	if c.Access.Kind() == route.KindKey {
		var scopes []map[string]any
		for _, scope := range route.ScopesFor(c.Access.Permission()) {
			scopes = append(scopes, map[string]any{"key": []string{string(scope)}})
		}
		out["security"] = scopes
	}
	if params := c.parameters(s); len(params) > 0 {
		out["parameters"] = params
	}
	if c.Body != nil {
		s.request = true
		schema := s.of(reflect.TypeOf(c.Body))
		s.request = false
		out["requestBody"] = map[string]any{"required": !c.BodyOptional, "content": content(echo.MIMEApplicationJSON, schema)}
	}
	return out
}

func (c call) parameters(s *schemas) []map[string]any {
	var out []map[string]any
	for _, part := range strings.Split(c.Path, "/") {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			schema := map[string]any{"type": "string", "pattern": `^[A-Za-z0-9._:@-]{1,64}$`, "description": "not . and not .."}
			if c.Flags {
				schema = map[string]any{"type": "string", "pattern": `^pricing\.[A-Za-z0-9._:@-]{1,64}$`, "description": "pricing. and the id of an action"}
			}
			out = append(out, map[string]any{"name": name, "in": "path", "required": true, "schema": schema})
		}
	}
	for _, p := range c.Query {
		out = append(out, map[string]any{"name": p.Name, "in": "query", "required": p.Required, "description": p.Text,
			"schema": s.of(reflect.TypeOf(p.Type))})
	}
	if c.Cached {
		out = append(out, map[string]any{"name": "If-None-Match", "in": "header", "required": false,
			"description": "The ETag of an earlier answer, or several", "schema": map[string]any{"type": "string"}})
	}
	if c.Operation {
		out = append(out, map[string]any{"name": HeaderIdempotencyKey, "in": "header", "required": true,
			"description": "The operation id, the same for every retry of one intended change. Quoted and bare are the same.",
			"schema":      map[string]any{"type": "string", "pattern": "^[!-~]{1,255}$"}})
	}
	return out
}

func (c call) responses(s *schemas) map[string]any {
	out := map[string]any{}
	schema := map[string]any{}
	if c.Result != nil {
		schema = s.of(reflect.TypeOf(c.Result))
	}
	if c.Operation {
		schema = map[string]any{"type": "object", "required": []string{"outcome", "result"}, "properties": map[string]any{
			"outcome":      map[string]any{"type": "string", "enum": []string{"applied", "replayed", "empty"}},
			"operation_id": map[string]any{"type": "string", "description": "left out when the outcome is empty: no operation was made"},
			"result":       schema}}
	}
	ok := map[string]any{"description": "The answer", "content": content(echo.MIMEApplicationJSON, schema)}
	if c.Operation {
		ok["description"] = "Applied, or replayed: then the result has the bytes of the first answer"
		ok["headers"] = map[string]any{HeaderReplayed: map[string]any{"description": "true for a replay",
			"schema": map[string]any{"type": "string", "enum": []string{"true"}}}}
	}
	out["200"] = ok
	if c.Cached {
		ok["headers"] = map[string]any{"ETag": map[string]any{"description": "of the answer and of what was asked", "schema": map[string]any{"type": "string"}}}
		out["304"] = map[string]any{"description": "The answer is that of the ETag sent", "content": map[string]any{}}
	}
	if c.Created {
		out["201"] = map[string]any{"description": "Applied and created", "content": content(echo.MIMEApplicationJSON, schema)}
	}
	if c.Waits {
		out["202"] = map[string]any{"description": "Not applied: it is above the limit of one person and waits for a second. " +
			"The same request gets this answer until somebody has decided, then that of the applied operation, as a replay",
			"content": content(echo.MIMEApplicationJSON, map[string]any{"type": "object", "required": []string{"outcome", "operation_id", "result"},
				"properties": map[string]any{
					"outcome":      map[string]any{"type": "string", "enum": []string{approvalRequired}},
					"operation_id": map[string]any{"type": "string"},
					"result":       s.of(reflect.TypeFor[approval.Required]())}})}
	}
	if c.Name == "api.readyz" {
		out["503"] = map[string]any{"description": "Not ready", "content": content(echo.MIMEApplicationJSON, schema)}
	}
	codes := c.codes()
	byStatus := map[int][]string{}
	for _, code := range codes {
		byStatus[codeStatus(code)] = append(byStatus[codeStatus(code)], code)
	}
	media, name := MIMEProblem, "Problem"
	if c.Flags {
		media, name = echo.MIMEApplicationJSON, "FlagFailure"
	}
	for status, names := range byStatus {
		out[strconv.Itoa(status)] = map[string]any{"description": strings.Join(names, ", "),
			"content": content(media, map[string]any{"$ref": "#/components/schemas/" + name})}
	}
	return out
}

// codes are all refusals of a call: those that it names and those that come with its kind.
func (c call) codes() []string {
	if c.Access.Kind() == route.KindPublic {
		return nil
	}
	codes := []string{fault.CodeInvalid, fault.CodeUnauthenticated, fault.CodeForbidden, fault.CodeBusy}
	if c.Operation {
		codes = append(codes, fault.CodeOperationConflict, fault.CodeOperationInProgress)
	}
	if c.Waits {
		codes = append(codes, approval.CodeRejected, approval.CodeWithdrawn, approval.CodeExpired)
	}
	if c.Body != nil {
		codes = append(codes, codeBodyTooLarge)
	}
	return append(codes, c.Refusals...)
}

// codeBodyTooLarge is what the server answers to a body over the route's limit.
const codeBodyTooLarge = "body_too_large"

// codeStatus is the status that a code is answered with.
func codeStatus(code string) int {
	switch code {
	case fault.CodeInvalid, fault.CodeActionNotFound:
		return http.StatusBadRequest
	case fault.CodeUnauthenticated:
		return http.StatusUnauthorized
	case fault.CodeInsufficientCredits:
		return http.StatusPaymentRequired
	case fault.CodeForbidden:
		return http.StatusForbidden
	case approval.CodeRequestNotFound, dependency.CodeNotFound, deadletter.CodeGroupNotFound, codeFlagNotFound, fault.CodeAccountNotFound, fault.CodeJobNotFound, fault.CodeOperationNotFound, fault.CodeLeaseUnknown:
		return http.StatusNotFound
	case codeBodyTooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.CodeOperationConflict:
		return http.StatusUnprocessableEntity
	case fault.CodeBusy:
		return http.StatusServiceUnavailable
	}
	return http.StatusConflict
}

func content(media string, schema map[string]any) map[string]any {
	return map[string]any{media: map[string]any{"schema": schema}}
}

func problemSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{
		"type":        "object",
		"description": "RFC 9457. Further members are facts of the code: balance and cost, state, attempt, existing_operation_id, permission.",
		"required":    []string{"type", "title", "status", "detail", "code", "request_id"},
		"properties": map[string]any{
			"type": text, "title": text, "status": map[string]any{"type": "integer"}, "detail": text,
			"code": map[string]any{"type": "string", "description": "stable; programs decide by it"}, "request_id": text,
			"fields": fieldsSchema(),
			"limit":  map[string]any{"type": "integer", "description": "with body_too_large: how many bytes a body may have"},
		},
	}
}

func fieldsSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{"type": "array", "items": map[string]any{"type": "object", "required": []string{"field", "message"},
		"properties": map[string]any{"field": text, "message": text}}}
}

// flagFailureSchema is what refuseFlag answers.
func flagFailureSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{
		"type":        "object",
		"description": "A failed evaluation of OpenFeature's remote evaluation protocol. Further members are facts of the code, as in a Problem.",
		"required":    []string{factErrorCode, "errorDetails", "code", "request_id"},
		"properties": map[string]any{
			"key":          map[string]any{"type": "string", "description": "the flag that was asked for; left out where all were"},
			factErrorCode:  map[string]any{"type": "string", "enum": []string{flagParseError, flagKeyMissing, flagInvalidContext, flagNotFound, flagGeneral}},
			"errorDetails": text, "code": text, "request_id": text, "fields": fieldsSchema(),
			"limit":      map[string]any{"type": "integer", "description": "with body_too_large: how many bytes a body may have"},
			"permission": text, "scopes": map[string]any{"type": "array", "items": text},
		},
	}
}
