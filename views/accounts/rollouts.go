package accounts

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Rollout is a rollout that admitted the account.
type Rollout struct {
	ID     ui.ID
	Title  string
	State  string
	Action string
	Pays   ui.ID // the rule version that prices the account now; zero: the rollout has ended
	Stage  string
	Why    string
	At     text.Stamp
}
