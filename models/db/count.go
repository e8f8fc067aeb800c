package db

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// Count is a query of one row and one column: how many there are of something. The model that knows how to count makes it.
type Count struct {
	SQL  string
	Args []any
}

// Counts runs counts as one statement: at one moment, for one round trip. The numbers come in the order of the counts.
func Counts(ctx context.Context, g *gorm.DB, counts ...Count) ([]int64, error) {
	numbers := make([]int64, len(counts))
	if len(counts) == 0 {
		return numbers, nil
	}
	queries, args, into := make([]string, len(counts)), []any{}, make([]any, len(counts))
	for i, c := range counts {
		queries[i], into[i] = "("+c.SQL+")", &numbers[i]
		args = append(args, c.Args...)
	}
	if err := g.WithContext(ctx).Raw(`SELECT `+strings.Join(queries, `, `), args...).Row().Scan(into...); err != nil {
		return nil, fmt.Errorf("db: counts: %w", Fault(err))
	}
	return numbers, nil
}
