package verify

// Invariant is a rule that the ledger keeps, in the order and under the names of docs/domain.md, with the checks
// that find it broken.
type Invariant struct {
	// Rule is its name there: L1, J3 …
	Rule   string
	Checks []Check
	// Kept are the constraints, unique indexes and triggers, each after its table, by which the database refuses what would
	// break the rule. CheckKept looks whether they are there. A rule without Checks is kept by them alone: what they refuse
	// was never written, so there is nothing to read back.
	Kept []string
}

// Invariants groups all checks. Each check belongs to one rule.
func Invariants() []Invariant {
	return []Invariant{
		{"L1", []Check{CheckTriggers, CheckKept}, []string{"entries.entries_append_only", "entries.entries_append_only_row", "accounts.accounts_keep", "audit_log.audit_log_append_only"}},
		{"L2", []Check{CheckSeq, CheckTime, CheckBalance}, []string{"entries.entries_pkey", "entries.entries_chain"}},
		{"L3", []Check{CheckOnce}, []string{"entries.entries_once_a_job"}},
		{"L4", []Check{CheckCovered, CheckNegativeSince}, []string{"entries.entries_charge_covered", "accounts.accounts_check"}},
		{"L5", []Check{CheckAttribution, CheckDecision}, []string{"entries.entries_actor_check"}},
		{"L6", []Check{CheckHash}, []string{"entries.entries_chain"}},
		{"L7", []Check{CheckCut, CheckAnchor}, nil},
		{"L8", []Check{CheckHead}, []string{"entries.entries_chain"}},
		{"L9", []Check{CheckRollup, CheckCheckpoint}, nil},
		{"L10", []Check{CheckMonth}, []string{"closed_months.closed_months_pkey", "closed_months.closed_months_apart", "closed_months.closed_months_tie", "closed_months.closed_months_append_only"}},
		{"J2", []Check{CheckSettlement, CheckAmount, CheckOrder}, []string{"entries.entries_sign", "jobs.jobs_check3"}},
		{"J3", []Check{CheckFlags, CheckJob}, []string{"entries.entries_job", "jobs.jobs_check1", "jobs.jobs_check2"}},
		{"J4", []Check{CheckLine, CheckStuck}, []string{"waiting_line.waiting_line_pkey"}},
		{"O1", []Check{CheckOperation, CheckResult}, []string{"operations.operations_pkey"}},
		{"O2", nil, []string{"operations.operations_one_result", "operations.operations_keep", "operations.operations_keep_row"}},
		{"A1", nil, []string{"change_requests.change_requests_second_person", "change_requests.change_requests_one_decision"}},
		{"R1", nil, []string{"jobs.jobs_backoff_base_ms_check", "jobs.jobs_check"}},
		{"R6", nil, []string{"attempts.attempts_pkey"}},
		{"R9", []Check{CheckLetter, CheckTally}, []string{"jobs.jobs_died", "dead_letters.dead_letters_pkey"}},
		{"P2", nil, []string{"rule_versions.rule_versions_pkey", "rule_versions.rule_versions_action_version_key", "rule_versions.rule_versions_append_only"}},
		{"P5", nil, []string{"decisions.decisions_pkey", "decisions.decisions_append_only"}},
		{"S2", nil, []string{"enrolments.enrolments_pkey", "enrolments.enrolments_append_only"}},
		{"S3", nil, []string{"rollouts.rollouts_one_live"}},
		{"S4", nil, []string{"rollouts.rollouts_step", "rollout_events.rollout_events_pkey", "rollout_events.rollout_events_one_step"}},
		{"S7", []Check{CheckFinding}, []string{"rollout_findings.rollout_findings_keep"}},
		{"S13", nil, []string{"rollout_schedule.rollout_schedule_once", "rollout_schedule.rollout_schedule_in_time"}},
		{"C1", nil, []string{"cost_records.cost_records_source_external_id_key"}},
		{"C2", nil, []string{"cost_records.cost_records_append_only", "cost_attributions.cost_attributions_append_only"}},
		{"C3", []Check{CheckCost}, []string{"cost_attributions.cost_attributions_follow", "cost_states.cost_states_guarded", "cost_attributions.cost_attributions_check3"}},
		{"T1", []Check{CheckPayment}, []string{"settlement_payments.settlement_payments_pkey", "settlement_payments.settlement_payments_one_entry"}},
		{"T4", nil, []string{"settlements.settlements_only_forward", "settlement_items.settlement_items_append_only"}},
	}
}
