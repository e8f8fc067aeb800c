package verify

import (
	"context"
	"fmt"

	"recoup/models/page"
	"recoup/models/where"
)

// keptProblems is how many problems of one check a recorded run keeps row by row.
const keptProblems = 500

// Evidence gathers the problems of a run, the first ones of each check. Its zero value is ready; Add fits
// Options.OnProblem.
type Evidence struct {
	count map[Check]int
	rows  []Problem
}

// Add keeps a problem unless there are enough of its check. It never fails.
func (e *Evidence) Add(p Problem) error {
	if e.count == nil {
		e.count = map[Check]int{}
	}
	if e.count[p.Check] < keptProblems {
		e.count[p.Check]++
		e.rows = append(e.rows, p)
	}
	return nil
}

// ProblemPosition is a problem's place in a run's list.
type ProblemPosition struct {
	Check Check `json:"c"`
	N     int   `json:"n"`
}

// Recorded is a problem as a recorded run keeps it.
type Recorded struct {
	Problem
	// N counts the problems of one check from 1.
	N int
}

// Problems returns a page of what a recorded run keeps of its problems: those of one check, or of all when check is
// empty, by check and in the order in which they were found.
func (v *Verifier) Problems(ctx context.Context, run int64, check Check, from *ProblemPosition, dir page.Direction, limit int) (page.Page[Recorded, ProblemPosition], error) {
	var w where.Clause
	w.And("run_id = ?", run)
	if check != "" {
		w.And("check_name = ?", string(check))
	}
	compare, order := ">", "ASC"
	if dir == page.Newer {
		compare, order = "<", "DESC"
	}
	if from != nil {
		w.And("(check_name, n) "+compare+" (?, ?)", string(from.Check), from.N)
	}
	var rows []Recorded
	err := v.g.WithContext(ctx).Raw(`SELECT check_name AS "check", n, account_id, seq, job_id, expected, found, message FROM verify_problems `+
		w.SQL()+` ORDER BY check_name `+order+`, n `+order+` LIMIT ?`, w.Args(limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Recorded, ProblemPosition]{}, fmt.Errorf("verify: problems: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(r Recorded) ProblemPosition { return ProblemPosition{Check: r.Check, N: r.N} }), nil
}
