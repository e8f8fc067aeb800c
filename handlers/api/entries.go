package api

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/page"
	"recoup/models/staff"
)

// Rows of a page: how many when a list's limit is left out, and at most.
const (
	defaultLimit = 50
	maxLimit     = 500
)

func limitParameter() parameter {
	return parameter{Name: "limit", Type: int64(0), Text: "rows of a page, 1–500; 50 when left out"}
}

func cursorParameter() parameter {
	return parameter{Name: "cursor", Type: "", Text: "next_cursor of the page before; it carries the whole query"}
}

func (a *API) entryCalls() []call {
	const base = "/v1/accounts/:account_id"
	return []call{
		get(base+"/balance", "api.account.balance", staff.LedgerView, a.balance, doc{
			Summary: "Read an account's balance, now or at a time",
			Query:   []parameter{{Name: "at", Type: time.Time{}, Text: "entries made up to and including this moment count; now when left out"}},
			Result:  balanceAnswer{}, Refusals: []string{fault.CodeAccountNotFound}}),
		get(base+"/entries", "api.account.entries", staff.LedgerView, a.entries, doc{
			Summary: "List an account's entries, newest first",
			Text:    "A filter may be repeated beside a cursor, but must then be the one that the cursor carries.",
			Query: []parameter{limitParameter(), cursorParameter(),
				{Name: "type", Type: "", Text: "entry types, comma separated"},
				{Name: "job", Type: "", Text: "entries of this job"},
				{Name: "from", Type: time.Time{}, Text: "made at or after"},
				{Name: "to", Type: time.Time{}, Text: "made before"}},
			Result: entriesAnswer{}, Refusals: []string{fault.CodeAccountNotFound}}),
	}
}

type balanceAnswer struct {
	AccountID string    `json:"account_id"`
	Balance   int64     `json:"balance"`
	At        time.Time `json:"at"`
	AsOfSeq   int64     `json:"as_of_seq" doc:"the newest entry that counts, 0 for none"`
	// Found is nil where the newest verification found nothing wrong up to AsOfSeq.
	Found *foundView `json:"found_wrong,omitempty" doc:"what the newest verification found wrong with the account's ledger up to as_of_seq; left out where it found nothing"`
}

func (a *API) balance(c echo.Context) error {
	p, err := placeOf(c)
	if err != nil {
		return err
	}
	q, err := ParseQuery(c, "at")
	if err != nil {
		return err
	}
	at, err := q.Time("at")
	if err != nil {
		return err
	}
	if at == nil {
		return a.balanceNow(c, p.account)
	}
	if at.After(time.Now()) {
		return fault.InvalidField("at", "must not be in the future: what will be entered until then is not known")
	}
	b, err := a.ledger.BalanceAt(c.Request().Context(), p.account, *at)
	if err != nil {
		return err
	}
	out := balanceAnswer{AccountID: b.AccountID, Balance: b.Balance, At: b.At.UTC(), AsOfSeq: b.Seq}
	// Before the first entry there is nothing to be wrong.
	if b.Seq > 0 {
		if out.Found, err = a.found(c.Request().Context(), p.account, &b.Seq); err != nil {
			return err
		}
	}
	return writeValue(c, out)
}

// balanceNow answers from the account's head, without a search.
func (a *API) balanceNow(c echo.Context, id string) error {
	acc, err := a.ledger.Account(c.Request().Context(), id)
	if err != nil {
		return err
	}
	at := time.Now().UTC().Truncate(time.Microsecond)
	// The database's clock may be ahead of ours: the newest entry counts, so the moment is not before it.
	if acc.LastAt != nil && acc.LastAt.After(at) {
		at = acc.LastAt.UTC()
	}
	found, err := a.found(c.Request().Context(), id, nil)
	if err != nil {
		return err
	}
	return writeValue(c, balanceAnswer{AccountID: acc.ID, Balance: acc.Balance, At: at, AsOfSeq: acc.LastSeq, Found: found})
}

type entriesAnswer struct {
	Entries    []entryView `json:"entries"`
	NextCursor string      `json:"next_cursor,omitempty" doc:"left out on the last page"`
	// Found is nil where the newest verification found nothing wrong with the account.
	Found *foundView `json:"found_wrong,omitempty" doc:"what the newest verification found wrong with the account's ledger; left out where it found nothing"`
}

type entryView struct {
	Seq          int64       `json:"seq"`
	Type         ledger.Type `json:"type"`
	Amount       int64       `json:"amount"`
	BalanceAfter int64       `json:"balance_after"`
	JobID        *string     `json:"job_id,omitempty"`
	OperationID  string      `json:"operation_id"`
	RolloutID    *string     `json:"rollout_id,omitempty"`
	Cohort       *string     `json:"cohort,omitempty"`
	RuleVersion  *string     `json:"rule_version,omitempty"`
	Actor        string      `json:"actor"`
	TraceID      *string     `json:"trace_id,omitempty"`
	Category     *string     `json:"category,omitempty"`
	Reference    *string     `json:"reference,omitempty"`
	Reason       *string     `json:"reason,omitempty"`
	CreatedAt    time.Time   `json:"created_at"`
	Hash         string      `json:"hash" doc:"SHA-256 of the entry and of the hash before it, hexadecimal"`
	// Inconsistent is true where the newest verification found something wrong with this entry.
	Inconsistent bool `json:"inconsistent,omitzero" doc:"true where the newest verification found something wrong with this entry"`
}

func showEntry(e ledger.Entry) entryView {
	return entryView{Seq: e.Seq, Type: e.Type, Amount: e.Amount, BalanceAfter: e.BalanceAfter, JobID: e.JobID,
		OperationID: e.OperationID, RolloutID: e.RolloutID, Cohort: e.Cohort, RuleVersion: e.RuleVersion, Actor: e.Actor,
		TraceID: traceHex(e.TraceID), Category: e.Category, Reference: e.Reference, Reason: e.Reason,
		CreatedAt: e.CreatedAt.UTC(), Hash: hex.EncodeToString(e.Hash)}
}

func (a *API) entries(c echo.Context) error {
	p, err := placeOf(c)
	if err != nil {
		return err
	}
	q, err := ParseQuery(c, "limit", "cursor", "type", "job", "from", "to")
	if err != nil {
		return err
	}
	limit, err := q.Int("limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	filter, from, err := entryQuery(q, p.account)
	if err != nil {
		return err
	}
	rows, err := a.ledger.List(c.Request().Context(), filter, from, page.Older, int(limit))
	if err != nil {
		return err
	}
	out := entriesAnswer{Entries: make([]entryView, len(rows.Rows))}
	for i, e := range rows.Rows {
		out.Entries[i] = showEntry(e)
	}
	if err := a.mark(c.Request().Context(), rows.Rows, out.Entries); err != nil {
		return err
	}
	if out.Found, err = a.found(c.Request().Context(), p.account, nil); err != nil {
		return err
	}
	if out.NextCursor, err = nextCursor(filter, rows.Older); err != nil {
		return err
	}
	return writeValue(c, out)
}

// entryQuery reads filter and position: from the cursor where there is one, else from the
// parameters. A filter that is given beside a cursor must be the cursor's own: neither silently wins.
func entryQuery(q Query, account string) (ledger.Filter, *ledger.Position, error) {
	given := ledger.Filter{AccountID: account}
	var v Checks
	if q.Has("type") {
		for _, name := range strings.Split(q.Text("type"), ",") {
			t := ledger.Type(name)
			v.That(t.Valid(), "type", "must be grant, charge, refund, reclaim or adjustment, or several separated by commas")
			given.Types = append(given.Types, t)
		}
	}
	if q.Has("job") {
		given.JobID = v.CallerID("job", q.Text("job"))
	}
	if err := v.Err(); err != nil {
		return given, nil, err
	}
	var err error
	if given.From, err = q.Time("from"); err != nil {
		return given, nil, err
	}
	if given.To, err = q.Time("to"); err != nil {
		return given, nil, err
	}
	if !q.Has("cursor") {
		return given, nil, nil
	}

	cur, err := decodeCursor[ledger.Filter, ledger.Position](q.Text("cursor"))
	if err != nil {
		return given, nil, err
	}
	f := cur.Query
	// A cursor is the caller's text: nothing in it is believed that a parameter would not be.
	carried := ledger.Filter{AccountID: f.AccountID, Types: f.Types, JobID: f.JobID, From: f.From, To: f.To}
	v.That(carried.AccountID == account, "cursor", "is of another account")
	v.That(!slices.ContainsFunc(carried.Types, func(t ledger.Type) bool { return !t.Valid() }), "cursor", "is not a cursor")
	if carried.JobID != "" {
		v.CallerID("cursor", carried.JobID)
	}
	const differs = "differs from the filter that the cursor carries"
	v.That(!q.Has("type") || slices.Equal(given.Types, carried.Types), "type", differs)
	v.That(!q.Has("job") || given.JobID == carried.JobID, "job", differs)
	v.That(!q.Has("from") || sameTime(given.From, carried.From), "from", differs)
	v.That(!q.Has("to") || sameTime(given.To, carried.To), "to", differs)
	return carried, &cur.Position, v.Err()
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// decodeCursor reads a cursor that nextCursor made. The fault names the parameter.
func decodeCursor[Q, P any](text string) (page.Cursor[Q, P], error) {
	cur, err := page.Decode[Q, P](text)
	if err != nil || cur.Direction != page.Older {
		return cur, fault.InvalidField("cursor", "is not a cursor of this list")
	}
	return cur, nil
}

// nextCursor makes the cursor of the next page, "" when there is none.
func nextCursor[Q, P any](query Q, older *P) (string, error) {
	if older == nil {
		return "", nil
	}
	return page.Cursor[Q, P]{Query: query, Position: *older, Direction: page.Older}.Encode()
}
