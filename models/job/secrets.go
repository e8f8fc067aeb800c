package job

import (
	"encoding/json"
	"slices"
	"strings"
)

// Secrets tells what of a payload is secret. A nil member finds nothing.
type Secrets struct {
	// Name is asked of the names of members: everything below a secret one is secret.
	Name func(name string) bool
	// Number is asked in the place of Name of the names above a number, true or false: few secrets are one. nil asks Name.
	Number func(name string) bool
	// Text is asked of texts: a secret one is secret as a whole.
	Text func(text string) bool
}

// In returns the JSON pointers of the values of a document that are secret: by their names, by what they say, or as the
// other half of a pair that names them, {"name": "Authorization", "value": …} or ["Authorization", …].
func (s Secrets) In(doc json.RawMessage) (map[string]bool, error) {
	all, err := leaves(doc)
	if err != nil {
		return nil, err
	}
	return s.of(all), nil
}

func (s Secrets) of(all []leaf) map[string]bool {
	hidden, pairs := map[string]bool{}, map[string]string{}
	for _, l := range all {
		named := s.Name
		if s.Number != nil && !strings.HasPrefix(l.raw, `"`) {
			named = s.Number
		}
		if named != nil && slices.ContainsFunc(l.names, named) {
			hidden[l.pointer] = true
		}
		var text string
		if !strings.HasPrefix(l.raw, `"`) || json.Unmarshal([]byte(l.raw), &text) != nil {
			continue
		}
		if s.Text != nil && s.Text(text) {
			hidden[l.pointer] = true
		}
		if s.Name == nil || len(l.names) == 0 || !s.Name(text) {
			continue
		}
		switch strings.ToLower(l.names[len(l.names)-1]) {
		case "name", "key", "header", "field", "param", "0":
			pairs[l.pointer[:strings.LastIndexByte(l.pointer, '/')+1]] = l.pointer
		}
	}
	for _, l := range all {
		for parent, name := range pairs {
			if strings.HasPrefix(l.pointer, parent) && l.pointer != name {
				hidden[l.pointer] = true
			}
		}
	}
	return hidden
}
