package text

// money holds the ledger, the accounts and their forms, and the names of columns and facts.
func money(key string) (en, ja string) {
	switch key {
	case "col.time":
		return "Time ({1})", "時刻（{1}）"
	case "col.type":
		return "Type", "種類"
	case "col.account":
		return "Account", "アカウント"
	case "col.name":
		return "Name", "名前"
	case "col.plan":
		return "Plan", "プラン"
	case "col.state":
		return "State", "状態"
	case "col.last_entry":
		return "Last entry ({1})", "最終記帳（{1}）"
	case "col.last_entry_short":
		return "Last entry", "最終記帳"
	case "col.negative_for":
		return "Negative for", "マイナス期間"
	case "col.what":
		return "What happened", "内容"
	case "col.job":
		return "Job", "ジョブ"
	case "col.operation":
		return "Operation", "操作"
	case "col.rule_version":
		return "Rule version", "ルール版"
	case "col.credits":
		return "Credits", "クレジット"
	case "col.balance":
		return "Balance", "残高"
	case "col.balance_credits":
		return "Balance, credits", "残高（クレジット）"
	case "col.action":
		return "Action", "アクション"
	case "col.money":
		return "Money", "返金・回収"
	case "col.credits_money":
		return "Credits, refund", "クレジット・返金"
	case "col.cost":
		return "Cost, credits", "費用（クレジット）"
	case "col.charged_at":
		return "Charged ({1})", "課金時刻（{1}）"
	case "col.trace":
		return "Trace", "トレース"

	case "fact.balance":
		return "Balance, credits", "残高（クレジット）"
	case "fact.opening":
		return "Opening, credits", "期首（クレジット）"
	case "fact.closing":
		return "Closing, credits", "期末（クレジット）"

	case "day.opening":
		return "opening {1}", "期首 {1}"
	case "day.shown":
		return "those shown", "表示分"
	case "day.whole":
		return "whole day:", "一日全体："
	case "day.net":
		return "net", "増減"
	case "day.closing":
		return "closing {1}", "期末 {1}"

	case "totals.label":
		return "Of this filter, credits", "この条件の合計（クレジット）"
	case "totals.many":
		return "There are more entries than are added up at once, or they are not found quickly enough.", "件数が多いか、すぐには見つからないため、合計は自動では計算しません。"
	case "totals.ask":
		return "Add them up", "合計を計算"
	case "totals.failed":
		return "The sums of this filter took too long. Nothing is wrong with the rows; choose an account or a shorter period for their sums.", "この条件の合計は時間内に計算できませんでした。一覧の内容に問題はありません。アカウントか短い期間を指定してください。"
	case "totals.net":
		return "net", "増減"

	case "filter.account":
		return "Account id", "アカウントID"
	case "filter.job":
		return "Job id", "ジョブID"
	case "filter.operation":
		return "Operation id", "操作ID"
	case "filter.rollout":
		return "Rollout", "ロールアウト"
	case "filter.actor":
		return "Actor", "実行者"
	case "filter.min":
		return "Credits from", "クレジット（下限）"
	case "filter.max":
		return "Credits to", "クレジット（上限）"
	case "filter.signed_hint":
		return "With its sign: a charge of 40 is -40", "符号付き：40の課金は -40"
	case "filter.only":
		return "Only", "限定"

	case "period.label":
		return "Period", "期間"
	case "period.any":
		return "All time", "全期間"
	case "period.today":
		return "Today", "今日"
	case "period.yesterday":
		return "Yesterday", "昨日"
	case "period.this_month":
		return "This month", "今月"
	case "period.last_month":
		return "Last month", "先月"
	case "period.custom":
		return "From – to", "期間を指定"
	case "period.from":
		return "From day", "開始日"
	case "period.to":
		return "To day, included", "終了日（当日を含む）"
	case "period.zone_hint":
		return "Whole days in {1}", "{1} の日単位"
	case "period.since":
		return "since {1}", "{1}以降"
	case "period.until":
		return "until {1}", "{1}まで"
	case "period.beginning":
		return "before the first entry", "最初の記帳の前"
	case "period.now":
		return "now", "現在"
	case "period.chip":
		return "{1}, {2}, last day included", "{1}（{2}、終了日を含む）"

	case "what.charge":
		return "{1}, {2} {2|unit|units}", "{1}、{2}単位"
	case "what.refund":
		return "Attempt {1} failed: {2}", "試行{1}が失敗：{2}"
	case "what.refund_code":
		return "Attempt {1} failed: {2}, {3}", "試行{1}が失敗：{2}、{3}"
	case "what.refund_money":
		return "Failed: {1} {2}", "失敗：{1} {2}"
	case "what.refund_canceled":
		return "Canceled before delivery", "納品前に取消"
	case "what.reclaim":
		return "Delivered after its refund", "返金後に納品"
	case "what.grant":
		return "{1}, reference {2}", "{1}、参照 {2}"

	case "what.by":
		return "by {1}", "実行者：{1}"

	case "ledger.title":
		return "Ledger", "台帳"
	case "ledger.say":
		return "Every entry of every account. Entries are only ever added, never changed or removed.", "全アカウントの記帳です。記帳は追加されるだけで、変更も削除もされません。"
	case "ledger.say_period":
		return "Every entry of every account, {1} ({2}, last day included). Entries are only ever added, never changed or removed.", "{1}（{2}、終了日を含む）の全アカウントの記帳です。記帳は追加されるだけで、変更も削除もされません。"
	case "ledger.none":
		return "No entries yet. The first grant or charge makes one.", "記帳はまだありません。最初の付与または課金で作られます。"
	case "ledger.order":
		return "Newest first. Times in {1}.", "新しい順。時刻は{1}。"

	case "accounts.title":
		return "Accounts", "アカウント"
	case "accounts.say":
		return "A balance is the sum of an account’s entries. A negative one refuses new charges until it is topped up.", "残高はアカウントの記帳の合計です。マイナスの間は、補充されるまで新しい課金を受け付けません。"
	case "accounts.query":
		return "Id or name", "IDまたは名前"
	case "accounts.query_hint":
		return "How the id or the name begins", "IDまたは名前の先頭部分"
	case "accounts.negative":
		return "Negative balance", "残高マイナス"
	case "accounts.frozen":
		return "Frozen", "凍結中"
	case "accounts.none":
		return "No accounts yet. The platform creates them through the API.", "アカウントはまだありません。プラットフォームがAPIで作成します。"
	case "accounts.order":
		return "In the order of account ids.", "アカウントID順。"

	case "statement.say":
		return "Balance {1} {1|credit|credits} after {2}. {3} in the chosen period.", "残高は{1}クレジット（全{2}の後）。選択期間は{3}。"
	case "statement.frozen":
		return "Frozen since {1}: it takes no charges.", "{1}から凍結中のため、課金できません。"
	case "statement.frozen_by":
		return "Frozen by {1} on {2}: {3}", "{2}に{1}が凍結：{3}"
	case "statement.say_unread":
		return "Balance {1} {1|credit|credits} after {2}.", "残高は{1}クレジット（全{2}の後）。"
	case "statement.say_negative":
		return "Balance {1} {1|credit|credits}, negative for {2}, since {3}. New charges are refused until it is topped up.", "残高は{1}クレジット。{2}間（{3}から）マイナスです。補充されるまで新しい課金は拒否されます。"
	case "statement.say_inconsistent":
		return "Balance {1} {1|credit|credits}, but the head of the ledger differs from its entries. Charges are refused until it has been put right.", "残高は{1}クレジットですが、台帳の先頭が記帳と一致しません。修復されるまで課金は拒否されます。"
	case "statement.entries":
		return "Statement", "明細"
	case "statement.none":
		return "No entries yet.", "記帳はまだありません。"
	case "statement.jobs":
		return "Recent jobs", "最近のジョブ"
	case "statement.no_jobs":
		return "No jobs yet.", "ジョブはまだありません。"
	case "statement.all_jobs":
		return "All jobs", "すべてのジョブ"
	case "statement.reclaimable":
		return "Refunded, could still be reclaimed", "返金済み・回収の可能性あり"
	case "statement.profile":
		return "Profile", "プロフィール"
	case "statement.no_profile":
		return "The platform has sent no name, plan or attributes.", "名前・プラン・属性は送られていません。"

	case "profile.region":
		return "Region", "地域"
	case "profile.since":
		return "Created", "作成"

	case "grant.open":
		return "Grant credits", "クレジットを付与"
	case "grant.title":
		return "Grant credits to {1}", "{1} にクレジットを付与"
	case "grant.say":
		return "Adds one entry of type grant. It cannot be removed; a mistake is put right by an adjustment.", "付与の記帳を1件追加します。取り消せません。誤りは調整で直します。"
	case "grant.amount_hint":
		return "A whole number above zero", "1以上の整数"
	case "grant.category":
		return "Category", "区分"
	case "grant.reference_hint":
		return "Payment or invoice number, for paid credits", "購入の場合は支払または請求書番号"
	case "grant.submit":
		return "Grant credits", "付与する"

	case "adjust.open":
		return "Adjust", "調整"
	case "adjust.title":
		return "Adjust {1}", "{1} を調整"
	case "adjust.say":
		return "Adds one entry of type adjustment. It may take the balance below zero.", "調整の記帳を1件追加します。残高がマイナスになることもあります。"
	case "adjust.amount_hint":
		return "A whole number, with a minus to take credits away", "整数。減らす場合はマイナスを付けます"
	case "adjust.submit":
		return "Adjust balance", "調整する"

	case "freeze.open":
		return "Freeze", "凍結"
	case "freeze.title":
		return "Freeze {1}", "{1} を凍結"
	case "freeze.say":
		return "While it is frozen no new charge is accepted. Jobs already charged go on; refunds and reclaims are still made.", "凍結中は新しい課金を受け付けません。課金済みのジョブは続き、返金と回収も行われます。"
	case "freeze.submit":
		return "Freeze account", "凍結する"
	case "unfreeze.open":
		return "Unfreeze", "凍結を解除"
	case "unfreeze.title":
		return "Unfreeze {1}", "{1} の凍結を解除"
	case "unfreeze.say":
		return "New charges are accepted again from now on.", "今後、新しい課金を再び受け付けます。"
	case "unfreeze.submit":
		return "Unfreeze account", "凍結を解除する"
	}
	return "", ""
}
