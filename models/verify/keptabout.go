package verify

// keptAbout says of a constraint or an index of Invariant.Kept what the schema has it be, in the form of inForce: its kind (c for a
// check, p for a primary key, u for unique, x for an exclusion, i for an index) and its columns. One of the same name that is about
// others does not keep the rule.
func keptAbout(name string) string {
	switch name {
	case "entries.entries_pkey":
		return "p account_key, seq"
	case "entries.entries_once_a_job":
		return "i account_key, job_key, type if"
	case "entries.entries_charge_covered":
		return "c type, balance_after"
	case "accounts.accounts_check":
		return "c negative_since, balance"
	case "entries.entries_actor_check":
		return "c actor"
	case "closed_months.closed_months_pkey":
		return "p month"
	case "closed_months.closed_months_apart":
		return "x "
	case "closed_months.closed_months_tie":
		return "c balances, closing"
	case "entries.entries_sign":
		return "c type, amount"
	case "jobs.jobs_check3":
		return "c is_reclaimed, is_refunded, delivered_at"
	case "entries.entries_job":
		return "c job_key, type"
	case "jobs.jobs_check1":
		return "c is_refunded, refunded_at"
	case "jobs.jobs_check2":
		return "c is_reclaimed, reclaimed_at"
	case "waiting_line.waiting_line_pkey":
		return "p account_key, job_key"
	case "operations.operations_pkey":
		return "p account_key, scope, id"
	case "change_requests.change_requests_second_person":
		return "c state, decided_by, requested_by"
	case "jobs.jobs_backoff_base_ms_check":
		return "c backoff_base_ms"
	case "jobs.jobs_check":
		return "c backoff_max_ms, backoff_base_ms"
	case "operations.operations_id_check":
		return "c id"
	case "change_requests.change_requests_in_time":
		return "c decided_at, expires_at"
	case "bulk_works.bulk_works_undone_once":
		return "i undoes if"
	case "settlement_items.settlement_items_check":
		return "c amount, charged, baseline"
	case "attempts.attempts_pkey":
		return "p account_key, job_key, attempt"
	case "dead_letters.dead_letters_pkey":
		return "p account_key, job_key, generation"
	case "rule_versions.rule_versions_pkey":
		return "p id"
	case "rule_versions.rule_versions_action_version_key":
		return "u action, version"
	case "decisions.decisions_pkey":
		return "p account_key, operation_id"
	case "enrolments.enrolments_pkey":
		return "p account_key, rollout_id"
	case "rollouts.rollouts_one_live":
		return "i action if"
	case "rollout_events.rollout_events_pkey":
		return "p rollout_id, version"
	case "rollout_events.rollout_events_one_step":
		return "i rollout_id, stage_after if"
	case "rollout_schedule.rollout_schedule_once":
		return "i rollout_id, step, stage if"
	case "rollout_schedule.rollout_schedule_in_time":
		return "c state, ended_at, at"
	case "cost_records.cost_records_source_external_id_key":
		return "u source, external_id"
	case "cost_attributions.cost_attributions_check3":
		return "c cause, reason"
	case "settlement_payments.settlement_payments_pkey":
		return "p rollout_id, account_key, job_key"
	case "settlement_payments.settlement_payments_one_entry":
		return "i account_key, entry_seq if"
	}
	return ""
}
