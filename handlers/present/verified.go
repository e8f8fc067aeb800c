package present

import (
	"strings"

	"recoup/views/text"
)

// checkedValue words what the verifier expected or found. It writes values as "name value, name value", which English
// reads as it is; in another language names and phrases are put into its words, and every value stays to the letter.
func (p Presenter) checkedValue(value string) string {
	if p.L.Lang == text.English {
		return value
	}
	separator := ", "
	if strings.Contains(value, "; ") {
		separator = "; "
	}
	parts := strings.Split(value, separator)
	for i, part := range parts {
		parts[i] = p.checkedPart(part)
	}
	return strings.Join(parts, p.L.T("list.separator"))
}

// definition words what the verifier says of a guard of the database.
func (p Presenter) definition(value string) string {
	if p.L.Lang == text.English {
		return value
	}
	return p.checkedPart(value)
}

// checkedPart words one "name value". What a phrase is said of may stand in front: "entries.entries_chain is disabled".
func (p Presenter) checkedPart(part string) string {
	if said := p.phrase(part); said != part {
		return said
	}
	words := strings.Split(part, " ")
	for from := range min(2, len(words)) {
		before, rest := strings.Join(words[:from], " "), words[from:]
		if said := p.phrase(strings.Join(rest, " ")); from > 0 && said != strings.Join(rest, " ") {
			return before + " " + said
		}
		// The longest name first: "rule version 2" is not a rule called "version 2".
		for n := min(4, len(rest)); n > 0; n-- {
			if name := p.L.Maybe("value."+slug(rest[:n]), ""); name != "" {
				return strings.TrimSpace(before + " " + name + " " + p.phrase(strings.Join(rest[n:], " ")))
			}
		}
	}
	return part
}

// phrase is a phrase of the verifier, or the name of a state, in the words of the person; anything else as it is.
func (p Presenter) phrase(s string) string {
	key := slug(strings.Split(s, " "))
	return p.L.Maybe("phrase."+key, p.L.Maybe("state."+key, s))
}

func slug(words []string) string { return strings.ToLower(strings.Join(words, "_")) }
