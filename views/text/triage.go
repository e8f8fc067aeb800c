package text

// triage holds what people see and do of dead letters: the list, groups, who takes care, notes and undo.
func triage(key string) (en, ja string) {
	switch key {
	case "tab.mine":
		return "Mine", "自分の担当"
	case "tab.snoozed":
		return "Snoozed", "スヌーズ中"
	case "tab.resolved":
		return "Resolved", "解決済み"
	case "dead.say_mine":
		return "Dead letters that you take care of, those out of sight included.", "あなたが担当しているデッドレターです。スヌーズ中のものも含みます。"
	case "dead.say_snoozed":
		return "Out of sight until their time comes, or until their group is back. They are still open.", "指定の時刻まで、またはグループが戻るまで一覧から外しています。未解決のままです。"
	case "dead.say_resolved":
		return "Dead letters that were requeued, discarded, canceled or delivered after all. A discarded one can be reopened.", "再投入、破棄、取消、または遅れて納品されたデッドレターです。破棄したものは再開できます。"
	case "dead.none_mine":
		return "You take care of no open dead letter.", "担当している未解決のデッドレターはありません。"
	case "dead.none_snoozed":
		return "Nothing is snoozed.", "スヌーズ中のものはありません。"
	case "dead.none_resolved":
		return "Nothing was resolved yet.", "解決済みのものはまだありません。"
	case "col.closed":
		return "Closed ({1})", "終了時刻（{1}）"

	case "dead.delivered_after":
		return "Delivered after all", "その後に納品"
	case "dead.was_discarded":
		return "Had been discarded", "破棄済みでした"

	case "dead.open":
		return "Open", "未解決"
	case "dead.open_note":
		return "snoozed ones included", "スヌーズ中を含む"
	case "dead.refunded":
		return "Refunded, credits", "返金済み（クレジット）"
	case "dead.refunded_note":
		return "the customers have them back", "お客様に返還済み"
	case "dead.charged":
		return "Not refunded, credits", "未返金（クレジット）"
	case "dead.charged_note":
		return "must be 0", "0であるべき値"
	case "dead.oldest":
		return "Oldest", "最も古いもの"
	case "dead.no_oldest":
		return "None", "なし"
	case "dead.inflow":
		return "Inflow", "新規"
	case "dead.inflow_note":
		return "jobs in the last hour", "直近1時間のジョブ"
	case "state.mismatch":
		return "Not refunded", "未返金"
	case "state.requeued":
		return "Requeued", "再投入済み"
	case "state.snoozed":
		return "Snoozed", "スヌーズ中"
	case "state.resolved":
		return "Resolved", "解決済み"
	case "state.returned":
		return "Returned", "再発"

	case "dead.account":
		return "Account id or name", "アカウントIDまたは名前"
	case "dead.account_hint":
		return "The whole id, or how the name begins", "IDの全体、または名前の先頭"
	case "dead.dependency":
		return "Dependency", "依存先"
	case "dead.version":
		return "Worker version", "ワーカーのバージョン"
	case "dead.assignee":
		return "Assignee", "担当者"
	case "dead.action_assignee":
		return "Action, assignee", "アクション・担当者"
	case "dead.min":
		return "At least, credits", "下限（クレジット）"
	case "dead.max":
		return "At most, credits", "上限（クレジット）"
	case "dead.within":
		return "Died within", "停止からの期間"
	case "dead.group":
		return "Group", "グループ"
	case "dead.group_of":
		return "Group of equal deaths: {1}", "同じ原因のグループ：{1}"
	case "dead.with_group":
		return "snoozed with its group", "グループごとスヌーズ中"
	case "dead.until":
		return "snoozed until {1}", "{1}までスヌーズ"
	case "within.1h":
		return "1 hour", "1時間以内"
	case "within.24h":
		return "24 hours", "24時間以内"
	case "within.7d":
		return "7 days", "7日以内"
	case "assignee.me":
		return "Me", "自分"
	case "problem.many_accounts":
		return "More than 200 accounts begin so. Type more of the name, or the id.", "該当するアカウントが200件を超えます。名前をさらに入力するか、IDを指定してください。"

	case "fresh.count.one":
		return "{1} new: show", "新着{1}件を表示"
	case "fresh.count.other":
		return "{1} new: show", "新着{1}件を表示"
	case "fresh.many":
		return "{1} or more new: show", "新着{1}件以上を表示"

	case "late.too_late":
		return "Came after", "到着時の状態"
	case "late.reclaimed":
		return "Reclaimed, balance then", "回収・直後の残高"
	case "dead.attempts":
		return "Attempts: {1}", "試行回数：{1}"
	case "late.result":
		return "Result, deliveries", "成果物・納品回数"
	case "late.deliveries.one":
		return "delivered {1} time", "{1}回納品"
	case "late.deliveries.other":
		return "delivered {1} times", "{1}回納品"

	case "assign.take":
		return "Take", "担当する"
	case "assign.take_title":
		return "Take {1}", "{1} を担当する"
	case "assign.release":
		return "Release", "手放す"
	case "assign.release_title":
		return "Release {1}", "{1} を手放す"
	case "assign.title":
		return "Assign {1}", "{1} の担当者"
	case "assign.submit":
		return "Assign", "割り当てる"
	case "snooze.open":
		return "Snooze", "スヌーズ"
	case "snooze.title":
		return "Snooze {1} until {2}", "{1} を{2}までスヌーズ"
	case "snooze.retry":
		return "Snooze {1}", "{1} をスヌーズ"
	case "snooze.wake":
		return "Wake", "戻す"
	case "snooze.wake_title":
		return "Bring {1} back now", "{1} を今すぐ戻す"
	case "snooze.wake_alone":
		return "Bring {1} back now; the rest of its group stays snoozed", "{1} だけを今すぐ戻す（グループの残りはスヌーズのまま）"
	case "snooze.until":
		return "Until", "いつまで"
	case "snooze.submit":
		return "Snooze", "スヌーズする"
	case "snooze.now":
		return "Back in sight now", "今すぐ戻す"
	case "snooze.hour":
		return "For an hour, until {1}", "1時間（{1}まで）"
	case "snooze.tomorrow":
		return "Until tomorrow, {1}", "明日まで（{1}）"
	case "snooze.days":
		return "For three days, until {1}", "3日間（{1}まで）"
	case "snooze.week":
		return "For a week, until {1}", "1週間（{1}まで）"
	case "snooze.month":
		return "For 30 days, until {1}", "30日間（{1}まで）"
	case "note.title":
		return "Note on {1}", "{1} へのメモ"
	case "note.say":
		return "It stands in the timeline of the job for everybody who can see it. It can be withdrawn, not changed.", "ジョブの経過に残り、閲覧できる全員に表示されます。撤回はできますが変更はできません。"
	case "note.label":
		return "Note", "メモ"
	case "note.submit":
		return "Add note", "メモを追加"
	case "undo.open":
		return "Undo", "元に戻す"

	case "triage.title":
		return "Who takes care", "担当"
	case "triage.group":
		return "Group of equal deaths", "同じ原因のグループ"
	case "triage.nobody":
		return "Nobody", "なし"
	case "triage.snoozed":
		return "Snoozed until", "スヌーズ"
	case "triage.not_snoozed":
		return "Not snoozed", "していません"

	case "done.assigned":
		return "{1} was assigned to {2}.", "{1} を{2}に割り当てました。"
	case "done.released":
		return "Nobody takes care of {1} any more.", "{1} の担当を外しました。"
	case "done.snoozed":
		return "{1} is snoozed until {2}.", "{1} を{2}までスヌーズしました。"
	case "done.woken":
		return "{1} is back in sight.", "{1} を一覧に戻しました。"
	case "done.noted":
		return "A note was added to {1}.", "{1} にメモを追加しました。"
	case "done.undone":
		return "Undone: {1} is as it was before.", "元に戻しました：{1}"
	case "done.recover":
		return "The job was recovered by hand.", "ジョブを手動で回復しました。"
	case "done.group_note":
		return "The note was saved.", "メモを保存しました。"
	case "done.group_snooze":
		return "The group is snoozed.", "グループをスヌーズしました。"
	case "done.group_resolve":
		return "The group is resolved. If jobs die of it again, it is marked as returned.", "グループを解決済みにしました。再びジョブが停止すると「再発」と表示されます。"
	case "done.group_reopen":
		return "The group is open again.", "グループを未解決に戻しました。"

	case "conflict.died_again":
		return "Too late: the job was put back meanwhile and has died again. What you looked at is over; it is in generation {1} now.", "先に再投入され、再び停止しています。ご覧になっていた停止は処理済みで、現在は世代{1}です。"
	case "conflict.generation":
		return "{1} It is in generation {2} now.", "{1}現在は世代{2}です。"
	case "conflict.by":
		return "By {1}, {2}.", "{1}（{2}）"
	case "conflict.assigned":
		return "Somebody else has taken it meanwhile.", "先にほかの人が担当になりました。"
	case "conflict.unassigned":
		return "It was released meanwhile.", "先に担当が外されました。"
	case "conflict.snoozed":
		return "It was snoozed meanwhile.", "先にスヌーズされました。"
	case "conflict.woken":
		return "It was brought back meanwhile.", "先に一覧へ戻されました。"
	case "conflict.withdrawn":
		return "The note was withdrawn before.", "メモはすでに撤回されています。"
	case "conflict.requeued":
		return "Too late: the job was requeued meanwhile.", "すでに再投入されているため、実行できません。"
	case "conflict.not_dead":
		return "The job is no dead letter.", "このジョブはデッドレターではありません。"
	case "conflict.open":
		return "The group was changed meanwhile.", "先にグループが変更されました。"
	case "conflict.resolved":
		return "The group was changed meanwhile and is resolved now.", "先にグループが変更され、現在は解決済みです。"
	case "conflict.group_note":
		return "The group was changed meanwhile. Nothing of yours was kept yet: look at what stands there now, and save what you still want.", "先にグループが変更されました。入力内容はまだ保存されていません。現在の内容を確認し、必要な部分を保存してください。"
	case "groups.note_stands":
		return "The note that stands there now", "現在のメモ"
	case "problem.must be somebody who may take care of dead letters":
		return "Choose somebody whose role takes care of dead letters.", "デッドレターを担当できる役割の人を選んでください。"
	case "problem.must be a member of the staff":
		return "Please choose somebody of the staff.", "担当者を選択してください。"
	case "problem.must be ahead, by a year at most":
		return "A time ahead, by a year at most.", "1年以内の未来の日時を指定してください。"
	case "problem.must be valid text of at most 2000 characters":
		return "At most 2,000 characters.", "2,000文字以内で入力してください。"
	case "problem.must be an http or https address":
		return "An address that begins with https://", "https:// で始まるアドレスを入力してください。"
	case "problem.needs a time or a number of deaths":
		return "Choose a time, or a number of further deaths.", "日時、または件数を指定してください。"
	case "problem.must be 1 to 1000000":
		return "1 to 1,000,000.", "1〜1,000,000の整数を入力してください。"
	case "fault.group_not_found":
		return "There is no such group.", "このグループはありません。"

	case "groups.title":
		return "Groups", "グループ"
	case "groups.say":
		return "Jobs that died of the same: action, reason code, dependency and message, whatever numbers, ids and times stand in it.", "同じ原因で停止したジョブをまとめています。アクション、理由コード、依存先、メッセージ（数値・ID・時刻の違いは無視）が同じものです。"
	case "groups.views":
		return "Groups by state", "状態別のグループ"
	case "groupview.open":
		return "Open", "未解決"
	case "groupview.snoozed":
		return "Snoozed", "スヌーズ中"
	case "groupview.resolved":
		return "Resolved", "解決済み"
	case "groupview.all":
		return "All", "すべて"
	case "groups.none":
		return "No groups here.", "グループはありません。"
	case "groups.order":
		return "Most open first. Times in {1}. Keys: j, k, Enter.", "未解決の多い順。時刻は{1}。キー：j、k、Enter。"
	case "groups.order_newest":
		return "Newest first. Times in {1}. Keys: j, k, Enter.", "新しい順。時刻は{1}。キー：j、k、Enter。"
	case "groups.what":
		return "Message, reason code", "メッセージ・理由コード"
	case "groups.no_message":
		return "No message", "メッセージなし"
	case "groups.open":
		return "Open dead letters", "未解決の件数"
	case "groups.accounts":
		return "Accounts", "アカウント数"
	case "groups.refunded":
		return "Refunded, credits", "返金済み（クレジット）"
	case "groups.charged":
		return "{1} not refunded", "未返金 {1}"
	case "groups.trend":
		return "Last 7 days", "直近7日間"
	case "groups.trend_label.one":
		return "{1} death in the last 7 days", "直近7日間に{1}件"
	case "groups.trend_label.other":
		return "{1} deaths in the last 7 days", "直近7日間に{1}件"
	case "groups.last":
		return "Last, first ({1})", "最後・最初（{1}）"
	case "groups.since":
		return "since {1}", "{1}から"
	case "groups.first":
		return "First seen", "最初"
	case "groups.last_seen":
		return "Last seen", "最後"
	case "count.open_letters.one":
		return "{1} open dead letter", "未解決{1}件"
	case "count.open_letters.other":
		return "{1} open dead letters", "未解決{1}件"
	case "groups.say_open":
		return "{1} of {2}. What you write here is seen by everybody who looks at one of them.", "{1}（{2}）。ここに書いた内容は、これらを見る全員に表示されます。"
	case "groups.say_resolved":
		return "Resolved on {1}. No job has died of it since.", "{1}に解決済み。以後、同じ原因で停止したジョブはありません。"
	case "groups.say_returned":
		return "Resolved on {1}, and back: the last job died of it on {2}.", "{1}に解決済みでしたが再発しました。最後の停止は{2}です。"
	case "groups.say_until":
		return "Snoozed until {1}.", "{1}までスヌーズ中です。"
	case "groups.say_more":
		return "Snoozed until {1} {1|more job dies|more jobs die} of it.", "さらに{1}件停止するまでスヌーズ中です。"
	case "groups.say_both":
		return "Snoozed until {1}, or until {2} {2|more job dies|more jobs die} of it.", "{1}まで、またはさらに{2}件停止するまでスヌーズ中です。"
	case "groups.trend_title":
		return "Deaths by six hours", "6時間ごとの停止件数"
	case "groups.trend_say":
		return "last 7 days, whatever became of them", "直近7日間（その後の状態を問わない）"
	case "groups.trend_table":
		return "As a table", "表で見る"
	case "groups.step":
		return "From ({1})", "開始（{1}）"
	case "groups.deaths":
		return "Deaths", "停止"
	case "groups.samples":
		return "Latest open dead letters", "最新の未解決デッドレター"
	case "groups.all_open":
		return "All open ones", "未解決をすべて見る"
	case "groups.no_open":
		return "None is open.", "未解決のものはありません。"
	case "groups.note_title":
		return "Shared note", "共有メモ"
	case "groups.note_none":
		return "Nobody has written what is known about it yet.", "まだ何も書かれていません。"
	case "groups.note_edit":
		return "Write or change the note", "メモを書く・変更する"
	case "groups.note_hint":
		return "What is known, and what to do", "わかっていること、対応方法"
	case "groups.note_submit":
		return "Save note", "メモを保存"
	case "groups.link":
		return "Link, such as a status page", "リンク（ステータスページなど）"
	case "groups.facts":
		return "What is equal", "共通点"
	case "groups.no_dependency":
		return "None", "なし"
	case "groups.fingerprint":
		return "Fingerprint", "フィンガープリント"
	case "groups.versions":
		return "Worker versions", "ワーカーのバージョン"
	case "groups.no_version":
		return "Not known", "不明"
	case "groups.most_accounts":
		return "Accounts with most", "件数の多いアカウント"
	case "groups.act":
		return "Work on them", "対応する"
	case "groups.resolve":
		return "Mark as resolved", "解決済みにする"
	case "groups.resolve_title":
		return "Mark the group as resolved", "グループを解決済みにする"
	case "groups.resolve_say":
		return "Says that the cause is put right. Open dead letters stay open until they are requeued or discarded. If a job dies of it again, the group is marked as returned.", "原因が解消したことを記録します。未解決のデッドレターは再投入または破棄するまで残ります。再び停止すると「再発」と表示されます。"
	case "groups.reopen":
		return "Not resolved after all", "未解決に戻す"
	case "groups.snooze_title":
		return "Snooze the group", "グループをスヌーズする"
	case "groups.snooze_say":
		return "Its dead letters, also those to come, leave “Needs review” until then. Nothing else changes.", "今後のものも含め、それまで「要確認」から外れます。ほかは変わりません。"
	case "groups.more":
		return "Or until so many more deaths", "またはさらに停止する件数"
	case "groups.more_hint":
		return "Left empty: only the time counts", "空欄なら日時だけで判断します"
	case "groups.only_more":
		return "No time: only the number below", "日時なし（下の件数だけ）"

	case "recover.open":
		return "Recovered by hand", "手動で回復"
	case "recover.title":
		return "Recover {1} by hand", "{1} を手動で回復"
	case "recover.say":
		return "Only if the result exists: {1} has it and pays the {2} {2|credit|credits}, once. The refund is taken back now.", "成果物が存在する場合だけ実行してください。{1}は成果物を受け取り、{2}クレジットを一度だけ支払います。返金は今回収されます。"
	case "recover.say_paid":
		return "Only if the result exists: {1} has it. The {2} {2|credit was|credits were} not refunded, so no money moves.", "成果物が存在する場合だけ実行してください。{1}は成果物を受け取ります。{2}クレジットは返金されていないため、金額は動きません。"
	case "recover.balance":
		return "Balance, credits", "残高（クレジット）"
	case "recover.result":
		return "Result", "成果物"
	case "recover.hint":
		return "Where it is, such as its address in the store", "保存先のアドレスなど"
	case "recover.submit":
		return "Recover job", "回復する"
	case "recover.now":
		return "{1} {1|credit was|credits were} taken back; the balance after that: {2}.", "{1}クレジットを回収しました。直後の残高：{2}。"
	case "did.recover":
		return "Recovered by hand", "手動で回復"
	case "edit.form":
		return "Requeue with an edited payload", "ペイロードを編集して再投入"
	case "edit.say":
		return "The worker gets the edited payload. The cost stays {1} {1|credit|credits}, as it was charged. What it was before is kept and shown.", "ワーカーには編集後のペイロードが渡されます。費用は課金時の{1}クレジットのままです。編集前の内容は保存され、表示されます。"
	case "edit.payload":
		return "Payload (JSON)", "ペイロード（JSON）"
	case "edit.hint":
		return "Values of dots are secrets: left as they are, they stay what they were", "点で表示された値は秘密情報です。そのままにすれば元の値が保たれます"
	case "edit.title":
		return "Payload edited for generation {1}", "世代{1}のためのペイロード編集"
	case "edit.none":
		return "none", "なし"
	case "edit.changed":
		return "payload changed: {1}", "ペイロード変更：{1}"
	case "problem.is not one valid JSON document":
		return "This is not valid JSON.", "正しいJSONではありません。"
	case "problem.must not be null":
		return "A payload cannot be taken away.", "ペイロードをなくすことはできません。"
	case "problem.has more than 1048576 bytes":
		return "At most 1 MiB.", "1 MiB以内にしてください。"
	case "problem.has a masked value where there was none before":
		return "Dots stand where no secret was before.", "元の秘密情報がない場所に点が入っています。"
	case "deliveries.title":
		return "Deliveries", "納品"
	case "deliveries.say":
		return "The first one counts. The others changed nothing and are kept as evidence.", "最初の納品だけが有効です。以降は何も変えず、記録として残しています。"
	case "deliveries.first":
		return "counts", "有効"
	case "reply.title":
		return "What you can tell the customer", "お客様への返信文"
	case "reply.failed":
		return "Your {1} job {2} could not be completed. We returned the {3} {3|credit|credits} for it to your account on {4}, so you have not paid for it.", "ご依頼の{1}（{2}）は完了できませんでした。{4}に{3}クレジットをお客様のアカウントにお返ししましたので、お支払いはございません。"
	case "reply.again":
		return "Your {1} job {2} has not been completed yet; we are trying it again. We returned the {3} {3|credit|credits} for it to your account on {4}. {3|It is|They are} charged only if it succeeds.", "ご依頼の{1}（{2}）はまだ完了しておらず、再度処理しております。{4}に{3}クレジットをお客様のアカウントにお返ししました。完了した場合にのみご請求いたします。"
	case "reply.working":
		return "Your {1} job {2} is being worked on. {3} {3|credit was|credits were} charged for it once; if it cannot be completed, {3|it is|they are} returned to your account.", "ご依頼の{1}（{2}）は処理中です。{3}クレジットを一度だけご請求しております。完了できない場合はアカウントにお返しします。"
	case "reply.done":
		return "Your {1} job {2} is complete. You paid {3} {3|credit|credits} for it, once.", "ご依頼の{1}（{2}）は完了しました。お支払いは一度だけ、{3}クレジットです。"
	case "reply.late":
		return "Your {1} job {2} is complete. It took longer than planned, so we had returned the {3} {3|credit|credits} for it on {4}; when the result arrived on {5}, {3|it was|they were} charged again. In total you paid {3} {3|credit|credits}, once.", "ご依頼の{1}（{2}）は完了しました。予定より時間がかかったため{4}に{3}クレジットをいったんお返ししましたが、{5}に成果物が届いたため改めてご請求しました。お支払いは合計で一度だけ、{3}クレジットです。"
	case "reply.given_up":
		return "Your {1} job {2} is complete. We had given it up and returned the {3} {3|credit|credits} for it on {4}; when the result arrived all the same on {5}, {3|it was|they were} charged again. In total you paid {3} {3|credit|credits}, once.", "ご依頼の{1}（{2}）は完了しました。いったん処理を取りやめ、{4}に{3}クレジットをお返ししておりましたが、{5}に成果物が届いたため改めてご請求しました。お支払いは合計で一度だけ、{3}クレジットです。"
	case "reply.canceled":
		return "Your {1} job {2} was canceled. We returned the {3} {3|credit|credits} for it to your account on {4}, so you have not paid for it.", "ご依頼の{1}（{2}）は取り消されました。{4}に{3}クレジットをお客様のアカウントにお返ししましたので、お支払いはございません。"
	case "reply.failed_free":
		return "Your {1} job {2} could not be completed. Nothing was charged for it.", "ご依頼の{1}（{2}）は完了できませんでした。ご請求はございません。"
	case "reply.canceled_free":
		return "Your {1} job {2} was canceled. Nothing was charged for it.", "ご依頼の{1}（{2}）は取り消されました。ご請求はございません。"
	case "reply.again_free":
		return "Your {1} job {2} has not been completed yet; we are trying it again. It is free of charge.", "ご依頼の{1}（{2}）はまだ完了しておらず、再度処理しております。料金はかかりません。"
	case "reply.working_free":
		return "Your {1} job {2} is being worked on. It is free of charge.", "ご依頼の{1}（{2}）は処理中です。料金はかかりません。"
	case "reply.done_free":
		return "Your {1} job {2} is complete. It was free of charge.", "ご依頼の{1}（{2}）は完了しました。料金はかかりません。"
	case "reply.settled_back":
		return " The price was higher than it should have been, so we returned {2} {2|credit|credits} to your account on {1}. With that you paid {3} {3|credit|credits}.", "その後、料金が本来より高かったため、{1}に{2}クレジットをお客様のアカウントにお返ししました。差し引きのお支払いは{3}クレジットです。"
	case "reply.settled_more":
		return " The price was lower than it should have been, so we charged {2} {2|more credit|more credits} on {1}. With that you paid {3} {3|credit|credits}.", "その後、料金が本来より低かったため、{1}に{2}クレジットを追加でご請求しました。合計のお支払いは{3}クレジットです。"
	case "reply.settled_outside":
		return " We put its price right on {1}; please see document {2}. The balance of your account does not change by it.", "その後、{1}に料金を訂正しました。詳細は書類{2}をご覧ください。アカウントの残高は変わりません。"
	case "keys.triage":
		return "Go to assign, snooze, note of the row or the group", "行またはグループの担当・スヌーズ・メモへ移動"
	case "keys.hold":
		return "Hold or release a dependency or an action: opens the dialog", "依存先・アクションの保留・解放のダイアログを開く"
	case "keys.undo":
		return "Go to Undo", "「元に戻す」へ移動"
	case "keys.recover":
		return "Recovered by hand, or the group is resolved; reopen", "手動回復、グループの解決・再開"

	case "did.assign":
		return "Assigned", "割り当て"
	case "did.release":
		return "Released", "担当解除"
	case "did.snooze":
		return "Snoozed", "スヌーズ"
	case "did.wake":
		return "Brought back", "一覧に復帰"
	case "did.note":
		return "Note", "メモ"
	case "did.undo":
		return "Undone", "元に戻した"

	case "kind.assign":
		return "Assign", "割り当て"
	case "kind.snooze":
		return "Snooze", "スヌーズ"
	case "kind.note":
		return "Note", "メモ"
	case "kind.undo":
		return "Undo", "取り消し"
	case "kind.recover":
		return "Recovered by hand", "手動回復"
	}
	return "", ""
}
