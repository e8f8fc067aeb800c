package text

// verifiedValues holds the names of values that the verifier compares, "value." and the name, and what it says instead of a
// value, "phrase." and what it says, both with underscores in place of spaces.
func verifiedValues(key string) (en, ja string) {
	switch key {
	case "value.seq":
		return "number", "番号"
	case "value.type":
		return "type", "種類"
	case "value.amount":
		return "amount", "金額"
	case "value.balance":
		return "balance", "残高"
	case "value.balance_after":
		return "balance after", "記帳後残高"
	case "value.actor":
		return "actor", "実行者"
	case "value.job_key":
		return "job key", "ジョブキー"
	case "value.last_seq":
		return "last number", "最終番号"
	case "value.last_hash":
		return "last hash", "最終ハッシュ"
	case "value.last_at":
		return "last time", "最終時刻"
	case "value.entries_up_to":
		return "entries up to", "記帳の最終番号"
	case "value.generation":
		return "generation", "世代"
	case "value.refunded":
		return "refunded", "返金済み"
	case "value.attempt":
		return "attempt", "試行"
	case "value.expires":
		return "expires", "期限"
	case "value.rollout":
		return "rollout", "ロールアウト"
	case "value.cohort":
		return "cohort", "コホート"
	case "value.rule_version":
		return "rule version", "ルール版"
	case "value.moved_on_at":
		return "moved on at", "次に進む予定"
	case "value.later_than":
		return "later than", "これより後："
	case "value.opening":
		return "opening", "月初残高"
	case "value.closing":
		return "closing", "月末残高"
	case "value.open_refunds":
		return "open refunds", "未回収の返金"
	case "value.grant":
		return "grant", "付与"
	case "value.charge":
		return "charge", "課金"
	case "value.refund":
		return "refund", "返金"
	case "value.reclaim":
		return "reclaim", "回収"
	case "value.adjustment":
		return "adjustment", "調整"
	case "value.category":
		return "category", "区分"
	case "value.reference":
		return "reference", "参照"
	case "value.reason":
		return "reason", "理由"
	case "value.attribution":
		return "attribution", "帰属"
	case "value.after_the_charge":
		return "after the charge", "課金より後"
	case "value.after_the_refund":
		return "after the refund", "返金より後"
	case "value.fires_always_and_calls":
		return "fires always and calls", "常に実行され、次を呼び出す："
	case "value.calls":
		return "calls", "次を呼び出す："
	case "value.entries_of":
		return "entries of", "件の記帳、合計"
	case "value.under":
		return "under", "適用："
	case "value.delivered_for":
		return "delivered for", "納品済み、費用"
	case "value.payments":
		return "payments", "支払い件数"
	case "value.operation":
		return "operation", "操作"
	case "value.settlement":
		return "settlement", "精算"
	case "value.entry":
		return "entry", "記帳"
	case "value.a_further_one_beside_entry":
		return "a further one beside entry", "別のものがある。記帳"
	case "value.running_at":
		return "running at", "実行中、時刻"
	case "value.queued_at":
		return "queued at", "待機中、時刻"
	case "value.retrying_at":
		return "retrying at", "再試行待ち、時刻"
	case "value.month":
		return "month", "月"
	case "value.from":
		return "from", "開始"
	case "value.to":
		return "to", "終了"
	case "value.entries":
		return "entries", "記帳の件数"
	case "value.digest":
		return "digest", "ダイジェスト"
	case "value.heads_digest":
		return "heads digest", "アンカー"
	case "value.an_audit_row_of_operation":
		return "an audit row of operation", "次の操作の監査ログ："

	case "phrase.no_row":
		return "no row", "行なし"
	case "phrase.no_result":
		return "no result", "結果なし"
	case "phrase.no_operation":
		return "no operation", "操作なし"
	case "phrase.a_closed_month":
		return "a closed month", "締めた月"
	case "phrase.an_open_one":
		return "an open one", "開いている月"
	case "phrase.none":
		return "none", "なし"
	case "phrase.no_entry":
		return "no entry", "記帳なし"
	case "phrase.no_such_job":
		return "no such job", "該当するジョブなし"
	case "phrase.an_operation_that_answered_with_it":
		return "an operation that answered with it", "この記帳を回答した操作"
	case "phrase.one_charge":
		return "one charge", "課金1件"
	case "phrase.one_refund":
		return "one refund", "返金1件"
	case "phrase.one_reclaim":
		return "one reclaim", "回収1件"
	case "phrase.a_charge":
		return "a charge", "課金あり"
	case "phrase.a_refund":
		return "a refund", "返金あり"
	case "phrase.a_reclaim":
		return "a reclaim", "回収あり"
	case "phrase.no_refund":
		return "no refund", "返金なし"
	case "phrase.no_reclaim":
		return "no reclaim", "回収なし"
	case "phrase.before_it":
		return "before it", "それより前"
	case "phrase.not_in_the_line":
		return "not in the line", "待ち行列にない"
	case "phrase.a_result":
		return "a result", "結果あり"
	case "phrase.as_it_was_asked_for":
		return "as it was asked for", "依頼どおり"
	case "phrase.another_amount":
		return "another amount", "異なる金額"
	case "phrase.another_category":
		return "another category", "異なる区分"
	case "phrase.another_reference":
		return "another reference", "異なる参照"
	case "phrase.another_reason":
		return "another reason", "異なる理由"
	case "phrase.true":
		return "yes", "はい"
	case "phrase.false":
		return "no", "いいえ"
	case "phrase.no_such_trigger":
		return "no such trigger", "該当するトリガーなし"
	case "phrase.is_disabled":
		return "is disabled", "は無効"
	case "phrase.is_silent_in_replica_sessions":
		return "is silent in replica sessions", "はレプリカのセッションで実行されない"
	case "phrase.fires_in_replica_sessions_only":
		return "fires in replica sessions only", "はレプリカのセッションでのみ実行される"
	case "phrase.with_another_body":
		return "with another body", "の本体が異なる"
	case "phrase.not_in_force":
		return "not in force", "有効でない"
	case "phrase.a_payment_of_a_settlement":
		return "a payment of a settlement", "精算の支払い"
	case "phrase.an_approved_settlement":
		return "an approved settlement", "承認済みの精算"
	case "phrase.delivered":
		return "delivered", "納品済み"
	case "phrase.no_settlement":
		return "no settlement", "精算なし"
	case "phrase.not_approved":
		return "not approved", "未承認"
	case "phrase.not_delivered":
		return "not delivered", "未納品"
	case "phrase.no_job":
		return "no job", "ジョブなし"
	case "phrase.no_rollout":
		return "no rollout", "ロールアウトなし"
	case "phrase.entries_as_their_operations_answered":
		return "entries as their operations answered", "操作の回答どおりの記帳"
	case "phrase.that_differ":
		return "that differ", "件が異なる"
	case "phrase.as_this_program's_schema_has_it":
		return "as this program’s schema has it", "がこのプログラムのスキーマどおり"
	}
	return "", ""
}
