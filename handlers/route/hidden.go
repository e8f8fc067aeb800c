package route

import (
	"slices"
	"strings"
)

// made returns the parameters whose values Recoup makes itself, so that none ever equals a word of a path: numbers, UUIDs, ids
// that begin with letters of their own and an underscore.
func made() []string {
	return []string{":cost_rule", ":import", ":message", ":note", ":settlement", ":webhook"}
}

// hidden returns the word of another route that stands where path has a parameter whose values people or programs choose, ""
// where there is none. The router prefers the word, so an object of that name could not be reached.
func hidden(path string, routes []Route) string {
	parts := strings.Split(anonymous(path), "/")
	for i, name := range strings.Split(path, "/") {
		if !strings.HasPrefix(name, ":") || slices.Contains(made(), name) {
			continue
		}
		for _, r := range routes {
			other := strings.Split(anonymous(r.Path), "/")
			if len(other) > i && slices.Equal(other[:i], parts[:i]) && other[i] != ":" {
				return r.Path
			}
		}
	}
	return ""
}
