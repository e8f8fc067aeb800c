package console

import (
	"slices"

	"recoup/models/dependency"
	"recoup/models/fault"
	views "recoup/views/dependencies"
	"recoup/views/ui"
)

// offeredNames is how many names of dependencies the form of a hold offers.
const offeredNames = 200

// unnamedField says of a name that the person means it although nothing depends on it.
const unnamedField = "unnamed"

// saidUnnamed tells whether the form says that nothing depends on this very name and that it is held all the same.
func saidUnnamed(r request, name string) bool { return name != "" && r.FormValue(unnamedField) == name }

// askName fills the fields of a form that asks which dependency to hold: the names that are known are offered, and a name that
// nothing depends on has to be meant.
func (h *Console) askName(r request, m *views.Ask, err error) error {
	f := field(r, "name", err)
	m.NameField = &f
	unnamed := slices.ContainsFunc(invalidFields(err), func(x fault.Field) bool { return x.Name == "name" && x.Message == dependency.Unnamed })
	if said := saidUnnamed(r, m.Name); unnamed || said {
		m.Unnamed = []ui.Option{{Value: m.Name, Label: r.L.T("holds.unnamed_hold", m.Name), Selected: said}}
	}
	m.Names, err = h.Dependencies.Names(r.Request().Context(), offeredNames)
	return err
}
