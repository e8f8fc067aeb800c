package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
	views "recoup/views/accounts"
	"recoup/views/ui"
)

// profileForm shows an account's profile for a person to change.
func (h *Console) profileForm(c echo.Context) error {
	r := h.of(c)
	a, attributes, err := h.profileOf(r)
	if err != nil {
		return err
	}
	m := views.Profile{Act: act(r, accountURL(a.ID)), Account: h.subjectOf(r, a), Name: ui.Field{Value: a.Name}, Plan: ui.Field{Value: a.Plan},
		Region: ui.Field{Value: a.Region}, Attributes: ui.Field{Value: attributeLines(attributes)}, Seen: seen(a)}
	return formPage(c, views.ProfilePage(h.frame(r), m))
}

// profile takes the form. What was typed is first shown beside what it replaces; sent a second time unchanged, it
// is saved.
func (h *Console) profile(c echo.Context) error {
	r := h.of(c)
	a, before, err := h.profileOf(r)
	if err != nil {
		return err
	}
	if err := ids.CheckOperationID(r.FormValue("operation_id")); err != nil {
		return fault.InvalidField("operation_id", "%s", err)
	}
	typed := ledger.ProfileResult{Name: strings.TrimSpace(r.FormValue("name")), Plan: strings.TrimSpace(r.FormValue("plan")),
		Region: strings.TrimSpace(r.FormValue("region"))}
	var badLine string
	typed.Attributes, badLine = attributesOf(r.FormValue("attributes"))
	form := func(err error) views.Profile {
		m := views.Profile{Act: again(r, accountURL(a.ID), err), Account: h.subjectOf(r, a), Name: field(r, "name", err), Plan: field(r, "plan", err),
			Region: field(r, "region", err), Attributes: attributesField(r, err), Reason: field(r, "reason", err), Seen: r.FormValue("seen")}
		if badLine != "" {
			m.Attributes.Error = r.L.T("profile.bad_line", badLine)
			return m
		}
		m.Changes = present.Presenter{L: r.L, Now: r.Now}.ProfileChanges(
			ledger.ProfileResult{Name: a.Name, Plan: a.Plan, Region: a.Region, Attributes: before}, typed)
		if len(m.Changes) > 0 {
			m.Reviewed = profileDigest(typed)
		}
		return m
	}
	switch {
	case badLine != "":
		return render(c, http.StatusUnprocessableEntity, views.ProfilePage(h.frame(r), form(nil)))
	case r.FormValue("reviewed") != profileDigest(typed):
		m := form(nil)
		m.Unchanged = len(m.Changes) == 0
		return formPage(c, views.ProfilePage(h.frame(r), m))
	}
	p := ledger.Profile{Envelope: r.by(), AccountID: a.ID, Name: &typed.Name, Plan: &typed.Plan, Region: &typed.Region, Attributes: typed.Attributes,
		Reason: r.FormValue("reason")}
	if micros, err := strconv.ParseInt(r.FormValue("seen"), 10, 64); err == nil {
		at := time.UnixMicro(micros)
		p.Seen = &at
	}
	out, err := h.Ledger.PutAccount(c.Request().Context(), p)
	return h.conclude(r, accountURL(a.ID), operation.Account(a.ID), out, err, func(err error) component {
		return views.ProfilePage(h.frame(r), form(err))
	})
}

// profileOf reads the account of the URL and its attributes.
func (h *Console) profileOf(r request) (ledger.Account, map[string]string, error) {
	id, err := param(r, "account")
	if err != nil {
		return ledger.Account{}, nil, err
	}
	a, err := h.Ledger.Account(r.Request().Context(), id)
	if err != nil {
		return a, nil, err
	}
	attributes := map[string]string{}
	if err := json.Unmarshal([]byte(a.Attributes), &attributes); err != nil {
		return a, nil, fmt.Errorf("console: attributes of %s: %w", a.ID, err)
	}
	return a, attributes, nil
}

// seen names the state of an account that a form was made from.
func seen(a ledger.Account) string { return strconv.FormatInt(a.UpdatedAt.UnixMicro(), 10) }

// attributesField gathers what is wrong with any attribute: all of them are typed into one field.
func attributesField(r request, err error) ui.Field {
	out := field(r, "attributes", err)
	for _, f := range invalidFields(err) {
		if name, ok := strings.CutPrefix(f.Name, "attributes."); ok && out.Error == "" {
			out.Error = name + ": " + r.L.Maybe("problem."+f.Message, f.Message)
		}
	}
	return out
}

// profileDigest names exactly one profile, so that what was reviewed is what is saved.
func profileDigest(p ledger.ProfileResult) string {
	h := sha256.New()
	for _, s := range []string{p.Name, p.Plan, p.Region, attributeLines(p.Attributes)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
