package console

import (
	"slices"
	"strings"
)

// Attributes are typed one a line, "name = value". What would end a name or a line is written with a backslash, so
// that every set of attributes has a text and reads back the same.

// attributeLines is the text of attributes, in the order of their names.
func attributeLines(attributes map[string]string) string {
	names := make([]string, 0, len(attributes))
	for name := range attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	value := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	name := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, `=`, `\=`)
	var b strings.Builder
	for _, n := range names {
		b.WriteString(name.Replace(n) + " = " + value.Replace(attributes[n]) + "\n")
	}
	return b.String()
}

// attributesOf reads what attributeLines wrote or a person typed. Empty lines are skipped. bad is the first line
// that is no attribute or has a name a second time, "" when there is none.
func attributesOf(text string) (attributes map[string]string, bad string) {
	attributes = map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := cutAttribute(line)
		if _, twice := attributes[name]; !ok || name == "" || twice {
			return nil, line
		}
		attributes[name] = value
	}
	return attributes, ""
}

// cutAttribute cuts a line at its first bare "=" and takes the backslashes away. One blank on either side of the
// sign belongs to it.
func cutAttribute(line string) (name, value string, ok bool) {
	var b strings.Builder
	at := -1
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			switch line[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			default:
				b.WriteByte(line[i])
			}
		case c == '=' && at < 0:
			at = b.Len()
		default:
			b.WriteByte(c)
		}
	}
	if at < 0 {
		return "", "", false
	}
	whole := b.String()
	return strings.TrimSuffix(whole[:at], " "), strings.TrimPrefix(whole[at:], " "), true
}
