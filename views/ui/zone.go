package ui

import "strings"

// Head is the head of a column of times in two parts.
type Head struct {
	// Name says what the times are of; Zone, in its brackets, where they are told. Zone is empty where the head names none.
	Name, Zone string
}

// ZoneHead parts a head such as "Time (Asia/Tokyo)". The zone stands on a line of its own: long names would make the
// column wider than its times.
func ZoneHead(head string) Head {
	for _, open := range []string{" (", "（"} {
		if i := strings.LastIndex(head, open); i > 0 {
			return Head{Name: head[:i], Zone: strings.TrimPrefix(head[i:], " ")}
		}
	}
	return Head{Name: head}
}
