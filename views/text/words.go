package text

// words holds the fixed vocabulary: one word for one thing, on every page. Keys that end in a kind or a state
// ("type.charge") are read through Maybe by the components that show the mark beside the word.
func words(key string) (en, ja string) {
	switch key {
	case "type.grant":
		return "Grant", "付与"
	case "type.charge":
		return "Charge", "課金"
	case "type.refund":
		return "Refund", "返金"
	case "type.reclaim":
		return "Reclaim", "回収"
	case "type.adjustment":
		return "Adjustment", "調整"

	case "state.queued":
		return "Queued", "待機中"
	case "state.held":
		return "Held", "保留中"
	case "state.running":
		return "Running", "実行中"
	case "state.retrying":
		return "Retrying", "再試行待ち"
	case "state.succeeded":
		return "Succeeded", "成功"
	case "state.late_success":
		return "Late success", "遅延成功"
	case "state.dead":
		return "Dead", "停止"
	case "state.discarded":
		return "Discarded", "破棄済み"
	case "state.canceled":
		return "Canceled", "取消済み"
	case "state.failed":
		return "Failed", "失敗"
	case "state.timed_out":
		return "Timed out", "時間切れ"
	case "state.superseded":
		return "Superseded", "交代済み"
	case "state.active":
		return "Active", "有効"
	case "state.frozen":
		return "Frozen", "凍結中"
	case "state.ok":
		return "Working", "正常"
	case "state.degraded":
		return "Degraded", "低下"
	case "state.down":
		return "Down", "停止"
	case "state.not_read_back":
		return "Not read back", "読み直し対象外"
	case "state.stale":
		return "Stale", "応答なし"
	case "state.unknown":
		return "Unknown", "不明"
	case "state.passed":
		return "Passed", "合格"
	case "state.consistent":
		return "Consistent", "整合"
	case "state.inconsistent":
		return "Inconsistent", "不整合"
	case "state.applied":
		return "Applied", "適用"
	case "state.replayed":
		return "Replayed, not applied", "再送（適用なし）"
	case "state.conflict":
		return "Conflict, refused", "競合（拒否）"
	case "state.not_refunded":
		return "Not refunded", "返金なし"
	case "state.refunded":
		return "Refunded", "返金済み"
	case "state.reclaimed":
		return "Refunded and reclaimed", "返金後に回収済み"

	case "class.transient":
		return "Transient", "一時的"
	case "class.throttled":
		return "Throttled", "流量制限"
	case "class.permanent":
		return "Permanent", "恒久的"
	case "class.timed_out":
		return "Timed out", "時間切れ"

	case "kind.charge":
		return "Charge", "課金"
	case "kind.signal":
		return "Signal", "シグナル"
	case "kind.grant":
		return "Grant", "付与"
	case "kind.adjustment":
		return "Adjustment", "調整"
	case "kind.cancel":
		return "Cancel", "取消"
	case "kind.breaker_closed":
		return "The breaker closed", "ブレーカーが閉じた"
	case "kind.breaker_opened":
		return "The breaker opened", "ブレーカーが開いた"
	case "kind.breaker_probing":
		return "The breaker tries a few", "ブレーカーが試行を開始"
	case "kind.run_now":
		return "Try now", "今すぐ実行"
	case "kind.hold_dependency", "kind.hold_action":
		return "Hold", "保留"
	case "kind.release_dependency", "kind.release_action":
		return "Release", "解放"
	case "kind.hold_drained":
		return "The hold has ended", "保留の終了"
	case "kind.change_dependency":
		return "Change a dependency's settings", "依存先の設定変更"
	case "kind.set_default_dependency":
		return "Set the dependency of an action", "アクションの依存先の設定"
	case "kind.create_rule":
		return "New rule version", "新しいルール版"
	case "kind.requeue":
		return "Requeue", "再投入"
	case "kind.discard":
		return "Discard", "破棄"
	case "kind.reopen":
		return "Reopen", "再開"
	case "kind.freeze":
		return "Freeze", "凍結"
	case "kind.unfreeze":
		return "Unfreeze", "凍結解除"
	case "kind.claim":
		return "Claim", "取得"

	case "kind.put_account":
		return "Account created or updated", "アカウントの作成・更新"
	case "kind.complete":
		return "Complete", "完了報告"
	case "kind.fail":
		return "Fail", "失敗報告"
	case "kind.timeout":
		return "Time-out", "時間切れ"
	case "kind.expire":
		return "Expiry", "期限切れ"
	case "kind.set_price":
		return "Price set", "価格の設定"

	case "category.paid":
		return "Paid", "購入"
	case "category.promotion":
		return "Promotion", "販促"
	case "category.goodwill":
		return "Goodwill", "お詫び"

	case "ago.now":
		return "just now", "たった今"
	case "ago.past":
		return "{1} ago", "{1}前"
	case "ago.in":
		return "in {1}", "{1}後"
	case "unit.ms":
		return "{1} ms", "{1}ミリ秒"
	case "unit.s":
		return "{1} s", "{1}秒"
	case "unit.min":
		return "{1} min", "{1}分"
	case "unit.h":
		return "{1} h", "{1}時間"
	case "unit.d":
		return "{1} d", "{1}日"

	case "count.entries.one":
		return "{1} entry", "{1}件の記帳"
	case "count.entries.other":
		return "{1} entries", "{1}件の記帳"
	case "count.times.one":
		return "once", "{1}回"
	case "count.times.other":
		return "{1} times", "{1}回"
	}
	return "", ""
}
