package text

// settlements holds the pages of settlements, their forms and what leads to them.
func settlements(key string) (en, ja string) {
	switch key {
	case "settlements.title":
		return "Settlements", "精算"
	case "settlements.say":
		return "What charges under a candidate price cost more or less than the baseline is put right, once a job. Nothing that was charged is changed.", "候補の価格での課金とベースラインとの差額を、ジョブごとに一度だけ調整します。課金そのものは変更しません。"
	case "settlements.new":
		return "Propose a settlement", "精算を提案"
	case "settlements.none":
		return "No settlement has been proposed yet.", "精算はまだ提案されていません。"
	case "settlement.id":
		return "Settlement", "精算"
	case "settlement.of":
		return "Settlement of {1}", "{1}の精算"
	case "settlement.supplement":
		return "Supplement", "追補"
	case "settlement.way":
		return "Paid", "支払い方法"
	case "settlement.by":
		return "Proposed by", "提案者"
	case "settlement.accounts":
		return "Accounts", "アカウント数"
	case "settlement.jobs":
		return "Jobs", "ジョブ数"
	case "settlement.charged":
		return "Charged", "課金額"
	case "settlement.baseline":
		return "Under the baseline", "ベースラインでの額"
	case "settlement.amount":
		return "Difference, credits", "差額（クレジット）"
	case "settlement.balance":
		return "Balance → then", "残高 → 精算後"
	case "settlement.charged_at":
		return "Charged ({1})", "課金日時（{1}）"
	case "settlement.units":
		return "Units", "数量"
	case "settlement.credits":
		return "To customers", "お客様へ"
	case "settlement.debits":
		return "From customers", "お客様から"
	case "settlement.paid":
		return "Paid jobs", "支払済みジョブ"
	case "settlement.excluded":
		return "Left out", "対象外"
	case "settlement.paid_credits":
		return "Paid, credits", "支払額（クレジット）"

	case "settlement.new_say":
		return "What it holds now is frozen when you propose it. A second person approves exactly that; then each job is paid once.", "提案時点の内容が固定され、別の担当者がその内容を承認します。承認後、ジョブごとに一度だけ支払われます。"
	case "settlement.submit":
		return "Propose to a second person", "二人目に提案"
	case "settlement.edit_title":
		return "Edit the proposal", "提案を編集"
	case "settlement.edit":
		return "Edit", "編集"
	case "settlement.no_rollout":
		return "No rollout has charged anybody yet: there is nothing to settle.", "課金を行ったロールアウトがまだないため、精算の対象がありません。"
	case "settlement.sign":
		return "Which differences", "対象の差額"
	case "settle_sign.credits":
		return "Credits to customers who paid more", "多く支払ったお客様への返却"
	case "settle_sign.debits":
		return "Debits from customers who paid less", "少なく支払ったお客様からの徴収"
	case "settle_sign.both":
		return "Both", "両方"
	case "settle_way.ledger":
		return "In the ledger", "台帳で"
	case "settle_way.outside":
		return "Outside, by a document", "外部の文書で"
	case "settlement.narrow":
		return "Only a part of it", "対象を絞る"
	case "settlement.from":
		return "Charged from day", "課金日（開始）"
	case "settlement.to":
		return "Charged to day, included", "課金日（終了、当日を含む）"
	case "settlement.minimum":
		return "At least, credits an account", "アカウントごとの最小額（クレジット）"
	case "settlement.minimum_hint":
		return "Accounts whose differences come to less are left for later", "差額の合計がこれに満たないアカウントは対象外とし、後で提案できます"
	case "settlement.only":
		return "Only these accounts", "対象アカウントの限定"
	case "settlement.only_hint":
		return "Ids, separated by commas or lines; empty for all", "IDをカンマまたは改行で区切って入力。空欄はすべて"
	case "settlement.reason_hint":
		return "The reason of every adjustment, as the customer’s statement shows it", "各調整の理由として明細に表示されます"
	case "settlement.preview":
		return "Show what it would hold", "内容を表示"
	case "settlement.preview_title":
		return "What it would hold now", "現時点の対象"
	case "settlement.preview_wait":
		return "Choose a rollout to see its charges.", "ロールアウトを選ぶと対象の課金が表示されます。"
	case "settlement.preview_say":
		return "{1} of {2}: charged {3} {3|credit|credits}, {4} under the baseline.", "{2}の{1}：課金額{3}クレジット、ベースラインでは{4}クレジットです。"
	case "settlement.preview_nothing":
		return "No delivered charge is left that this proposal could hold.", "この条件で提案できる納品済みの課金はありません。"
	case "settlement.preview_frozen":
		return "Frozen accounts take no payment and will be left out: {1}.", "凍結中のアカウントには支払えず、対象外となります：{1}"
	case "settlement.preview_debits":
		return "The other sign: {1} could be proposed as debits.", "反対の差額：{1}が徴収として提案できます。"
	case "settlement.preview_credits":
		return "The other sign: {1} could be proposed as credits.", "反対の差額：{1}が返却として提案できます。"
	case "settlement.preview_outside":
		return "No balance changes: the payment is left to another system.", "残高は変わりません。支払いは外部のシステムで行います。"
	case "settlement.preview_more":
		return "The {1} largest of {2} {2|account|accounts} are listed.", "{2}アカウントのうち差額の大きい{1}件を表示しています。"

	case "settlement.say_proposed":
		return "{1} proposed it. Nothing is paid before a second person has approved it, until {2}.", "{1}が提案しました。{2}までに二人目が承認するまで、何も支払われません。"
	case "settlement.say_void":
		return "It will not be paid. Its charges may be proposed again.", "支払われません。対象の課金は再び提案できます。"
	case "settlement.say_waiting":
		return "It is approved and waits for a worker.", "承認済みで、ワーカーの処理を待っています。"
	case "settlement.say_paying":
		return "It is being paid: {1} of {2} {2|job|jobs}. Each is there once it is paid; a stop in between loses nothing.", "支払い中です（{2}件中{1}件）。支払われた分はその時点で確定し、途中で止まっても失われません。"
	case "settlement.say_stopped":
		return "Its payment came to a stop after {1} of {2} {2|job|jobs}. What was paid stays; take it up again for the rest.", "支払いが{2}件中{1}件で止まりました。支払済みの分はそのままです。残りは再開してください。"
	case "settlement.say_approved":
		return "It is approved, to be settled outside. Take the file, bill it there, and then name the document here: from then on each job counts as paid.", "外部で精算することが承認されています。ファイルを取得して外部で処理し、その文書をここに記録してください。記録後、各ジョブは支払済みになります。"
	case "settlement.say_done":
		return "{1} {1|job was|jobs were} paid, {2} {2|was|were} left out. Finished {3}.", "{1}件を支払い、{2}件を対象外としました（{3}完了）。"
	case "settlement.say_outside":
		return "{1} {1|job was|jobs were} settled outside by {2}, {3} {3|was|were} left out. Finished {4}.", "{1}件を外部の{2}で精算し、{3}件を対象外としました（{4}完了）。"
	case "settlement.failed":
		return "The worker gave up after several tries.", "ワーカーが数回の試行の後に中断しました。"
	case "settlement.hint":
		return "{1} of this rollout could be proposed now: delivered since, outside of its filter, or left out.", "このロールアウトの{1}を新たに提案できます（その後の納品分、条件外の分、対象外の分）。"
	case "settlement.propose_supplement":
		return "Propose a supplement", "追補を提案"
	case "settlement.progress":
		return "Progress", "進捗"
	case "settlement.look_again":
		return "Look again", "再表示"
	case "settlement.per_account":
		return "Accounts of this settlement", "精算のアカウント"
	case "settlement.its_jobs":
		return "Jobs of {1}", "{1}のジョブ"
	case "settlement.totals":
		return "Of this filter", "この条件の合計"
	case "settlement.no_lines":
		return "This settlement holds no account.", "この精算にアカウントはありません。"
	case "settlement.order":
		return "Largest differences first", "差額の大きい順"
	case "settlement.more_jobs":
		return "Only the first jobs are listed. All of them are in the file:", "最初のジョブのみ表示しています。すべてはファイルにあります："
	case "settlement.export":
		return "CSV", "CSV"
	case "settlement.export_say":
		return "All jobs, with operation and rollout; times in {1}", "全ジョブ（操作・ロールアウト付き）、時刻は{1}"
	case "settlement.about":
		return "About it", "詳細"
	case "settlement.rules":
		return "Compared", "比較"
	case "settlement.period":
		return "Charged", "課金期間"
	case "settlement.request":
		return "Change request", "変更申請"
	case "settlement.digest":
		return "Digest of all figures", "全数値のダイジェスト"
	case "settlement.reference":
		return "Document outside", "外部の文書"
	case "settlement.entry":
		return "entry {1}", "記帳{1}"
	case "settlement.resume":
		return "Take it up again", "再開"
	case "settlement.resume_say":
		return "A new task pays what is left. What was paid is not paid again.", "新しいタスクが残りを支払います。支払済みの分が再度支払われることはありません。"
	case "settlement.left":
		return "Jobs left", "残りのジョブ"

	case "outside.title":
		return "Settled outside", "外部で精算済みにする"
	case "outside.open":
		return "Name the document", "文書を記録"
	case "outside.say":
		return "Every job of this settlement counts as paid by the document you name, for good: no other settlement will pay it. No entry is made and no balance changes.", "この精算のすべてのジョブが、記録した文書により支払済みとなり、ほかの精算で支払われることはありません。取り消しはできません。記帳は行われず、残高も変わりません。"
	case "outside.reference":
		return "Reference of the document", "文書の番号"
	case "outside.reference_hint":
		return "Number of the invoice or credit note", "請求書またはクレジットノートの番号"
	case "outside.submit":
		return "Mark as settled outside", "外部精算済みにする"

	case "settle.say":
		return "{1} {1|delivered charge was|delivered charges were} priced by the candidate: {2} paid back or settled, {3} in a settlement that is under way, {4} still to be settled.", "納品済みの課金{1}件に候補の価格が適用されました。精算済み{2}件、精算手続き中{3}件、未精算{4}件です。"
	case "settle.say_completed":
		return "{1} {1|delivered charge was|delivered charges were} priced by the candidate before it became the price of all. Nothing is owed for them.", "候補が全員の価格になる前に、納品済みの課金{1}件に候補の価格が適用されました。精算の必要はありません。"
	case "settle.say_even":
		return "{1} {1|delivered charge was|delivered charges were} priced by the candidate; every one that differs from the baseline is settled or in a settlement.", "納品済みの課金{1}件に候補の価格が適用されました。ベースラインと差のあるものはすべて精算済み、または精算手続き中です。"
	case "settle.list":
		return "Its settlements", "精算の一覧"

	case "count.charges.one":
		return "{1} charge", "課金{1}件"
	case "count.charges.other":
		return "{1} charges", "課金{1}件"
	case "count.settled_accounts.one":
		return "{1} account", "{1}アカウント"
	case "count.settled_accounts.other":
		return "{1} accounts", "{1}アカウント"

	case "state.left_out":
		return "Left out", "対象外"
	case "state.paid":
		return "Paid", "支払済み"
	case "state.partly_paid":
		return "Partly paid", "一部支払済み"
	case "why.account_frozen":
		return "The account was frozen.", "アカウントが凍結されていました。"
	case "why.account_inconsistent":
		return "The head of its ledger differed from its entries.", "台帳の先頭が記帳と一致しませんでした。"
	case "why.amount_overflow":
		return "Its balance would have grown beyond what can be counted.", "残高が扱える範囲を超えるためです。"
	case "why.paid_before":
		return "Another settlement had paid it.", "別の精算で支払済みでした。"

	case "approval.kind.settlement":
		return "Settlement", "精算"
	case "approval.settlement":
		return "Settlement of {1} {1|credit|credits}", "{1}クレジットの精算"
	case "kind.settlement":
		return "Proposal of a settlement", "精算の提案"
	case "kind.settlement_payment":
		return "Payment of a settlement", "精算の支払い"
	case "kind.settlement_pay":
		return "Payments of a settlement", "精算の支払い（まとめ）"
	case "kind.settlement_exclude":
		return "Jobs left out of a settlement", "精算の対象外"
	case "kind.finish_settlement":
		return "End of a settlement", "精算の完了"
	case "kind.resume_settlement":
		return "Settlement taken up again", "精算の再開"
	case "kind.settle_outside":
		return "Settled outside", "外部で精算"
	case "done.settle_outside":
		return "The jobs count as settled outside.", "外部で精算済みとして記録しました。"
	case "done.resume_settlement":
		return "The settlement is being paid again.", "精算の支払いを再開しました。"
	case "conflict.settlement":
		return "Too late: the settlement is in another state by now.", "精算の状態がすでに変わっているため、実行できません。"
	case "fault.settlement_not_found":
		return "There is no such settlement.", "精算が見つかりません。"
	case "fault.nothing_to_settle":
		return "No delivered charge is left that this settlement could hold. Nothing was proposed.", "この条件で精算できる納品済みの課金はありません。提案は行われていません。"
	case "fault.settlement_too_large":
		return "These are more charges than one settlement holds. Choose a shorter period; the others are for the next one.", "一件の精算で扱える件数を超えています。期間を短くしてください。残りは次の精算で扱えます。"
	case "fault.settlement_damaged":
		return "The charges stored for this settlement are not those that were proposed. Nothing was paid; report it to the engineers.", "保存されている対象が提案時の内容と一致しません。何も支払われていません。開発者に報告してください。"
	case "did.settle":
		return "Settled", "精算"
	case "settled.propose":
		return "Proposed", "提案"
	case "settled.approve":
		return "Approved", "承認"
	case "settled.reject":
		return "Rejected", "却下"
	case "settled.withdraw":
		return "Withdrawn", "取り下げ"
	case "settled.edit":
		return "Replaced by an edit", "編集により差し替え"
	case "settled.settlement":
		return "Payment begun", "支払い開始"
	case "settled.finish_settlement":
		return "Paid", "支払い完了"
	case "settled.resume_settlement":
		return "Payment taken up again", "支払い再開"
	case "settled.settle_outside":
		return "Settled outside", "外部で精算"
	case "settled.export":
		return "File taken", "ファイル取得"
	case "nav.settlements":
		return "Settlements", "精算"
	case "problem.must be later than from":
		return "Must not be before the first day", "開始日より前にはできません"
	case "problem.must be at most 1000":
		return "At most 1,000 accounts", "1,000アカウントまでにしてください"
	}
	return "", ""
}
