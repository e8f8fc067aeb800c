package api

import (
	"encoding/hex"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/staff"
)

func (a *API) accountCalls() []call {
	const base = "/v1/accounts/:account_id"
	return []call{
		keyed(http.MethodPut, base, "api.account.put", staff.AccountEdit, a.putAccount, doc{
			Summary: "Create an account or change its profile",
			Text:    "Fields that are left out stay as they are; attributes are replaced as a whole. 201 when the account is new.",
			Body:    profileBody{}, Operation: true, Result: ledger.ProfileResult{}, Created: true}),
		get(base, "api.account.get", staff.AccountView, a.getAccount, doc{
			Summary: "Read an account", Result: accountAnswer{}, Refusals: []string{fault.CodeAccountNotFound}}),
		post(base+"/freeze", "api.account.freeze", staff.AccountFreeze, a.freeze, doc{
			Summary: "Freeze an account: it takes no charges, everything else goes on",
			Body:    reasonBody{}, Operation: true, Result: ledger.ProfileResult{},
			Refusals: []string{fault.CodeAccountNotFound, fault.CodeStateConflict}}),
		post(base+"/unfreeze", "api.account.unfreeze", staff.AccountFreeze, a.unfreeze, doc{
			Summary: "Let a frozen account take charges again",
			Body:    reasonBody{}, Operation: true, Result: ledger.ProfileResult{},
			Refusals: []string{fault.CodeAccountNotFound, fault.CodeStateConflict}}),
		post(base+"/grants", "api.account.grant", staff.AccountGrant, a.grant, doc{
			Summary: "Give credits to an account",
			Text:    "Above the installation's limit a second person has to agree first: 202 with the change request.",
			Body:    grantBody{}, Operation: true, Result: ledger.GrantResult{}, Created: true, Waits: true,
			Refusals: []string{fault.CodeAccountNotFound, fault.CodeAmountOverflow, fault.CodeAccountInconsistent}}),
		post(base+"/adjustments", "api.account.adjust", staff.AccountAdjust, a.adjust, doc{
			Summary: "Correct a balance; it may become negative",
			Text:    "The limit counts the absolute amount; above it a second person has to agree first: 202 with the change request.",
			Body:    adjustBody{}, Operation: true, Result: ledger.GrantResult{}, Created: true, Waits: true,
			Refusals: []string{fault.CodeAccountNotFound, fault.CodeAmountOverflow, fault.CodeAccountInconsistent}}),
	}
}

type profileBody struct {
	Name   *string `json:"name" doc:"up to 200 characters"`
	Plan   *string `json:"plan" doc:"up to 100 characters"`
	Region *string `json:"region" doc:"up to 100 characters"`
	// Attributes have pointers so that a member that is null counts as absent.
	Attributes map[string]*string `json:"attributes" doc:"up to 50 names of up to 100 characters with values of up to 500; replaces all attributes"`
}

func (a *API) putAccount(c echo.Context) error {
	var b profileBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	p := ledger.Profile{Envelope: ch.Envelope, AccountID: ch.account, Name: b.Name, Plan: b.Plan, Region: b.Region}
	if b.Attributes != nil {
		p.Attributes = make(map[string]string, len(b.Attributes))
		for name, value := range b.Attributes {
			if value != nil {
				p.Attributes[name] = *value
			}
		}
	}
	out, err := a.ledger.PutAccount(c.Request().Context(), p)
	first := http.StatusOK
	if err == nil && !out.Replayed {
		var result ledger.ProfileResult
		if err := out.Decode(&result); err != nil {
			return err
		}
		if result.Created {
			first = http.StatusCreated
		}
	}
	return reply(c, ch, out, err, first)
}

type reasonBody struct {
	Reason string `json:"reason" required:"true" doc:"why, up to 500 characters"`
}

func (a *API) freeze(c echo.Context) error {
	var b reasonBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.ledger.Freeze(c.Request().Context(), ledger.FreezeRequest{Envelope: ch.Envelope, AccountID: ch.account, Reason: b.Reason})
	return reply(c, ch, out, err, http.StatusOK)
}

func (a *API) unfreeze(c echo.Context) error {
	var b reasonBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.ledger.Unfreeze(c.Request().Context(), ledger.FreezeRequest{Envelope: ch.Envelope, AccountID: ch.account, Reason: b.Reason})
	return reply(c, ch, out, err, http.StatusOK)
}

type grantBody struct {
	Amount    *int64 `json:"amount" required:"true" doc:"whole credits, at least 1"`
	Category  string `json:"category" required:"true" enum:"paid,promotion,goodwill"`
	Reference string `json:"reference" doc:"the payment's reference outside, up to 200 characters"`
	Reason    string `json:"reason" doc:"up to 500 characters"`
}

func (a *API) grant(c echo.Context) error {
	var b grantBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	// An amount left out is 0, which no grant and no adjustment may be.
	out, err := a.ledger.Grant(c.Request().Context(), ledger.GrantRequest{Envelope: ch.Envelope, AccountID: ch.account,
		Amount: Optional(b.Amount, 0), Category: b.Category, Reference: b.Reference, Reason: b.Reason})
	return reply(c, ch, out, err, http.StatusCreated)
}

type adjustBody struct {
	Amount    *int64 `json:"amount" required:"true" doc:"whole credits, not 0"`
	Reason    string `json:"reason" required:"true" doc:"why, up to 500 characters"`
	Reference string `json:"reference" doc:"the document behind it, up to 200 characters"`
}

func (a *API) adjust(c echo.Context) error {
	var b adjustBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.ledger.Adjust(c.Request().Context(), ledger.AdjustRequest{Envelope: ch.Envelope, AccountID: ch.account,
		Amount: Optional(b.Amount, 0), Reason: b.Reason, Reference: b.Reference})
	return reply(c, ch, out, err, http.StatusCreated)
}

type accountAnswer struct {
	Account accountView `json:"account"`
}

type accountView struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Plan       string         `json:"plan"`
	Region     string         `json:"region"`
	Attributes jsontext.Value `json:"attributes"`
	Frozen     bool           `json:"frozen"`
	FrozenAt   *time.Time     `json:"frozen_at"`
	Balance    int64          `json:"balance"`
	// Found is nil where the newest verification found nothing wrong.
	Found *foundView `json:"found_wrong,omitempty" doc:"what the newest verification found wrong with the account's ledger; left out where it found nothing"`
	// LastSeq is 0 before the first entry.
	LastSeq       int64      `json:"last_seq"`
	LastEntryAt   *time.Time `json:"last_entry_at"`
	NegativeSince *time.Time `json:"negative_since"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

func (a *API) getAccount(c echo.Context) error {
	p, err := placeOf(c)
	if err != nil {
		return err
	}
	if _, err := ParseQuery(c); err != nil {
		return err
	}
	acc, err := a.ledger.Account(c.Request().Context(), p.account)
	if err != nil {
		return err
	}
	found, err := a.found(c.Request().Context(), acc.ID, nil)
	if err != nil {
		return err
	}
	return write(c, http.StatusOK, "account", accountView{Found: found, ID: acc.ID, Name: acc.Name, Plan: acc.Plan, Region: acc.Region,
		Attributes: jsontext.Value(acc.Attributes), Frozen: acc.FrozenAt != nil, FrozenAt: utc(acc.FrozenAt),
		Balance: acc.Balance, LastSeq: acc.LastSeq, LastEntryAt: utc(acc.LastAt), NegativeSince: utc(acc.NegativeSince),
		CreatedAt: acc.CreatedAt.UTC(), UpdatedAt: acc.UpdatedAt.UTC()})
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// traceHex is a stored trace id as W3C writes it, nil where there is none.
func traceHex(id []byte) *string {
	if len(id) == 0 {
		return nil
	}
	s := hex.EncodeToString(id)
	return &s
}
