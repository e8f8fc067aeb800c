package staff

import "slices"

// Role is what a person is here for. It decides what the person may do, through the table below.
type Role string

// The six roles. Every person has exactly one.
const (
	Viewer  Role = "viewer"
	Finance Role = "finance"
	Product Role = "product"
	Support Role = "support"
	Lead    Role = "lead"
	Admin   Role = "admin"
)

// Roles returns all roles, from the least to the most powerful.
func Roles() []Role { return []Role{Viewer, Finance, Product, Support, Lead, Admin} }

// Permission names one thing that can be done. Every route and every action names exactly one, and
// people (by role) and programs (by scope) get it from the two tables of this package, never
// around them.
type Permission string

// What can be seen.
const (
	OverviewView   Permission = "overview.view"
	AccountView    Permission = "account.view"
	LedgerView     Permission = "ledger.view"
	LedgerExport   Permission = "ledger.export" // take entries out of the program as a file
	MonthClose     Permission = "month.close"   // close a month of the books for good
	JobView        Permission = "job.view"
	DeadLetterView Permission = "deadletter.view"
	// QueueView is to see what waits and runs, and what holds it.
	QueueView      Permission = "queue.view"
	OperationView  Permission = "operation.view"
	IntegrityView  Permission = "integrity.view"
	AuditView      Permission = "audit.view"
	SettingsView   Permission = "settings.view"
	SearchUse      Permission = "search.use"
	PricingView    Permission = "pricing.view"
	RolloutView    Permission = "rollout.view"
	CostView       Permission = "cost.view"
	ApprovalView   Permission = "approval.view" // see what waits for a second person
	SettlementView Permission = "settlement.view"
)

// What can be done.
const (
	IntegrityRun   Permission = "integrity.run"  // start and end runs of the verifier
	AccountEdit    Permission = "account.edit"   // create or change a profile
	AccountNote    Permission = "account.note"   // note something on an account, strike a note out
	AccountFreeze  Permission = "account.freeze" // freeze and unfreeze
	AccountGrant   Permission = "account.grant"
	AccountAdjust  Permission = "account.adjust"
	JobCancel      Permission = "job.cancel"
	JobReveal      Permission = "job.reveal" // see a payload that is otherwise redacted
	JobCharge      Permission = "job.charge"
	JobSignal      Permission = "job.signal"
	CostRecord     Permission = "cost.record"    // send cost records; programs do
	CostImport     Permission = "cost.import"    // import a bill as a file
	CostAttribute  Permission = "cost.attribute" // put a record down to a job, make overhead rules, set a credit's value
	FlagEvaluate   Permission = "flag.evaluate"  // ask which price an account would get; programs do
	JobWork        Permission = "job.work"       // claim, heartbeat, complete, fail
	Requeue        Permission = "deadletter.requeue"
	ApprovalAsk    Permission = "approval.ask"    // take back or edit what one asked for oneself
	ApprovalDecide Permission = "approval.decide" // approve or reject what moves credits and somebody else asked for
	Discard        Permission = "deadletter.discard"
	Reopen         Permission = "deadletter.reopen"
	// DeadLetterTriage is to assign, snooze and note dead letters and their groups: what moves neither work nor money.
	DeadLetterTriage Permission = "deadletter.triage"
	// Recover is to deliver by hand what was made after all; it may reclaim.
	Recover        Permission = "deadletter.recover"
	QueueRun       Permission = "queue.run"         // let a job that awaits its next try be tried now
	DependencyHold Permission = "dependency.hold"   // hold and release the work of a dependency or an action
	DependencyEdit Permission = "dependency.edit"   // change breakers, and what actions depend on
	PricingEdit    Permission = "pricing.edit"      // make, put in force and retire rule versions
	RolloutCreate  Permission = "rollout.create"    // make and archive drafts
	RolloutAdvance Permission = "rollout.advance"   // start, advance, complete
	RolloutPause   Permission = "rollout.pause"     // pause and resume
	RolloutBack    Permission = "rollout.roll_back" // roll back
	// SettlementPropose is to propose and edit settlements, to take one up again, and to name the document of one that is
	// settled outside. Whether it is done at all, ApprovalDecide decides.
	SettlementPropose Permission = "settlement.propose"
	StaffManage       Permission = "staff.manage"
	APIKeyManage      Permission = "apikey.manage"
	WebhookManage     Permission = "webhook.manage"
	PreferenceEdit    Permission = "preferences.edit" // one's own
	// RolloutApprove is to be the second person for a step of a rollout that somebody else asked for.
	RolloutApprove Permission = "rollout.approve"
)

// All returns every permission, in the order in which a screen lists them.
func All() []Permission {
	return []Permission{
		OverviewView,
		SearchUse,
		PreferenceEdit,
		AccountView,
		AccountEdit,
		AccountNote,
		AccountFreeze,
		AccountGrant,
		AccountAdjust,
		LedgerView,
		LedgerExport,
		MonthClose,
		IntegrityView,
		IntegrityRun,
		ApprovalView,
		ApprovalAsk,
		ApprovalDecide,
		JobView,
		JobReveal,
		JobCancel,
		JobCharge,
		JobSignal,
		JobWork,
		QueueView,
		QueueRun,
		DependencyHold,
		DependencyEdit,
		DeadLetterView,
		DeadLetterTriage,
		Requeue,
		Recover,
		Discard,
		Reopen,
		PricingView,
		PricingEdit,
		FlagEvaluate,
		RolloutView,
		RolloutCreate,
		RolloutAdvance,
		RolloutPause,
		RolloutBack,
		SettlementView,
		SettlementPropose,
		RolloutApprove,
		CostView,
		CostRecord,
		CostImport,
		CostAttribute,
		OperationView,
		AuditView,
		SettingsView,
		StaffManage,
		APIKeyManage,
		WebhookManage,
	}
}

// granted is the permission table of people. An unknown role gets nothing.
func granted(r Role) []Permission {
	switch r {
	case Viewer:
		return []Permission{
			OverviewView,
			SearchUse,
			PreferenceEdit,
			AccountView,
			LedgerView,
			JobView,
			QueueView,
			DeadLetterView,
			OperationView,
			ApprovalView,
			PricingView,
			RolloutView,
			SettlementView,
		}
	case Product:
		return append(
			granted(Viewer),
			CostView,
			ApprovalAsk,
			PricingEdit,
			RolloutCreate,
			RolloutAdvance,
			RolloutPause,
			RolloutBack,
			RolloutApprove,
		)
	case Finance:
		return append(
			granted(Viewer),
			CostView,
			CostImport,
			CostAttribute,
			LedgerExport,
			MonthClose,
			IntegrityView,
			IntegrityRun,
			AccountEdit,
			AccountNote,
			AccountFreeze,
			AccountGrant,
			AccountAdjust,
			ApprovalAsk,
			ApprovalDecide,
			SettlementPropose,
			RolloutApprove,
		)
	case Support:
		return append(
			granted(Viewer),
			ApprovalAsk,
			AccountNote,
			JobReveal,
			JobCancel,
			QueueRun,
			DependencyHold,
			DeadLetterTriage,
			Requeue,
			Recover,
			Discard,
			Reopen,
		)
	case Lead:
		return slices.Concat(granted(Finance), granted(Product), granted(Support), []Permission{DependencyEdit})
	case Admin:
		return All()
	}
	return nil
}

// Allows reports whether people of this role have the permission.
func Allows(r Role, p Permission) bool { return slices.Contains(granted(r), p) }

// Scope is what an API key was made for. It decides what the key may do, through the table below.
type Scope string

// The scopes. A key has one or more.
const (
	JobsWrite   Scope = "jobs:write"
	JobsWork    Scope = "jobs:work"
	LedgerRead  Scope = "ledger:read"
	LedgerWrite Scope = "ledger:write"
	CostsWrite  Scope = "costs:write"
	FlagsRead   Scope = "flags:read"
)

// Scopes returns all scopes, in the order in which a screen lists them.
func Scopes() []Scope {
	return []Scope{JobsWrite, JobsWork, LedgerRead, LedgerWrite, CostsWrite, FlagsRead}
}

// opened is the permission table of programs. No scope includes another: a key that shall write
// and read names both.
func opened(s Scope) []Permission {
	switch s {
	case JobsWrite:
		return []Permission{JobCharge, JobSignal, JobCancel, JobView, QueueView, DependencyHold, DeadLetterView, DeadLetterTriage, Requeue, Recover, Discard, Reopen, OperationView}
	case JobsWork:
		return []Permission{JobWork, JobView}
	case LedgerRead:
		return []Permission{AccountView, LedgerView, JobView, DeadLetterView, OperationView, ApprovalView}
	case LedgerWrite:
		return []Permission{AccountEdit, AccountFreeze, AccountGrant, AccountAdjust, ApprovalView}
	case CostsWrite:
		return []Permission{CostRecord}
	case FlagsRead:
		return []Permission{FlagEvaluate}
	}
	return nil
}

// ScopeAllows reports whether a key with this scope has the permission.
func ScopeAllows(s Scope, p Permission) bool { return slices.Contains(opened(s), p) }
