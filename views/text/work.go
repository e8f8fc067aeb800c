package text

// work holds jobs, operations, dead letters and the overview.
func work(key string) (en, ja string) {
	switch key {
	case "fault.message_not_found":
		return "You have no such message.", "該当する通知が見つかりません。"
	case "col.attempt":
		return "Attempt", "試行"
	case "col.attempts":
		return "Attempts", "試行回数"
	case "col.generation":
		return "Generation", "世代"
	case "col.outcome":
		return "Outcome", "結果"
	case "col.error":
		return "Error", "エラー"
	case "col.last_error":
		return "Last error", "最後のエラー"
	case "col.worker":
		return "Worker", "ワーカー"
	case "col.lease":
		return "Lease", "リース"
	case "col.started":
		return "Started ({1})", "開始（{1}）"
	case "col.ended":
		return "Ended ({1})", "終了（{1}）"
	case "col.kind":
		return "Kind", "種別"
	case "col.result":
		return "Result", "結果"
	case "col.actor":
		return "Actor", "実行者"
	case "col.replays":
		return "Replays", "再送"
	case "col.conflicts":
		return "Conflicts", "競合"
	case "col.job_account":
		return "Job, account", "ジョブ・アカウント"
	case "col.dead_since":
		return "Dead since ({1})", "停止時刻（{1}）"
	case "col.delivered":
		return "Delivered ({1})", "納品時刻（{1}）"
	case "col.actions":
		return "Actions", "操作"

	case "jobs.title":
		return "Jobs", "ジョブ"
	case "jobs.say":
		return "A job is charged once, when it is accepted. A failure refunds it, a late success takes the refund back, once.", "ジョブは受付時に一度だけ課金されます。失敗すれば返金し、後から成功すれば返金を一度だけ回収します。"
	case "jobs.none":
		return "No jobs yet. The platform charges them through the API.", "ジョブはまだありません。プラットフォームがAPIで課金します。"
	case "jobs.order":
		return "Newest first. Times in {1}.", "新しい順。時刻は{1}。"

	case "job.say_reclaimed":
		return "Charged {1}, refunded {1} on {3}, taken back {1} on {4}. {2} has paid {1} {1|credit|credits}, once, and has the result.", "{1}を課金し、{3}に{1}を返金し、{4}に{1}を回収しました。{2}の支払いは一度だけ{1}クレジットで、成果物を受け取っています。"
	case "job.say_delivered":
		return "Charged {1} and delivered. {2} has paid {1} {1|credit|credits}, once.", "{1}を課金し、納品しました。{2}の支払いは一度だけ{1}クレジットです。"
	case "job.say_settled":
		return " A settlement then booked {1} {1|credit|credits} on {3}: with it {2} has paid {4} {4|credit|credits}.", "その後{3}に精算で{1}クレジットを計上しました。精算後の{2}の支払いは{4}クレジットです。"
	case "job.say_settled_outside":
		return " On {1} its price was settled outside the ledger by {2}.", "{1}に台帳の外で、{2}により精算しました。"
	case "job.say_broken":
		return "Delivered, but the refund of {1} was not taken back. {2} has the result and has paid nothing: this must not happen.", "納品済みですが、{1}の返金が回収されていません。{2}は支払いなしで成果物を受け取っています。本来起こりえない状態です。"
	case "job.say_dead":
		return "Charged {1}, refunded {1} on {3}. {2} is 0 credits out of pocket. Nothing was delivered, and nothing more is tried until a person decides.", "{1}を課金し、{3}に{1}を返金しました。{2}の負担は0クレジットです。納品はされておらず、担当者が判断するまで再試行されません。"
	case "job.say_closed":
		return "Charged {1}, refunded {1} on {3}. {2} is 0 credits out of pocket. Nothing was delivered; should the work still arrive, {1} {1|credit is|credits are} taken back, once.", "{1}を課金し、{3}に{1}を返金しました。{2}の負担は0クレジットです。納品はされていません。後から納品された場合は{1}クレジットを一度だけ回収します。"
	case "job.say_refunded":
		return "Charged {1}, refunded {1} on {3}. {2} is 0 credits out of pocket so far. If an attempt succeeds, {1} {1|credit is|credits are} taken back, once.", "{1}を課金し、{3}に{1}を返金しました。{2}の負担は今のところ0クレジットです。試行が成功すれば{1}クレジットを一度だけ回収します。"
	case "job.say_unrefunded":
		return "Charged {1} to {2}. It ended without a delivery and is not marked as refunded: this must not happen. By its entries {2} has paid {3} {3|credit|credits} for it.", "{2}に{1}を課金しました。納品されないまま終了していますが、返金済みになっていません。本来起こりえない状態です。エントリーでは{2}の支払いは{3}クレジットです。"
	case "job.say_open":
		return "Charged {1} to {2}. Not delivered yet; a failure will refund it.", "{2}に{1}を課金しました。まだ納品されていません。失敗すれば返金します。"
	case "job.net":
		return "Net, credits", "差引（クレジット）"
	case "job.cost":
		return "Cost, credits", "費用（クレジット）"
	case "job.units":
		return "{1} {1|unit|units}", "{1}単位"
	case "job.attempts_of":
		return "{1} of {2}", "{2}回中{1}回"
	case "job.budget":
		return "{1} of {2} in this generation", "この世代では{2}回中{1}回"
	case "job.generation":
		return "Generation", "世代"
	case "job.generation_note":
		return "put back by a person", "担当者が再投入"
	case "job.external":
		return "run by the caller", "呼び出し元が実行"
	case "actor.system":
		return "System", "システム"
	case "job.next_requeued":
		return "Next: put back by a person, tried from {1}.", "次回：担当者が再投入、{1}以降に試行。"
	case "job.next_retry":
		return "Next: attempt {1} failed, wait {2}, until {3}.", "次回：試行{1}が失敗、{2}待機、{3}まで。"
	case "job.next_retry_jittered":
		return "Next: attempt {1} failed: {2}, jittered to {3}, until {4}.", "次回：試行{1}が失敗、{2}（ゆらぎ適用後 {3}）待機、{4}まで。"

	case "job.say_unpaid":
		return "Delivered, with a charge of {1}. By its entries {2} has paid {3} {3|credit|credits} for it: this must not happen.", "納品済みで、課金は{1}でした。エントリーでは{2}の支払いは{3}クレジットです。本来起こりえない状態です。"
	case "timeline.left_out.one":
		return "{1} event between the first 100 and the newest 900 is left out: it changed nothing.", "最初の100件と最新の900件の間の{1}件は、何も変更しなかったため省いています。"
	case "timeline.left_out.other":
		return "{1} events between the first 100 and the newest 900 are left out. What moved the work or the money, or was done by people, is told: the newest 1,000 of that.", "最初の100件と最新の900件の間の{1}件を省いています。作業・金額を動かしたもの、担当者が行ったものは（最新1,000件まで）表示しています。"
	case "attempts.left_out":
		return "The newest {1}", "最新の{1}件"
	case "operations.left_out":
		return "The newest {1}", "最新の{1}件"
	case "payload.more.one":
		return "and {1} more value", "ほか{1}件の値"
	case "payload.more.other":
		return "and {1} more values", "ほか{1}件の値"
	case "timeline.title":
		return "Timeline", "経過"
	case "timeline.attempts":
		return "Attempts", "試行"
	case "timeline.money":
		return "Money", "お金"
	case "timeline.people":
		return "People", "担当者"

	case "event.entry":
		return "entry {1} · balance {2}", "記帳 {1} · 残高 {2}"
	case "event.unmoved":
		return "No money moved", "金額の移動なし"
	case "event.started":
		return "Attempt {1} started", "試行{1}を開始"
	case "event.lease":
		return "worker {1}, lease {2}", "ワーカー {1}、リース {2}"
	case "event.timed_out":
		return "Attempt {1} timed out", "試行{1}が時間切れ"
	case "event.failed":
		return "Attempt {1} failed: {2}", "試行{1}が失敗：{2}"
	case "event.late":
		return "Result of attempt {1} arrived late", "試行{1}の結果が遅れて到着"
	case "event.succeeded":
		return "Attempt {1} succeeded", "試行{1}が成功"
	case "event.scheduled":
		return "Retry scheduled", "再試行を予約"
	case "event.woken":
		return "Queued again", "再び待機列へ"
	case "event.died":
		return "Became a dead letter", "デッドレターになりました"
	case "died.attempts_used_up":
		return "all attempts of this generation used up", "この世代の試行をすべて使用"
	case "died.permanent_error":
		return "permanent error", "恒久的なエラー"
	case "died.expired":
		return "the job expired", "ジョブの期限切れ"
	case "did.requeue":
		return "Requeued", "再投入"
	case "did.discard":
		return "Discarded", "破棄"
	case "did.reopen":
		return "Reopened", "再開"
	case "did.cancel":
		return "Canceled", "取消"
	case "result.already_refunded":
		return "already refunded", "すでに返金済み"
	case "result.delivered_before":
		return "delivered before: nothing to refund", "納品済みのため返金なし"
	case "result.already_reclaimed":
		return "already reclaimed", "すでに回収済み"
	case "result.nothing_to_reclaim":
		return "nothing to reclaim", "回収対象なし"

	case "guard.title":
		return "Guard evidence", "ガードの証跡"
	case "guard.refund":
		return "Refund signalled", "返金シグナル"
	case "guard.reclaim":
		return "Reclaim signalled", "回収シグナル"
	case "guard.net":
		return "Net for this job, credits", "このジョブの差引（クレジット）"
	case "guard.cost":
		return "Cost when charged, credits", "課金時の費用（クレジット）"
	case "guard.never":
		return "never", "なし"
	case "guard.once":
		return "{1}, applied once", "{1}、適用は1回"
	case "guard.not_applied":
		return "{1}, not applied", "{1}、適用なし"

	case "decision.title":
		return "Decision", "価格の決定"
	case "decision.operation":
		return "operation", "操作"
	case "decision.none":
		return "This operation was not priced.", "この操作に価格の決定はありません。"
	case "decision.rollout":
		return "Rollout, cohort", "ロールアウト・コホート"
	case "decision.no_rollout":
		return "none for this action", "なし"
	case "decision.units":
		return "Units", "数量"
	case "decision.cost":
		return "Cost, credits", "費用（クレジット）"
	case "decision.frozen":
		return "Frozen by the charge", "課金時に確定"
	case "decision.frozen_quote":
		return "Frozen by a quote", "見積時に確定"
	case "decision.replays":
		return "Replayed, not applied", "再送（適用なし）"

	case "payload.title":
		return "Payload", "ペイロード"
	case "payload.reveal":
		return "Reveal", "表示する"
	case "payload.none":
		return "The job was sent without a payload.", "ペイロードなしで送られました。"
	case "payload.redacted":
		return "Values are hidden. Each time somebody reveals them it is recorded, with the reason.", "値は伏せています。表示するたびに理由とともに記録されます。"
	case "payload.revealed":
		return "Exactly as it was sent, but for values whose names sound like secrets. This was recorded.", "送られたとおりの内容です。秘密とみられる名前の値は伏せています。表示は記録されました。"
	case "payload.masked":
		return "hidden", "非表示"
	case "payload.string":
		return "text", "文字列"
	case "payload.number":
		return "number", "数値"
	case "payload.boolean":
		return "yes or no", "真偽値"
	case "payload.null":
		return "nothing", "なし"

	case "reveal.title":
		return "Reveal the payload of {1}", "{1} のペイロードを表示"
	case "reveal.say":
		return "Shows what the customer’s platform sent, once, on the next page. Values whose names sound like secrets stay hidden. Who looked, when and why goes into the audit log.", "プラットフォームが送った内容を次のページで一度だけ表示します。秘密とみられる名前の値は伏せたままです。誰がいつなぜ見たかは監査ログに残ります。"
	case "reveal.submit":
		return "Reveal payload", "ペイロードを表示する"

	case "attempts.title":
		return "Attempts", "試行"
	case "attempts.none":
		return "No worker has claimed this job yet.", "まだどのワーカーも取得していません。"
	case "operations.title":
		return "Operations", "操作"
	case "operations.none":
		return "No operations are recorded.", "操作の記録はありません。"

	case "operation.title":
		return "Operation: {1}", "操作：{1}"
	case "operation.say":
		return "Applied once. It was never asked again under this id.", "一度だけ適用されました。同じIDでの再要求はありません。"
	case "operation.say_replayed":
		return "Applied once, asked again {1} and answered with the same stored result.", "一度だけ適用され、{1}再要求されましたが、保存済みの同じ結果を返しました。"
	case "operation.say_conflict":
		return "Applied once. Asked {1} with other input, which was refused and changed nothing.", "一度だけ適用されました。異なる内容で{1}要求されましたが、拒否され、何も変更されていません。"
	case "operation.say_both":
		return "Applied once, asked again {1} with the same answer, and {2} with other input, which was refused.", "一度だけ適用されました。{1}の再要求には同じ結果を返し、異なる内容の{2}は拒否しました。"
	case "operation.stored":
		return "Stored result", "保存された結果"
	case "operation.stored_say":
		return "Every retry gets exactly this, at any time later.", "以後のすべての再試行に、まったく同じ内容を返します。"
	case "operation.no_result":
		return "There is no result: nothing was applied.", "結果はありません。何も実行されていません。"
	case "operation.asked":
		return "What was asked", "要求内容"
	case "operation.asked_at":
		return "Asked", "依頼時刻"
	case "operation.at":
		return "Applied", "適用時刻"
	case "operation.call":
		return "Call", "呼び出し"
	case "operation.entries":
		return "Entries", "記帳"
	case "operation.repeats":
		return "Replays and conflicts", "再送と競合"
	case "operation.no_repeats":
		return "This operation id was used once.", "この操作IDは一度だけ使われました。"
	case "operation.fields":
		return "Differing fields", "異なる項目"
	case "operation.served":
		return "Served, credits", "返した価格（クレジット）"

	case "dead.title":
		return "Dead letters", "デッドレター"
	case "dead.tabs":
		return "Dead letters by state", "状態別のデッドレター"
	case "tab.review":
		return "Needs review", "要確認"
	case "tab.late":
		return "Late success", "遅延成功"
	case "dead.say":
		return "Jobs past their last attempt. No timer takes them out: requeue or discard each one.", "最後の試行を終えたジョブです。自動では動きません。再投入または破棄してください。"
	case "dead.say_late":
		return "Work that arrived after it had been given up. The refund was taken back, once; there is nothing to do.", "あきらめた後に届いた成果物です。返金は一度だけ回収済みで、対応は不要です。"
	case "dead.none":
		return "No dead letters. Nothing needs a person here.", "デッドレターはありません。対応は不要です。"
	case "dead.none_late":
		return "No late successes yet.", "遅延成功はまだありません。"
	case "dead.order":
		return "Oldest first. Times in {1}. Keys: {2}.", "古い順。時刻は{1}。キー：{2}。"
	case "dead.order_newest":
		return "Newest first. Times in {1}. Keys: j, k, Enter.", "新しい順。時刻は{1}。キー：j、k、Enter。"
	case "dead.class":
		return "Error class", "エラーの分類"
	case "dead.code":
		return "Reason code", "理由コード"
	case "dead.text":
		return "Text in the message", "メッセージの文言"
	case "dead.age":
		return "Older than", "経過時間"
	case "dead.generation":
		return "Generation {1}", "世代{1}"
	case "age.1h":
		return "1 hour", "1時間以上"
	case "age.24h":
		return "24 hours", "24時間以上"
	case "age.7d":
		return "7 days", "7日以上"
	case "age.30d":
		return "30 days", "30日以上"

	case "overview.title":
		return "Overview", "概要"
	case "overview.needs":
		return "What needs a person now", "対応が必要なもの"
	case "overview.say_calm":
		return "Nothing needs a person now.", "今、対応が必要なものはありません。"
	case "overview.say_dead":
		return "Dead letters that need a person: {1}.", "対応が必要なデッドレター：{1}件。"
	case "overview.say_negative":
		return "Accounts with a negative balance: {1}.", "残高マイナスのアカウント：{1}件。"
	case "overview.say_both":
		return "Dead letters that need a person: {1}. Accounts with a negative balance: {2}.", "対応が必要なデッドレター：{1}件。残高マイナスのアカウント：{2}件。"
	case "overview.say_broken":
		return "The last verification found differences in the ledger. This comes first.", "直近の検証で台帳に不一致が見つかりました。最優先で対応してください。"
	case "overview.dead":
		return "Dead letters", "デッドレター"
	case "overview.dead_go":
		return "Review", "確認する"
	case "overview.negative":
		return "Negative balances", "残高マイナス"
	case "overview.negative_go":
		return "Show accounts", "アカウントを表示"
	case "overview.oldest":
		return "oldest {1}", "最も古いもの：{1}"
	case "overview.together":
		return "{1} {1|credit|credits} together", "合計 {1}クレジット"
	case "overview.integrity":
		return "Findings in the ledger", "台帳の検出事項"
	case "overview.integrity_never":
		return "Not verified yet. Run recoup verify.", "未検証です。recoup verify を実行してください。"
	case "overview.integrity_checked":
		return "of {1}", "対象：{1}"
	case "overview.integrity_go":
		return "Show evidence", "証跡を表示"
	case "overview.today":
		return "Credits today and a week ago", "今日と先週のクレジット"
	case "overview.until":
		return "both days until {1}", "両日とも{1}まで"
	case "overview.no_entries":
		return "No entries today or on the same day last week.", "今日および先週同曜日の記帳はありません。"
	case "overview.col_entries":
		return "Entries today", "今日の件数"
	case "overview.col_today":
		return "Today, {1}", "今日 {1}"
	case "overview.col_change":
		return "Change", "増減率"
	case "overview.col_reclaimed":
		return "Credits reclaimed", "回収クレジット"
	case "overview.late":
		return "Recent late successes", "最近の遅延成功"
	case "overview.late_all":
		return "All late successes", "すべての遅延成功"
	case "overview.no_late":
		return "No job was delivered after its refund.", "返金後に納品されたジョブはありません。"
	case "overview.health":
		return "Health", "稼働状況"
	case "integrity.checked":
		return "{1} in {2} {2|account|accounts}", "{2}アカウントの{1}"
	case "health.relay":
		return "Relay", "中継"
	case "health.workers":
		return "Work processes", "ワークプロセス"
	case "health.sweeper":
		return "Sweeper", "巡回処理"
	case "health.no_process":
		return "no process has reported", "報告しているプロセスがありません"
	case "health.no_worker":
		return "none is running", "動いていません"
	case "health.redis_down":
		return "no answer; jobs wait in PostgreSQL", "応答なし。ジョブはPostgreSQLで待機します"
	case "health.owed":
		return "{1} owed", "未送信 {1}件"
	case "health.alive":
		return "{1} alive", "稼働 {1}"
	case "health.no_sweep":
		return "it has not run lately", "最近動いていません"
	case "overview.no_health":
		return "No figures yet.", "まだ情報がありません。"
	}
	return "", ""
}
