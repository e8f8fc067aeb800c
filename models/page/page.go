// Package page holds keyset pages: a position in an ordered list, carried in a cursor together with
// the whole query, so that page two can never lose a filter.
package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Direction is the way a page is read from its position.
type Direction string

const (
	// Older goes on in the list's order (for most lists: to older rows).
	Older Direction = "older"
	// Newer goes back.
	Newer Direction = "newer"
)

// Cursor is a query of type Q and a position of type P in its result.
type Cursor[Q, P any] struct {
	Query     Q         `json:"q"`
	Position  P         `json:"p"`
	Direction Direction `json:"d"`
}

// Encode makes the opaque text that a caller sends back.
func (c Cursor[Q, P]) Encode() (string, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("page: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Decode reads what Encode wrote. Its error is the caller's fault: the text is not a cursor.
func Decode[Q, P any](text string) (Cursor[Q, P], error) {
	var c Cursor[Q, P]
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, fmt.Errorf("page: not a cursor: %w", err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("page: not a cursor: %w", err)
	}
	if c.Direction != Older && c.Direction != Newer {
		return c, fmt.Errorf("page: not a cursor: direction %q", c.Direction)
	}
	return c, nil
}

// Page is one page of rows in the list's order.
type Page[R, P any] struct {
	Rows []R
	// Newer and Older are where the neighbouring pages begin, nil where there is none.
	Newer, Older *P
}

// Cut makes a page out of at most limit+1 rows that were read from a position in a direction (rows
// come in reading order; the extra row only tells that there are more). from is nil at the list's
// beginning. at gives a row's position.
func Cut[R, P any](rows []R, limit int, from *P, dir Direction, at func(R) P) Page[R, P] {
	more := len(rows) > limit
	if more {
		rows = rows[:limit]
	}
	if dir == Newer {
		for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
			rows[i], rows[j] = rows[j], rows[i]
		}
	}
	p := Page[R, P]{Rows: rows}
	if len(rows) == 0 {
		return p
	}
	first, last := at(rows[0]), at(rows[len(rows)-1])
	switch {
	case dir == Newer:
		p.Older = &last
		if more {
			p.Newer = &first
		}
	default:
		if from != nil {
			p.Newer = &first
		}
		if more {
			p.Older = &last
		}
	}
	return p
}
