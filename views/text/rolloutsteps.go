package text

// rolloutSteps holds what a rollout's steps wait for: second persons, times, the cap.
func rolloutSteps(key string) (en, ja string) {
	switch key {
	case "list.separator":
		return ", ", "、"
	case "rollout_cause.agreed":
		return "{1} (approved by {2})", "{1}（{2}が承認）"

	case "rollout_cause.scheduled":
		return "{1} (scheduled by {2})", "{1}（{2}が予約）"

	case "schedule.none":
		return "No step is scheduled.", "予約された操作はありません。"
	case "schedule.title":
		return "Scheduled steps", "予約された操作"
	case "schedule.new":
		return "Schedule a step", "操作を予約"
	case "schedule.form":
		return "Schedule a step of {1}", "{1}の操作を予約"
	case "schedule.say":
		return "It is made once, at its time, only if all checks pass then; else it is refused and says why. While the rollout is paused it waits; a halt or a rollback cancels it.", "指定した時刻に一度だけ実行します。その時点で検査にすべて合格しない場合は理由とともに拒否します。一時停止中は待機し、停止・ロールバックで取り消されます。"
	case "schedule.submit":
		return "Schedule", "予約する"
	case "schedule.step":
		return "{1}: {2}", "{1}：{2}"
	case "schedule.local":
		return "Date and time", "日時"
	case "schedule.local_hint":
		return "On the clocks of the zone below. Where a change of the clock repeats it, the first is meant; where it is left out, as much later", "下のタイムゾーンの時刻です。時計の変更で二度ある時刻は最初のもの、存在しない時刻はその分だけ後になります"
	case "schedule.zone":
		return "Time zone", "タイムゾーン"
	case "schedule.zone_hint":
		return "An IANA name, such as America/New_York", "IANA名（例：America/New_York）"
	case "schedule.at":
		return "When", "実行時刻"
	case "schedule.asked_for":
		return "Asked for", "指定された時刻"
	case "schedule.twice":
		return "The clock shows this twice: the first is meant.", "この時刻は二度あります。最初のものです。"
	case "schedule.left_out":
		return "The clock leaves this out: as much later.", "この時刻は存在しないため、その分だけ後になります。"
	case "schedule.agreed":
		return "approved", "承認済み"
	case "schedule.waits_paused":
		return "The rollout is paused: it waits.", "一時停止中のため待機します。"
	case "schedule.due":
		return "Scheduled steps whose time has come", "時刻を過ぎた予約"
	case "schedule.due_made":
		return "{1}, made at once if all checks pass", "{1}件（検査に合格すれば直ちに実行）"
	case "schedule.cancel":
		return "Cancel it", "予約を取消"
	case "schedule.cancel_form":
		return "Cancel a scheduled step of {1}", "{1}の予約を取り消す"
	case "schedule.cancel_say":
		return "It will not be made. It can be scheduled anew.", "実行されなくなります。改めて予約できます。"
	case "schedule.cancel_submit":
		return "Cancel step", "予約を取り消す"
	case "schedule_end.by":
		return "By {1}: {2}", "{1}：{2}"
	case "schedule_end.at":
		return "{1} {2}", "{1} {2}"
	case "schedule_end.halted":
		return "The rollout was halted.", "ロールアウトが停止されました。"
	case "schedule_end.rolled_back":
		return "The rollout was rolled back.", "ロールバックされました。"
	case "schedule_end.completed":
		return "The rollout was completed.", "ロールアウトが完了しました。"
	case "schedule_end.archived":
		return "The draft was archived.", "下書きが保管されました。"
	case "schedule_end.reached":
		return "Somebody made the step before its time.", "予約より前に実行されました。"
	case "schedule_end.not_reached":
		return "The rollout did not stand at the stage before.", "直前の段階に達していませんでした。"
	case "schedule_end.too_late":
		return "Nothing could make it at its time, and it came too late.", "予定時刻に実行できず、許容時間を過ぎました。"
	case "schedule_end.state_conflict":
		return "The prices did not allow it: another rollout was live, or the baseline or the candidate was not as planned.", "価格の状態が許しませんでした（別のロールアウトが実施中、またはベースライン・候補が変更されています）。"
	case "state.fired":
		return "Made", "実行済み"
	case "state.cancelled":
		return "Cancelled", "取消済み"
	case "done.schedule_rollout_step":
		return "The step is scheduled.", "操作を予約しました。"
	case "done.cancel_scheduled_step":
		return "The scheduled step is cancelled.", "予約を取り消しました。"
	case "kind.schedule_rollout_step":
		return "Schedule a step of a rollout", "ロールアウトの操作を予約"
	case "kind.cancel_scheduled_step":
		return "Cancel a scheduled step", "予約の取消"
	case "kind.refuse_scheduled_step":
		return "Refuse a scheduled step", "予約の拒否"
	case "problem.is no step that can be scheduled":
		return "Choose a step that lies ahead.", "今後の操作を選択してください。"
	case "approval.schedule_rollout_step":
		return "{2} of {1} on {3}", "{1}の{2}（{3}）"
	case "approval.kind.schedule_rollout_step":
		return "Step of a rollout at a time", "ロールアウトの予約操作"
	case "approval.expected_ahead":
		return "Void once the step does not lie ahead of the rollout any more", "この操作が実行できなくなると無効"

	case "second.ask":
		return "Ask a second person", "二人目の承認を求める"
	case "second.needed":
		return "A second person has to approve. Nothing changes until then; any other step makes this request void.", "二人目の承認が必要です。承認されるまで何も変わらず、ほかの操作が行われるとこの申請は無効になります。"
	case "second.replaces":
		return "This takes the place of what you asked for on {1}. A second person has to approve it.", "{1}の申請を置き換えます。二人目の承認が必要です。"
	case "second.waits_already":
		return "A step waits for a second person already: {1}.", "すでに二人目の承認を待つ操作があります：{1}"
	case "second.waits":
		return "Asked by {1}. It can be decided until {2}, and is void as soon as the rollout moves.", "申請者：{1}。{2}まで決定でき、ロールアウトの状態が変わると無効になります。"
	case "second.terms":
		return "A second person is needed for: {1}.", "二人目の承認が必要な操作：{1}。"
	case "second.steps":
		return "Steps that need a second person", "二人目の承認が必要な操作"
	case "second.start":
		return "Start", "開始"
	case "second.complete":
		return "Complete", "完了"
	case "second.above_is":
		return "start and advance beyond {1} %", "{1} %を超える開始・拡大"
	case "second.above":
		return "Second person beyond this share of accounts, %", "二人目の承認が必要になるアカウントの割合（%）"
	case "second.above_hint":
		return "25: to a stage beyond 25 %; empty: never. Pause, roll back and halt never need one", "25 = 25 %を超える段階へ。空欄：不要。一時停止・ロールバック・停止には不要です"
	case "rollout_cause.cap_reached":
		return "By Recoup: {1} {1|credit was|credits were} given away, the cap is {2} a day ({3}).", "Recoupによる：値引きが{1}クレジットに達しました（上限は1日{2}、{3}）。"
	case "cap.field":
		return "Credits that may be given away a day", "1日に値引きできるクレジットの上限"
	case "cap.hint":
		return "Past it the rollout pauses by itself; empty: no cap", "超えると自動的に一時停止します。空欄：上限なし"
	case "cap.title":
		return "Given away today", "本日の値引き"
	case "cap.say":
		return "{1} of {2} {2|credit|credits} given away today ({3}).", "本日の値引き：{1} / {2}クレジット（{3}）。"
	case "cap.say_none":
		return "Nothing given away today: the candidate's charges come to {1} {1|credit|credits} more ({3}). The cap is {2}.", "本日の値引きはありません。候補での課金は{1}クレジット高くなっています（{3}）。上限は{2}です。"
	case "cap.reached":
		return "The cap is reached. Whoever resumes the rollout lifts it until {1}.", "上限に達しました。再開すると{1}まで上限が外れます。"
	case "cap.lifted":
		return "The cap was reached and is lifted until {1}.", "上限に達し、{1}まで外されています。"
	case "cap.lifts":
		return "lifted until {1}", "{1}まで解除"

	case "overview.halted":
		return "Halted rollouts", "停止中のロールアウト"
	case "overview.halted_go":
		return "Show rollouts", "ロールアウトを表示"
	case "overview.say_halted":
		return "Rollouts that a failed check has halted: {1}.", "検査の失敗で停止したロールアウトが{1}件あります。"
	case "overview.settlements":
		return "Open settlements", "未完了の精算"
	case "overview.settlements_go":
		return "Show settlements", "精算を表示"
	case "overview.settlements_note":
		return "{1} to approve, {2} without a document", "承認待ち{1}件、書類待ち{2}件"
	case "overview.unattributed":
		return "Unattributed costs", "未帰属の費用"
	case "overview.unattributed_go":
		return "Show costs", "費用を表示"

	case "follow.begin":
		return "Follow", "フォロー"
	case "follow.end":
		return "Unfollow", "フォロー解除"
	case "follow.say":
		return "Whoever follows is told in the inbox of every step, halt and request", "操作・停止・申請を受信箱でお知らせします"
	case "inbox.title":
		return "Inbox", "受信箱"
	case "inbox.say":
		return "What happened to what you follow, and to what you asked for.", "フォロー中のもの、申請したものに起きたことです。"
	case "inbox.unread":
		return "Unread", "未読"
	case "inbox.all":
		return "All", "すべて"
	case "inbox.none":
		return "Nothing yet. Follow a rollout to be told of it.", "まだありません。ロールアウトをフォローすると届きます。"
	case "inbox.none_unread":
		return "Nothing is unread.", "未読はありません。"
	case "inbox.what":
		return "What happened", "内容"
	case "inbox.order":
		return "Newest first", "新しい順"
	case "inbox.mark":
		return "Mark", "既読・未読"
	case "inbox.mark_all":
		return "Mark all read", "すべて既読にする"
	case "inbox.mark_read":
		return "Mark read", "既読にする"
	case "inbox.mark_unread":
		return "Mark unread", "未読に戻す"
	case "inbox.all_marked":
		return "All are marked as read.", "すべて既読にしました。"
	case "inbox.rollout_step":
		return "{1}: {2}, by {3}", "{1}：{2}（{3}）"
	case "inbox.rollout_scheduled":
		return "{1}: scheduled step “{2}”: {3}", "{1}：予約「{2}」：{3}"
	case "inbox.approval_asked":
		return "{1} asks for a second person: {2}, {3}", "{1}が二人目の承認を求めています：{2}、{3}"
	case "inbox.approval_decided":
		return "{1}, {2}: {3}, by {4}", "{1}、{2}：{3}（{4}）"
	case "state.unread":
		return "Unread", "未読"
	case "problem.must be 0 to 100000":
		return "This must be a whole number from 0 to 100000.", "0から100000の整数を入力してください。"
	}
	return "", ""
}
