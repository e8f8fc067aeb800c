package text

// forms holds the words that action forms share, and the forms about jobs and dead letters.
func forms(key string) (en, ja string) {
	switch key {
	case "form.amount":
		return "Credits", "クレジット"
	case "form.reason":
		return "Reason", "理由"
	case "form.note":
		return "Note", "メモ"
	case "form.reason_kept":
		return "Kept with your name in the history", "あなたの名前とともに履歴に残ります"
	case "form.reference":
		return "External reference", "外部参照番号"
	case "form.plus_amount":
		return "{1} and the amount below", "{1}に下の数量を加算"

	case "requeue.open":
		return "Requeue", "再投入"
	case "requeue.title":
		return "Requeue {1}", "{1} を再投入"
	case "requeue.say":
		return "{1} does not pay now. Only if the job succeeds {2|is|are} {2} {2|credit|credits} taken back, once. If it fails again it costs nothing.", "{1}への課金は今は行われません。成功した場合にだけ{2}クレジットを一度回収します。再び失敗しても費用はかかりません。"
	case "requeue.held":
		return "Its action is held back: put back, the job waits for it", "アクションの実行が抑えられているため、再投入しても待機します"
	case "requeue.frozen":
		return "{1} is frozen. A job that was charged before is worked on all the same; a bulk requeue would leave it out.", "{1}は凍結中です。課金済みのジョブは凍結中でも処理されます。一括再投入では対象外になります。"
	case "requeue.say_paid":
		return "{1} was charged {2} {2|credit|credits} and not refunded. Requeueing charges nothing more.", "{1}には{2}クレジットが課金済みで、返金されていません。再投入による追加の課金はありません。"
	case "requeue.next_attempt":
		return "Next attempt", "次の試行"
	case "requeue.pays_now":
		return "Customer pays now, credits", "今の支払い（クレジット）"
	case "requeue.dependency":
		return "The job depends on {1}.", "このジョブは {1} に依存しています。"
	case "requeue.external":
		return "No worker gets this job: its caller runs it. Tell them to try it again; until they report, it is open, and if they do not before the time limit of the job, it dies again.", "このジョブはワーカーには渡されず、呼び出し元が実行します。再実行するよう連絡してください。報告があるまで未完了のままで、ジョブの期限までに報告がなければ再び停止します。"
	case "requeue.when":
		return "When", "実行時期"
	case "requeue.now":
		return "Now", "今すぐ"
	case "requeue.at":
		return "At a time", "日時を指定"
	case "requeue.at_time":
		return "Time", "日時"
	case "requeue.at_hint":
		return "In {1}; used when “At a time” is chosen", "{1}の時刻。「日時を指定」を選んだときに使われます"
	case "requeue.submit":
		return "Requeue job", "再投入する"

	case "discard.open":
		return "Discard", "破棄"
	case "discard.title":
		return "Discard {1}", "{1} を破棄"
	case "discard.say":
		return "The refund stands: {1} keeps the {2} {2|credit|credits}. The job is not tried again; it can be reopened. Should the work still arrive, {2|the credit is|the credits are} taken back, once.", "返金はそのままで、{1}は{2}クレジットを保持します。再試行はされませんが、再開できます。後から納品された場合は一度だけ回収します。"
	case "discard.say_paid":
		return "{1} was charged {2} {2|credit|credits} and not refunded. Discarding moves no money.", "{1}には{2}クレジットが課金済みで、返金されていません。破棄しても金額は動きません。"
	case "discard.choose":
		return "Choose a reason", "理由を選択"
	case "discard.submit":
		return "Discard job", "破棄する"
	case "reason.customer_asked":
		return "The customer no longer wants it", "お客様が不要と回答"
	case "reason.bad_input":
		return "The input cannot be processed", "入力データを処理できない"
	case "reason.unsupported":
		return "Not supported", "対象外"
	case "reason.duplicate":
		return "Done under another job", "別のジョブで実施済み"
	case "reason.too_old":
		return "Too old to be of use", "古くなり不要"
	case "reason.other":
		return "Other, see the note", "その他（メモ参照）"

	case "reopen.open":
		return "Reopen", "再開"
	case "reopen.title":
		return "Reopen {1}", "{1} を再開"
	case "reopen.say":
		return "The job of {1} returns to “Needs review”. No money moves and nothing is tried until you requeue it.", "{1}のジョブを「要確認」に戻します。金額は動かず、再投入するまで試行もされません。"
	case "reopen.submit":
		return "Reopen job", "再開する"

	case "cancel.open":
		return "Cancel job", "ジョブを取り消す"
	case "cancel.title":
		return "Cancel {1}", "{1} を取り消す"
	case "cancel.say":
		return "{2} gets {1} {1|credit|credits} back, once. Should the work still arrive, {1|it is|they are} taken back, once.", "{2}に{1}クレジットを一度だけ返金します。後から納品された場合は一度だけ回収します。"
	case "cancel.say_refunded":
		return "{1} has the credits back already; canceling moves no money. Should the work still arrive, they are taken back, once.", "{1}には返金済みのため、金額は動きません。後から納品された場合は一度だけ回収します。"
	case "cancel.submit":
		return "Cancel job", "取り消す"
	}
	return "", ""
}
