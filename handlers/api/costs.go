package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/staff"
)

func (a *API) costCalls() []call {
	return []call{
		post("/v1/costs", "api.costs", staff.CostRecord, a.recordCosts, doc{
			Summary: "Keep a batch of cost records: all of them or none",
			Text: "A record that is there already with the same content counts as replayed. One that is there with other content refuses the whole batch (409 " +
				"cost_conflict) and is named by external_id. A record may name a job (account_id, job_id) or an operation (operation_scope, operation_id); " +
				"one that names nothing, or something unknown, is kept as unattributed.",
			Body: costsBody{}, Operation: true, Result: cost.BatchResult{}, Created: true, Refusals: []string{cost.CodeConflict}}),
	}
}

type costsBody struct {
	Source  string       `json:"source" required:"true" doc:"who billed, e.g. render-farm; 1–64 characters as in ids"`
	Records []costRecord `json:"records" required:"true" doc:"1–1000 records, no external_id twice"`
}

type costRecord struct {
	ExternalID string     `json:"external_id" required:"true" doc:"the provider's id of the line, unique in the source, 1–200 characters"`
	Amount     string     `json:"amount" required:"true" doc:"a decimal number as a string, such as \"0.0042\" or \"-3\": at most 20 digits before and 60 after the point, no exponent"`
	Currency   string     `json:"currency" required:"true" doc:"ISO 4217, e.g. USD"`
	Time       *time.Time `json:"time" required:"true" doc:"when the cost arose, or when the period begins that it was billed for"`
	Until      *time.Time `json:"until" doc:"when that period ends, itself outside of it; absent for a cost of one moment"`
	AccountID  string     `json:"account_id" doc:"with job_id"`
	JobID      string     `json:"job_id" doc:"the job it was billed for"`
	Scope      string     `json:"operation_scope" doc:"account:<account id>, with operation_id"`
	Operation  string     `json:"operation_id" doc:"the operation it was billed for, in the place of a job"`
	Action     string     `json:"action" doc:"one of this installation's actions, where it is known"`
	Text       string     `json:"description" doc:"up to 500 characters"`
	// Dimensions have pointers so that a member that is null counts as absent.
	Dimensions map[string]*string `json:"dimensions" doc:"up to 50 names of up to 100 characters with values of up to 500, 8000 bytes together"`
}

func (a *API) recordCosts(c echo.Context) error {
	var b costsBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	batch := cost.Batch{Envelope: ch.Envelope, Source: b.Source, Records: make([]cost.NewRecord, len(b.Records))}
	var v Checks
	v.That(b.Source != "", "source", missing)
	v.That(len(b.Records) > 0, "records", "must not be empty")
	// Beyond that the model says what is wrong, and nobody makes us read more amounts.
	if len(b.Records) <= cost.MaxBatch {
		for i, r := range b.Records {
			batch.Records[i] = r.record(&v, fmt.Sprintf("records[%d].", i))
		}
	}
	if err := v.Err(); err != nil {
		return err
	}
	out, err := a.costs.Record(c.Request().Context(), batch)
	return reply(c, ch, out, err, http.StatusCreated)
}

// record reads what only the API writes in its own way; the model checks the rest.
func (r costRecord) record(v *Checks, prefix string) cost.NewRecord {
	n := cost.NewRecord{ExternalID: r.ExternalID, Currency: r.Currency, AccountID: r.AccountID, JobID: r.JobID, OperationID: r.Operation,
		Action: r.Action, Description: r.Text}
	switch amount, err := decimal.Parse(r.Amount); {
	case r.Amount == "":
		v.Refuse(prefix+"amount", missing)
	case err != nil:
		v.Refuse(prefix+"amount", err.Error())
	default:
		n.Amount = amount
	}
	if r.Time == nil {
		v.Refuse(prefix+"time", missing)
	} else {
		n.Time = *r.Time
	}
	if r.Until != nil {
		n.Until = *r.Until
	}
	if account, found := strings.CutPrefix(r.Scope, "account:"); found && account != "" {
		v.That(r.AccountID == "" || r.AccountID == account, prefix+"operation_scope", "is of another account than account_id")
		v.That(r.Operation != "", prefix+"operation_id", "is required with operation_scope")
		n.AccountID = account
	} else if r.Scope != "" {
		v.Refuse(prefix+"operation_scope", "must be account:<account id>")
	}
	if r.Dimensions != nil {
		n.Dimensions = make(map[string]string, len(r.Dimensions))
		for name, value := range r.Dimensions {
			if value != nil {
				n.Dimensions[name] = *value
			}
		}
	}
	return n
}

// costScope is the scope of operations on a source's costs, as a query names it.
func costScope(v *Checks, source string) {
	if err := cost.CheckSource(source); err != nil {
		v.Refuse("scope", fmt.Sprintf("must be costs:<source>: %s", err))
	}
}
