package cmd

import (
	"maps"

	"recoup/models/approval"
)

// executors apply what a second person has approved, by kind of change request.
func (a *app) executors() map[approval.Kind]approval.Executor {
	all := map[approval.Kind]approval.Executor{}
	for _, some := range []map[approval.Kind]approval.Executor{
		a.ledger.Executors(),
		a.bulkGrants.Executors(),
		a.settlements.Executors(),
		a.bulkWorks.Executors(),
		a.rollouts.Executors(),
	} {
		maps.Copy(all, some)
	}
	return all
}
