package rollout

import (
	"context"
	"fmt"
	"time"

	"recoup/models/page"
	"recoup/models/pricing"
	"recoup/models/where"
)

// Enrolment is an account that a rollout admitted. It stays: whatever becomes of stages and segments later, nobody is thrown
// out.
type Enrolment struct {
	RolloutID string
	Title     string
	Action    string
	// State, Baseline and Candidate are the rollout's now: while it is live, the account pays the candidate.
	State     State
	Baseline  string
	Candidate string
	AccountID string
	// AccountKey is the account's inner key.
	AccountKey int64
	// Stage is the one that admitted it, Reason how; Bucket is the account's.
	Stage      int
	Reason     pricing.Reason
	Bucket     int
	EnrolledAt time.Time
}

// EnrolmentPosition is an enrolment's place among those of its rollout.
type EnrolmentPosition struct {
	At  time.Time `json:"t"`
	Key int64     `json:"k"`
}

const selectEnrolments = `SELECT n.rollout_id, o.title, o.action, o.state, o.baseline, o.candidate, a.id AS account_id, n.account_key, n.stage, n.reason, n.bucket, n.enrolled_at
	FROM enrolments n JOIN rollouts o ON o.id = n.rollout_id JOIN accounts a ON a.key = n.account_key `

// ofAccount is how many enrolments OfAccount returns at most.
const ofAccount = 50

// OfAccount returns the rollouts that admitted an account: those that are live first, then the newest, at most fifty.
func (s *Service) OfAccount(ctx context.Context, accountKey int64) ([]Enrolment, error) {
	var rows []Enrolment
	err := s.g.WithContext(ctx).Raw(selectEnrolments+`WHERE n.account_key = ?
		ORDER BY (o.state IN ('running', 'paused', 'halted')) DESC, n.enrolled_at DESC, n.rollout_id LIMIT ?`, accountKey, ofAccount).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: enrolments of an account: %w", err)
	}
	return rows, nil
}

// Enrolments returns a page of the accounts that a rollout admitted, those that came in last first. from is nil for the
// first page.
func (s *Service) Enrolments(ctx context.Context, rolloutID string, from *EnrolmentPosition, dir page.Direction, limit int) (page.Page[Enrolment, EnrolmentPosition], error) {
	var w where.Clause
	w.And("n.rollout_id = ?", rolloutID)
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		w.And("(n.enrolled_at, n.account_key) "+compare+" (?, ?)", from.At, from.Key)
	}
	var rows []Enrolment
	err := s.g.WithContext(ctx).Raw(selectEnrolments+w.SQL()+` ORDER BY n.enrolled_at `+order+`, n.account_key `+order+` LIMIT ?`, w.Args(limit+1)...).Scan(&rows).Error
	if err != nil {
		return page.Page[Enrolment, EnrolmentPosition]{}, fmt.Errorf("rollout: enrolments: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(e Enrolment) EnrolmentPosition {
		return EnrolmentPosition{At: e.EnrolledAt.UTC(), Key: e.AccountKey}
	}), nil
}
