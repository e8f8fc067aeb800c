package console

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/accounts"
	"recoup/views/ui"
)

// editable tells whether the person may propose what the change request proposes, and a form for it exists.
func editable(r request, cr approval.Request) bool {
	switch cr.Kind {
	case ledger.KindGrant:
		return r.may(staff.AccountGrant)
	case ledger.KindAdjustment:
		return r.may(staff.AccountAdjust)
	}
	return false
}

// editing reads the change request to edit and the account it is about.
func (h *Console) editing(r request) (cr approval.Request, s views.Subject, err error) {
	if cr, err = h.requestOf(r); err != nil {
		return cr, s, err
	}
	if !editable(r, cr) {
		return cr, s, fault.New(fault.Forbidden, fault.CodeForbidden, "You may not propose a change of this kind.")
	}
	a, err := h.Ledger.Account(r.Request().Context(), cr.AccountID)
	if err != nil {
		return cr, views.Subject{}, err
	}
	subject, err := h.limited(r, h.subjectOf(r, a))
	return cr, subject, err
}

// editForm shows the form of what was proposed with what was proposed in it: an edit is a new proposal.
func (h *Console) editForm(c echo.Context) error {
	r := h.of(c)
	cr, s, err := h.editing(r)
	if err != nil {
		return err
	}
	at := present.ApprovalURL(cr.ID)
	if cr.State != approval.Open || cr.RequestedBy != r.Who.Actor().String() {
		return c.Redirect(http.StatusSeeOther, at)
	}
	p, err := ledger.ReadProposed(cr)
	if err != nil {
		return err
	}
	edit := views.Edit{ID: cr.ID, Version: strconv.Itoa(cr.Version), Digest: cr.DigestHex(), URL: at}
	amount, reference, reason := ui.Field{Value: strconv.FormatInt(p.Amount, 10)}, ui.Field{Value: p.Reference}, ui.Field{Value: p.Reason}
	if cr.Kind == ledger.KindGrant {
		return formPage(c, views.GrantPage(h.frame(r), views.Grant{Act: act(r, at), Account: s, Edit: edit, Amount: amount,
			Categories: views.CategoryOptions(r.L, p.Category), Reference: reference, Reason: reason}))
	}
	return formPage(c, views.AdjustmentPage(h.frame(r), views.Adjustment{Act: act(r, at), Account: s, Edit: edit, Amount: amount,
		Reference: reference, Reason: reason}))
}

func (h *Console) edit(c echo.Context) error {
	r := h.of(c)
	cr, s, err := h.editing(r)
	if err != nil {
		return err
	}
	at := present.ApprovalURL(cr.ID)
	replaces := seenOf(r, cr.ID)
	run, form := h.grantOf, h.grantAgain
	if cr.Kind == ledger.KindAdjustment {
		run, form = h.adjustOf, h.adjustAgain
	}
	out, err := run(r, s, &replaces)
	if f := fault.As(err); f != nil && f.Code == fault.CodeStateConflict {
		return h.conflict(r, at, f)
	}
	edit := views.Edit{ID: cr.ID, Version: r.FormValue("version"), Digest: r.FormValue("digest"), URL: at}
	return h.conclude(r, s.URL, operation.Account(s.ID), out, err, func(err error) templ.Component { return form(r, s, edit, err) })
}

// grantOf and adjustOf run what a form asks for; replaces is the change request that it edits, nil for none.
func (h *Console) grantOf(r request, s views.Subject, replaces *approval.Replaced) (operation.Outcome, error) {
	var bad []fault.Field
	n, err := amountField(r, "amount")
	if err != nil {
		bad = invalidFields(err)
	}
	g := ledger.GrantRequest{Envelope: r.by(), AccountID: s.ID, Amount: n, Category: r.FormValue("category"),
		Reference: r.FormValue("reference"), Reason: r.FormValue("reason"), Replaces: replaces}
	if bad = append(bad, grantNeeds(r)...); len(bad) > 0 {
		// What else is wrong is named with it.
		for _, f := range ledger.CheckGrant(g) {
			if !slices.ContainsFunc(bad, func(b fault.Field) bool { return b.Name == f.Name }) {
				bad = append(bad, f)
			}
		}
		return operation.Outcome{}, fault.InvalidFields(bad...)
	}
	return h.Ledger.Grant(r.Request().Context(), g)
}

// grantNeeds is what a person has to say of a grant beside its amount: the document of what was paid, and why something
// is given for nothing. Programs know it elsewhere, so the API asks for neither.
func grantNeeds(r request) []fault.Field {
	name := "reason"
	switch r.FormValue("category") {
	case ledger.Paid:
		name = "reference"
	case ledger.Promotion, ledger.Goodwill:
	default:
		return nil
	}
	if freetext.Blank(r.FormValue(name)) {
		return []fault.Field{{Name: name, Message: freetext.Required}}
	}
	return nil
}

func (h *Console) adjustOf(r request, s views.Subject, replaces *approval.Replaced) (operation.Outcome, error) {
	n, err := amountField(r, "amount")
	if err != nil {
		return operation.Outcome{}, err
	}
	return h.Ledger.Adjust(r.Request().Context(), ledger.AdjustRequest{Envelope: r.by(), AccountID: s.ID, Amount: n, Reason: r.FormValue("reason"),
		Reference: r.FormValue("reference"), Replaces: replaces})
}

// grantAgain and adjustAgain are the forms after a refusal.
func (h *Console) grantAgain(r request, s views.Subject, edit views.Edit, err error) templ.Component {
	return views.GrantPage(h.frame(r), views.Grant{Act: again(r, cancelURL(s, edit), err), Account: s, Edit: edit, Amount: field(r, "amount", err),
		Categories: views.CategoryOptions(r.L, r.FormValue("category")), CategoryError: field(r, "category", err).Error,
		Reference: field(r, "reference", err), Reason: field(r, "reason", err)})
}

func (h *Console) adjustAgain(r request, s views.Subject, edit views.Edit, err error) templ.Component {
	return views.AdjustmentPage(h.frame(r), views.Adjustment{Act: again(r, cancelURL(s, edit), err), Account: s, Edit: edit,
		Amount: field(r, "amount", err), Reason: field(r, "reason", err), Reference: field(r, "reference", err)})
}

func cancelURL(s views.Subject, edit views.Edit) string {
	if edit.ID != "" {
		return edit.URL
	}
	return s.URL
}
