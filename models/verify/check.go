package verify

// Check names a rule. The names are stable: screens, counters and stored runs use them.
type Check string

// The rules a ledger keeps.
const (
	// CheckSeq: an account's entries are numbered 1, 2, 3 … without a gap.
	CheckSeq Check = "seq"
	// CheckTime: created_at rises strictly with seq.
	CheckTime Check = "time"
	// CheckBalance: balance_after is the previous entry's plus amount.
	CheckBalance Check = "balance"
	// CheckCovered: no charge ends below zero, and none begins there.
	CheckCovered Check = "covered"
	// CheckHash: the hash is that of the entry's fields and the previous hash.
	CheckHash Check = "hash"
	// CheckHead: the account row repeats the newest entry.
	CheckHead Check = "head"
	// CheckNegativeSince: negative_since is the time of the entry that took the balance below zero.
	CheckNegativeSince Check = "negative_since"
	// CheckJob: an entry of a job names one that exists.
	CheckJob Check = "job"
	// CheckOnce: a job has at most one charge, one refund and one reclaim.
	CheckOnce Check = "once"
	// CheckFlags: a job has its charge, a refund exactly when is_refunded, a reclaim exactly when is_reclaimed.
	CheckFlags Check = "flags"
	// CheckAmount: charge, refund and reclaim move exactly the job's cost.
	CheckAmount Check = "amount"
	// CheckOrder: charge comes before refund, refund before reclaim.
	CheckOrder Check = "order"
	// CheckAttribution: rollout, cohort and rule version of the three entries are the job's.
	CheckAttribution Check = "attribution"
	// CheckDecision: a job has the price, the rule version, the rollout and the cohort of the decision recorded for
	// its operation. A job of no rollout may have none: it was charged before decisions were recorded.
	CheckDecision Check = "decision"
	// CheckPrice: a decision has the price of its units under its rule version.
	CheckPrice Check = "price"
	// CheckBucket: a decision within a rollout has the account's bucket.
	CheckBucket Check = "bucket"
	// CheckApproval: the operation of a change request has its result exactly when that was approved.
	CheckApproval Check = "approval"
	// CheckSettlement: a delivered job is paid for, a failed one is not.
	CheckSettlement Check = "settlement"
	// CheckPayment: what a settlement paid for a job is what was approved for it, once, and the entry says the same.
	CheckPayment Check = "payment"
	// CheckLine: a job waits in the line exactly while it is queued, running or retrying, as the same attempt.
	CheckLine Check = "line"
	// CheckStuck: no job waits past its lease, wake-up or expiry and the grace.
	CheckStuck Check = "stuck"
	// CheckLetter: a job is dead exactly while the dead letter of its generation is open, and both say the same of its money.
	CheckLetter Check = "letter"
	// CheckTally: the open dead letters of a group are as many, over as many credits, as its tallies say.
	CheckTally Check = "tally"
	// CheckOperation: an operation has its result, and a job's charge is by the operation the job names.
	CheckOperation Check = "operation"
	// CheckResult: an entry is what the stored result of its operation says, by the actor of the operation, with the
	// texts that were asked for.
	CheckResult Check = "result"
	// CheckTriggers: the triggers and functions of the schema are what this program's migrations make, and no other trigger is there.
	CheckTriggers Check = "triggers"
	// CheckKept: the tables, columns, constraints and unique indexes of the schema are what this program's migrations make.
	CheckKept Check = "kept"
	// CheckCheckpoint: a checkpoint of an account is the sum of its entries up to there.
	CheckCheckpoint Check = "checkpoint"
	// CheckCut: every entry that an account row counts, or that the stored result of an operation tells of, is there.
	CheckCut Check = "cut"
	// CheckAnchor: the newest entries at a moment that is anchored in the database are still the same.
	CheckAnchor Check = "anchor"
	// CheckAnchorFile: the newest entries at a moment that is anchored in the file outside the database are still the same.
	CheckAnchorFile Check = "anchor_file"
	// CheckRollup: the derived sums are those of the entries.
	CheckRollup Check = "rollup"
	// CheckCost: what a cost record is attributed to now is what its newest attribution says.
	CheckCost Check = "cost"
	// CheckFinding: nothing that the checks of a rollout found is still to be put right.
	CheckFinding Check = "finding"
	// CheckMonth: a closed month's entries still add up to the figures it was closed with.
	CheckMonth Check = "month"
)

// Checks lists all checks in the order screens show them.
func Checks() []Check {
	return []Check{CheckSeq, CheckTime, CheckBalance, CheckCovered, CheckHash, CheckHead, CheckNegativeSince, CheckJob, CheckOnce,
		CheckFlags, CheckAmount, CheckOrder, CheckAttribution, CheckDecision, CheckPrice, CheckBucket, CheckApproval, CheckSettlement, CheckPayment, CheckLine, CheckStuck, CheckLetter, CheckTally, CheckOperation, CheckResult,
		CheckTriggers, CheckKept, CheckCheckpoint, CheckCut, CheckAnchor, CheckAnchorFile, CheckRollup, CheckMonth, CheckCost, CheckFinding}
}
