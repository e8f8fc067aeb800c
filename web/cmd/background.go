package cmd

import (
	"recoup/models/bulkgrant"
	"recoup/models/costimport"
	"recoup/models/export"
	"recoup/models/settlement"
	"recoup/models/task"
	"recoup/models/verify"
	"recoup/tasks"
)

// background is what this program's worker processes do of the tasks that people ask for, by kind.
func (a *app) background() map[task.Kind]tasks.BackgroundFunc {
	v := verify.New(a.g)
	return map[task.Kind]tasks.BackgroundFunc{
		export.Kind:     a.exports.Run,
		costimport.Kind: a.imports.Run,
		verify.TaskKind: tasks.Verify(v, a.anchors(v)),
		bulkgrant.Kind:  a.bulkGrants.Run,
		settlement.Kind: a.settlements.Run,
	}
}
