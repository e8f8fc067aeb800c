package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/route"
	"recoup/models/approval"
	"recoup/models/cost"
	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/staff"
	"recoup/models/verify"
)

// Deps are what an API is made of. Every field is required unless it says otherwise.
type Deps struct {
	Ledger *ledger.Service
	// Verifier tells what verification found.
	Verifier *verify.Verifier
	Pricing  *pricing.Service
	Jobs     *job.Service
	Ops      *operation.Store
	Costs    *cost.Service
	// Dependencies hold work.
	Dependencies *dependency.Service
	// Letters are dead letters and their groups.
	Letters *deadletter.Service
	// Requests are what waits for a second person.
	Requests *approval.Store
	// Database returns nil when PostgreSQL answers and its schema is the one this program needs. The
	// error goes to nobody but Unready.
	Database func(ctx context.Context) error
	// Queue returns nil when Redis answers. Nil for processes without a queue. Its failure degrades,
	// since PostgreSQL alone holds what is owed.
	Queue func(ctx context.Context) error
	// Unready is told when a check of readiness fails; it must not block. Nil for nobody.
	Unready func(ctx context.Context, check string, err error)
}

// API answers programs.
type API struct {
	ledger   *ledger.Service
	verifier *verify.Verifier
	pricing  *pricing.Service
	jobs     *job.Service
	ops      *operation.Store
	costs    *cost.Service
	// holds are dependencies with what is held.
	holds   *dependency.Service
	letters *deadletter.Service
	// requests are what waits for a second person.
	requests *approval.Store
	ready    *readiness
}

// New makes an API.
func New(d Deps) *API {
	return &API{ledger: d.Ledger, verifier: d.Verifier, pricing: d.Pricing, jobs: d.Jobs, ops: d.Ops, costs: d.Costs, holds: d.Dependencies, letters: d.Letters, requests: d.Requests, ready: newReadiness(d)}
}

// call is one route with what its documentation says beside.
type call struct {
	route.Route
	doc
}

// doc describes a call for the OpenAPI document.
type doc struct {
	// Summary is one line; Text explains more and may be empty.
	Summary, Text string
	// Query lists the parameters of the query.
	Query []parameter
	// Body is a zero value of the request's struct, nil for none.
	Body any
	// BodyOptional is true where the body may be left out.
	BodyOptional bool
	// Operation is true when the call needs an operation id and answers with an envelope.
	Operation bool
	// Result is a zero value of the answer, or of the envelope's result.
	Result any
	// Created is true when the first answer may be 201.
	Created bool
	// Waits is true when it may be answered with 202, because a second person has to agree.
	Waits bool
	// Flags is true for calls of OpenFeature's protocol, whose refusals are of its form.
	Flags bool
	// Cached is true where the answer has an ETag and may be 304.
	Cached bool
	// Refusals are the codes beyond those that every call has.
	Refusals []string
}

type parameter struct {
	Name, Text string
	// Type is a zero value of the parameter's type.
	Type     any
	Required bool
}

// Routes returns every URL of the API with who may come in.
func (a *API) Routes() []route.Route {
	calls := a.calls()
	routes := make([]route.Route, len(calls))
	for i, c := range calls {
		routes[i] = c.Route
	}
	return routes
}

func (a *API) calls() []call {
	var all []call
	for _, group := range [][]call{
		a.accountCalls(), a.changeRequestCalls(), a.entryCalls(), a.quoteCalls(), a.flagCalls(), a.jobCalls(), a.signalCalls(), a.workerCalls(),
		a.deadLetterCalls(), a.triageCalls(), a.dependencyCalls(), a.costCalls(), a.operationCalls(), a.healthCalls(), a.openAPICalls(),
	} {
		all = append(all, group...)
	}
	return all
}

// keyed declares a call for API keys whose scope opens the permission.
func keyed(method, path, name string, p staff.Permission, h echo.HandlerFunc, d doc) call {
	return call{Route: route.Route{Method: method, Path: path, Name: name, Access: route.Key(p), Handler: h}, doc: d}
}

func post(path, name string, p staff.Permission, h echo.HandlerFunc, d doc) call {
	return keyed(http.MethodPost, path, name, p, h, d)
}

func get(path, name string, p staff.Permission, h echo.HandlerFunc, d doc) call {
	return keyed(http.MethodGet, path, name, p, h, d)
}

// public declares a call for everybody.
func public(path, name string, h echo.HandlerFunc, d doc) call {
	return call{Route: route.Route{Method: http.MethodGet, Path: path, Name: name, Access: route.Public(), Handler: h,
		Quiet: true, Timeout: 10 * time.Second}, doc: d}
}
