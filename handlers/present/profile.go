package present

import (
	"slices"

	"recoup/models/ledger"
	"recoup/views/accounts"
	"recoup/views/ui"
)

// ProfileChanges is what a new profile changes of an old one, attributes in the order of their names; empty, where
// they are the same.
func (p Presenter) ProfileChanges(before, after ledger.ProfileResult) []ui.Change {
	var out []ui.Change
	word := func(s string, there bool) string {
		switch {
		case !there:
			return p.L.T("profile.absent")
		case s == "":
			return p.L.T("profile.blank")
		}
		return s
	}
	differ := func(label, x, y string, inX, inY bool) {
		if inX != inY || x != y {
			out = append(out, ui.Change{Label: label, Before: word(x, inX), After: word(y, inY)})
		}
	}
	differ(p.L.T("col.name"), before.Name, after.Name, true, true)
	differ(p.L.T("col.plan"), before.Plan, after.Plan, true, true)
	differ(p.L.T("profile.region"), before.Region, after.Region, true, true)
	var names []string
	for _, side := range []map[string]string{before.Attributes, after.Attributes} {
		for name := range side {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		x, inX := before.Attributes[name]
		y, inY := after.Attributes[name]
		differ(name, x, y, inX, inY)
	}
	return out
}

// Note is one note of an account.
func (p Presenter) Note(n ledger.Note) accounts.Note {
	v := accounts.Note{Text: n.Text, By: p.actor(n.Actor), At: p.L.Stamp(n.CreatedAt, p.Now)}
	if n.StruckAt != nil {
		v.Struck, v.StruckBy, v.StruckReason, v.StruckAt = true, p.actor(n.StruckBy), n.StruckReason, p.Stamp(n.StruckAt)
	}
	return v
}
