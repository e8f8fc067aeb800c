package verify

// Held says what keeps a rule where rows do not tell whether it was kept.
type Held string

const (
	// HeldByStatement: the condition, the lock or the transaction of the statement that makes the change. What was refused left no row.
	HeldByStatement Held = "statement"
	// HeldByTests: how the program computes, reads or answers. Tests prove it; no row says so.
	HeldByTests Held = "tests"
)

// Invariant is a rule of docs/domain.md, under its name there, with the checks that find it broken.
type Invariant struct {
	// Rule is its name there: L1, J3 …
	Rule   string
	Checks []Check
	// Kept are the constraints, unique indexes and triggers, each after its table, by which the database refuses what would
	// break the rule. CheckKept looks whether they are there.
	Kept []string
	// Held is set where there are neither Checks nor Kept: the rule holds while the program runs, and nothing can be read back.
	Held Held
}

// Optional are the checks that an installation may do without: no file of anchors has to be kept. Where one was ever compared, a run that does not
// compare it is not complete.
func Optional() []Check { return []Check{CheckAnchorFile} }

// Invariants are all rules of docs/domain.md, in its order. Each check belongs to one rule.
func Invariants() []Invariant {
	read := func(rule string, checks []Check, kept ...string) Invariant {
		return Invariant{Rule: rule, Checks: checks, Kept: kept}
	}
	kept := func(rule string, kept ...string) Invariant { return Invariant{Rule: rule, Kept: kept} }
	held := func(rule string, by Held) Invariant { return Invariant{Rule: rule, Held: by} }
	return []Invariant{
		read("L1", []Check{CheckTriggers, CheckKept}, "entries.entries_append_only", "entries.entries_append_only_row", "accounts.accounts_keep", "audit_log.audit_log_append_only"),
		read("L2", []Check{CheckSeq, CheckTime, CheckBalance}, "entries.entries_pkey", "entries.entries_chain"),
		read("L3", []Check{CheckOnce}, "entries.entries_once_a_job"),
		read("L4", []Check{CheckCovered, CheckNegativeSince}, "entries.entries_charge_covered", "accounts.accounts_check"),
		read("L5", []Check{CheckAttribution, CheckDecision}, "entries.entries_actor_check"),
		read("L6", []Check{CheckHash}, "entries.entries_chain"),
		read("L7", []Check{CheckCut, CheckAnchor, CheckAnchorFile}),
		read("L8", []Check{CheckHead}, "entries.entries_chain"),
		read("L9", []Check{CheckRollup, CheckCheckpoint}),
		read("L10", []Check{CheckMonth}, "closed_months.closed_months_pkey", "closed_months.closed_months_apart", "closed_months.closed_months_tie", "closed_months.closed_months_append_only"),
		held("L11", HeldByTests),
		held("L12", HeldByTests),

		held("J1", HeldByStatement),
		read("J2", []Check{CheckSettlement, CheckAmount, CheckOrder}, "entries.entries_sign", "jobs.jobs_check3"),
		read("J3", []Check{CheckFlags, CheckJob}, "entries.entries_job", "jobs.jobs_check1", "jobs.jobs_check2"),
		read("J4", []Check{CheckLine, CheckStuck}, "waiting_line.waiting_line_pkey"),
		held("J5", HeldByStatement),
		held("J6", HeldByTests),

		kept("C1", "cost_records.cost_records_source_external_id_key"),
		kept("C2", "cost_records.cost_records_append_only", "cost_attributions.cost_attributions_append_only"),
		read("C3", []Check{CheckCost}, "cost_attributions.cost_attributions_follow", "cost_states.cost_states_guarded", "cost_attributions.cost_attributions_check3"),
		held("C4", HeldByStatement),
		held("C5", HeldByTests),
		held("C7", HeldByStatement),
		kept("C8", "credit_values.credit_values_append_only"),
		held("C6", HeldByTests),

		read("O1", []Check{CheckOperation, CheckResult}, "operations.operations_pkey"),
		kept("O2", "operations.operations_one_result", "operations.operations_keep", "operations.operations_keep_row"),
		kept("O3", "operations.operations_one_result"),
		held("O4", HeldByTests),
		held("O5", HeldByTests),
		kept("O6", "operations.operations_id_check"),
		held("O7", HeldByTests),
		kept("O8", "operations.operations_one_result", "decisions.decisions_append_only"),

		kept("A1", "change_requests.change_requests_second_person", "change_requests.change_requests_one_decision"),
		read("A2", []Check{CheckApproval}, "change_requests.change_requests_one_decision"),
		kept("A3", "change_requests.change_requests_in_time", "change_requests.change_requests_one_decision"),
		kept("A4", "change_requests.change_requests_one_decision", "change_requests.change_requests_keep"),

		kept("R1", "jobs.jobs_backoff_base_ms_check", "jobs.jobs_check"),
		held("R2", HeldByTests),
		held("R3", HeldByStatement),
		held("R4", HeldByStatement),
		held("R5", HeldByStatement),
		kept("R6", "attempts.attempts_pkey"),
		held("R7", HeldByStatement),
		held("R8", HeldByTests),
		read("R9", []Check{CheckLetter, CheckTally}, "jobs.jobs_died", "dead_letters.dead_letters_pkey"),
		held("R10", HeldByStatement),
		held("R11", HeldByStatement),
		held("R12", HeldByStatement),
		held("R13", HeldByStatement),
		held("R14", HeldByStatement),
		held("R15", HeldByStatement),
		kept("R16", "bulk_works.bulk_works_undone_once"),
		held("R17", HeldByTests),

		read("P1", []Check{CheckPrice}),
		kept("P2", "rule_versions.rule_versions_pkey", "rule_versions.rule_versions_action_version_key", "rule_versions.rule_versions_append_only"),
		held("P3", HeldByStatement),
		kept("P4", "actions.actions_keep", "actions.actions_stay", "rule_retirements.rule_retirements_append_only", "price_changes.price_changes_append_only"),
		kept("P5", "decisions.decisions_pkey", "decisions.decisions_append_only"),

		read("S1", []Check{CheckBucket}),
		kept("S2", "enrolments.enrolments_pkey", "enrolments.enrolments_append_only"),
		kept("S3", "rollouts.rollouts_one_live", "actions.actions_stay", "rollout_stages.rollout_stages_come_first"),
		kept("S4", "rollouts.rollouts_step", "rollout_events.rollout_events_pkey", "rollout_events.rollout_events_one_step"),
		kept("S5", "decisions.decisions_append_only"),
		held("S6", HeldByTests),
		read("S7", []Check{CheckFinding}, "rollout_findings.rollout_findings_keep"),
		held("S8", HeldByTests),
		held("S9", HeldByStatement),
		held("S10", HeldByTests),
		held("S11", HeldByStatement),
		held("S12", HeldByStatement),
		kept("S13", "rollout_schedule.rollout_schedule_once", "rollout_schedule.rollout_schedule_in_time"),
		held("S14", HeldByTests),
		held("S15", HeldByStatement),
		held("S16", HeldByStatement),

		read("T1", []Check{CheckPayment}, "settlement_payments.settlement_payments_pkey", "settlement_payments.settlement_payments_one_entry"),
		kept("T2", "settlement_items.settlement_items_check", "settlement_items.settlement_items_append_only"),
		held("T3", HeldByStatement),
		kept("T4", "settlements.settlements_only_forward", "settlement_items.settlement_items_append_only"),
		held("T5", HeldByStatement),
		held("T6", HeldByStatement),
		held("T7", HeldByTests),
		held("T8", HeldByStatement),
	}
}
