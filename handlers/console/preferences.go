package console

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"recoup/handlers/reqctx"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/views/person"
	"recoup/views/ui"
)

// suggestedZones are offered in the form; every IANA name is accepted.
func suggestedZones() []string {
	return []string{"UTC", "Asia/Tokyo", "Asia/Kathmandu", "Asia/Singapore", "Asia/Kolkata", "Europe/London", "Europe/Berlin",
		"America/New_York", "America/Chicago", "America/Los_Angeles", "America/Sao_Paulo", "Australia/Sydney"}
}

func (h *Console) preferencesPage(c echo.Context) error {
	r := h.of(c)
	return render(c, http.StatusOK, person.PreferencesPage(h.frame(r), preferencesModel(r.Who.Preferences, c.QueryParam("next"))))
}

func preferencesModel(p staff.Preferences, next string) person.Preferences {
	return person.Preferences{
		Languages: []ui.Option{{Value: "en", Label: "English", Selected: p.Language == "en"}, {Value: "ja", Label: "日本語", Selected: p.Language == "ja"}},
		Zone:      ui.Field{Value: p.TimeZone}, Zones: suggestedZones(), Theme: p.Theme, Next: local(next),
	}
}

// savePreferences takes any of the fields: the top bar sends one, the page all three.
func (h *Console) savePreferences(c echo.Context) error {
	r := h.of(c)
	form, err := c.FormParams()
	if err != nil {
		return fault.InvalidField("form", "cannot be read")
	}
	p := r.Who.Preferences
	set(form, "lang", &p.Language)
	set(form, "zone", &p.TimeZone)
	if set(form, "theme", &p.Theme); p.Theme == "auto" {
		p.Theme = ""
	}
	by := staff.By{Actor: r.Who.Actor(), RequestID: reqctx.RequestID(c.Request().Context())}
	err = h.Staff.UpdatePreferences(c.Request().Context(), by, r.Who.ID, p)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		m := preferencesModel(p, c.FormValue("next"))
		for _, bad := range f.Fields {
			if bad.Name == "time_zone" {
				m.Zone.Error = r.L.Maybe("problem."+bad.Message, bad.Message)
			}
		}
		return render(c, http.StatusUnprocessableEntity, person.PreferencesPage(h.frame(r), m))
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, local(c.FormValue("next")))
}

func set(form url.Values, name string, to *string) {
	if v, given := form[name]; given && len(v) > 0 {
		*to = v[0]
	}
}
