package text

// approvals holds what waits for a second person: the list, the page of one change request, its forms.
func approvals(key string) (en, ja string) {
	switch key {
	case "nav.approvals":
		return "Approvals", "承認"
	case "overview.approvals":
		return "Waiting for a second person", "二人目の承認待ち"
	case "overview.say_approvals":
		return "Changes that wait for a second person: {1}. Nothing else needs anybody now.", "二人目の承認を待つ変更が{1}件あります。ほかに対応が必要なものはありません。"
	case "overview.approvals_go":
		return "Go to the approvals", "承認一覧へ"

	case "approvals.title":
		return "Approvals", "承認"
	case "approvals.say":
		return "What one person alone may not do waits here for a second. Whoever asked cannot decide.", "一人では実行できない変更が、二人目の承認を待っています。申請した本人は承認も却下もできません。"
	case "approvals.tabs":
		return "Change requests", "変更申請"
	case "approvals.open":
		return "Open", "承認待ち"
	case "approvals.decided":
		return "Decided", "決定済み"
	case "approvals.mine":
		return "Mine", "自分の申請"
	case "approvals.yours":
		return "Yours to decide", "あなたの承認待ち"
	case "approvals.none_yours":
		return "Nothing waits for you.", "あなたの承認を待つ申請はありません。"
	case "approvals.none_open":
		return "Nothing waits for a second person.", "承認待ちの申請はありません。"
	case "approvals.none_decided":
		return "Nothing has been decided yet.", "決定済みの申請はまだありません。"
	case "approvals.none_mine":
		return "You have asked for nothing that needs a second person.", "二人目の承認が必要な申請はしていません。"
	case "approvals.order":
		return "Newest first. Times in {1}.", "新しい順。時刻は{1}。"
	case "approvals.what":
		return "What", "内容"
	case "approvals.asked_by":
		return "Asked by", "申請者"
	case "approvals.asked_at":
		return "Asked ({1})", "申請時刻（{1}）"
	case "approvals.until":
		return "Until, or decided", "期限・決定"
	case "approvals.decided_by":
		return "by {1}", "決定者：{1}"
	case "approvals.kind":
		return "Kind", "種別"

	case "approval.grant":
		return "Grant of {1} {1|credit|credits}", "{1}クレジットの付与"
	case "approval.adjustment":
		return "Adjustment of {1} {1|credit|credits}", "{1}クレジットの調整"
	case "approval.start_rollout":
		return "Start of {1} at {2}", "{1}の開始（{2}）"
	case "approval.advance_rollout":
		return "Advance of {1} to {2}", "{1}の拡大（{2}まで）"
	case "approval.complete_rollout":
		return "Completion of {1}", "{1}の完了"
	case "approval.kind.start_rollout":
		return "Start of a rollout", "ロールアウトの開始"
	case "approval.kind.advance_rollout":
		return "Advance of a rollout", "ロールアウトの拡大"
	case "approval.kind.complete_rollout":
		return "Completion of a rollout", "ロールアウトの完了"
	case "approval.expected":
		return "From", "変更前の状態"
	case "approval.expected_is":
		return "{1}, {2}, version {3}: void once it moves", "{1}、{2}、版{3}（変わると無効）"
	case "approval.other":
		return "Change: {1}", "変更：{1}"
	case "approval.kind.grant":
		return "Grant", "付与"
	case "approval.kind.adjustment":
		return "Adjustment", "調整"
	case "approval.say_open":
		return "{1} asks for this. It is applied only when a second person approves it before {2}.", "{1}の申請です。{2}までに二人目が承認した場合にだけ実行されます。"
	case "approval.say_approved":
		return "{1} asked for this, {2} approved it. It was applied once.", "{1}が申請し、{2}が承認しました。一度だけ実行されました。"
	case "approval.say_later":
		return "{1} asked for this, {2} approved it. Its own page says what came of it.", "{1}が申請し、{2}が承認しました。結果は対象のページで確認できます。"
	case "approval.say_running":
		return "{1} asked for this, {2} approved it. It is being applied.", "{1}が申請し、{2}が承認しました。実行中です。"
	case "approval.say_failed":
		return "{1} asked for this, {2} approved it. Applying it failed; its own page says what was done and what was not.", "{1}が申請し、{2}が承認しましたが、実行に失敗しました。実行された範囲は対象のページで確認できます。"
	case "approval.say_failed_file":
		return "{1} asked for this, {2} approved it. It could not be granted, and nothing of it was; the file’s page says why.", "{1}が申請し、{2}が承認しましたが、付与できませんでした。何も付与されていません。理由はファイルのページで確認できます。"
	case "approval.say_rejected":
		return "{1} asked for this, {2} rejected it. Nothing was applied.", "{1}が申請し、{2}が却下しました。何も実行されていません。"
	case "approval.say_withdrawn":
		return "{1} asked for this and took it back. Nothing was applied.", "{1}が申請し、取り下げました。何も実行されていません。"
	case "approval.say_voided":
		return "{1} asked for this. It is void: {2} Nothing was applied.", "{1}の申請です。無効になりました。{2}何も実行されていません。"
	case "approval.void.rollout_moved":
		return "The rollout has moved on since.", "その後ロールアウトの状態が変わりました。"
	case "approval.say_replaced":
		return "{1} edited this: another request took its place, and this one is void. Nothing was applied.", "{1}が編集しました。別の申請に置き換えられ、この申請は無効です。何も実行されていません。"
	case "approval.say_expired":
		return "{1} asked for this, and nobody decided before {2}. It is void; nothing was applied.", "{1}の申請ですが、{2}までに決定されませんでした。無効となり、何も実行されていません。"
	case "approval.what":
		return "What exactly", "申請内容"
	case "approval.who":
		return "Who and when", "申請者と日時"
	case "approval.history":
		return "History", "履歴"
	case "approval.balance_now":
		return "Balance if approved now, credits", "今承認した場合の残高（クレジット）"
	case "approval.balance_then":
		return "Balance, credits", "残高（クレジット）"
	case "approval.asked":
		return "Asked by", "申請者"
	case "approval.asked_at":
		return "Asked", "申請日時"
	case "approval.expires_at":
		return "Expires", "期限"
	case "approval.decided":
		return "Decided by", "決定者"
	case "approval.decided_at":
		return "Decided", "決定日時"
	case "approval.decision_reason":
		return "Reason of the decision", "決定の理由"
	case "approval.digest":
		return "Digest", "ダイジェスト"
	case "approval.digest_say":
		return "SHA-256 over exactly what is proposed. An approval counts for these bytes alone.", "申請内容そのもののSHA-256です。承認はこの内容だけに有効です。"
	case "approval.replaced_by":
		return "Replaced by", "置き換え先"
	case "approval.entry":
		return "Entry", "記帳"
	case "done.propose":
		return "It waits for a second person.", "二人目の承認を待っています。"
	case "approval.own_key":
		return "An API key that you made asked for this, so somebody else decides.", "ご自身が作成したAPIキーによる申請のため、別の人が決定します。"
	case "approval.own":
		return "You asked for this, so somebody else decides.", "ご自身の申請のため、別の人が決定します。"
	case "approval.may_not":
		return "You may look at this; deciding needs another role.", "閲覧できますが、決定には別の権限が必要です。"
	case "approval.help":
		return "{1} can help.", "{1}が対応できます。"
	case "approval.help_none":
		return "Nobody else can decide yet: an administrator has to give somebody the role.", "決定できる人がほかにいません。管理者が権限を付与する必要があります。"
	case "approval.and_more":
		return "and {1} more", "ほか{1}名"
	case "approval.refused":
		return "refused: {1}", "拒否：{1}"
	case "approval.approved_by":
		return "Approved by", "承認者"
	case "approval.request":
		return "Change request", "変更申請"

	case "approval.event.propose":
		return "asked for it", "申請"
	case "approval.event.approve":
		return "approved it", "承認"
	case "approval.event.reject":
		return "rejected it", "却下"
	case "approval.event.withdraw":
		return "took it back", "取り下げ"
	case "approval.event.edit":
		return "edited it: a new request took its place", "編集：新しい申請に置き換え"

	case "approval.event.void":
		return "made it void", "無効化"

	case "approve.open":
		return "Approve", "承認"
	case "approve.title":
		return "Approve: {1}", "承認：{1}"
	case "approve.say":
		return "It is applied at once, exactly as proposed by {1}, and cannot be taken back.", "{1}の申請どおりに直ちに実行されます。取り消せません。"
	case "approve.say_discard":
		return "The jobs are given up as proposed by {1}, as soon as this is approved. The refunds stand. What is discarded can be reopened, one by one.", "承認すると、{1}の申請どおりにジョブの破棄が始まります。返金は維持されます。破棄したものは後から1件ずつ再開できます。"
	case "approve.submit":
		return "Approve and apply", "承認して実行"
	case "reject.open":
		return "Reject", "却下"
	case "reject.title":
		return "Reject: {1}", "却下：{1}"
	case "reject.say":
		return "Nothing is applied. {1} would have to ask anew.", "何も実行されません。必要な場合、{1}は改めて申請します。"
	case "reject.submit":
		return "Reject request", "却下する"
	case "withdraw.open":
		return "Withdraw", "取り下げ"
	case "withdraw.title":
		return "Withdraw: {1}", "取り下げ：{1}"
	case "withdraw.say":
		return "Nothing is applied and nobody can approve it any more.", "何も実行されず、以後は誰も承認できません。"
	case "withdraw.submit":
		return "Withdraw request", "取り下げる"
	case "amend.open":
		return "Edit", "編集"
	case "amend.say":
		return "An edit is a new request. The old one becomes void, and whoever looked at it has to look again.", "編集すると新しい申請になります。元の申請は無効となり、改めて確認が必要です。"

	case "operation.say_waits":
		return "It is not applied: it waits for a second person. The same operation sent again gets this answer until somebody decides.", "まだ実行されていません。二人目の承認を待っています。同じ操作を再送しても、決定されるまで同じ応答になります。"
	case "operation.say_void":
		return "It was never applied: its change request was not approved. The operation id is used up.", "実行されませんでした。変更申請が承認されなかったためです。この操作IDは再利用できません。"

	case "limit.hint":
		return "Above {1} {1|credit|credits} a second person has to approve.", "{1}クレジットを超えると二人目の承認が必要です。"
	case "limit.hint_left":
		return "Above {1} {1|credit|credits} within 24 hours a second person has to approve; you have {2} left to add here and {3} to take away.", "24時間以内に{1}クレジットを超えると二人目の承認が必要です。このアカウントでの残り：加算{2}、減算{3}。"
	case "limit.beside":
		return "{1}. {2}", "{1}。{2}"
	case "limit.above":
		return "Together with what you moved here in the last 24 hours this is above {1} {1|credit|credits}: nothing is applied yet. A second person has to approve it first.", "過去24時間にこのアカウントで動かした分と合わせて{1}クレジットを超えています。まだ実行されず、二人目の承認が必要です。"
	case "live.after":
		return "Balance after:", "変更後の残高："
	case "live.too_large":
		return "The balance would be beyond what can be counted.", "残高が扱える範囲を超えます。"

	case "state.undecided":
		return "Open", "承認待ち"
	case "state.approved":
		return "Approved", "承認済み"
	case "state.rejected":
		return "Rejected", "却下"
	case "state.withdrawn":
		return "Withdrawn", "取り下げ"
	case "state.voided":
		return "Void", "無効"
	case "state.waits":
		return "Waits for a second person", "二人目の承認待ち"

	case "done.approve":
		return "Approved and applied.", "承認し、実行しました。"
	case "done.approve_later":
		return "Approved. It is applied now; this page says what comes of it.", "承認しました。これから実行され、結果はこのページに表示されます。"
	case "done.reject":
		return "The request was rejected. Nothing was applied.", "申請を却下しました。何も実行されていません。"
	case "done.withdraw":
		return "The request was withdrawn. Nothing was applied.", "申請を取り下げました。何も実行されていません。"
	case "toolate.approved":
		return "Too late: the request is approved by now.", "すでに承認されているため、実行できません。"
	case "toolate.rejected":
		return "Too late: the request is rejected by now.", "すでに却下されているため、実行できません。"
	case "toolate.withdrawn":
		return "Too late: the request is withdrawn or replaced by now.", "すでに取り下げまたは置き換えられているため、実行できません。"
	case "toolate.voided":
		return "Too late: the request is void by now.", "すでに無効となっているため、実行できません。"
	case "toolate.expired":
		return "Too late: the request has expired by now.", "すでに期限が切れているため、実行できません。"
	case "toolate.stale":
		return "The request is not what was shown. Look at it as it is now.", "表示されていた内容と異なります。現在の内容を確認してください。"
	case "fault.change_request_not_found":
		return "There is no such change request.", "変更申請が見つかりません。"
	case "fault.own_change_request":
		return "Whoever asked cannot decide, nor whoever made the API key that asked. A second person must.", "申請者本人（および申請に使われたAPIキーの作成者）は決定できません。別の人が決定する必要があります。"
	case "fault.not_the_requester":
		return "Only whoever asked can take a request back or edit it.", "取り下げと編集は申請者本人だけができます。"
	case "fault.approval_rejected":
		return "This was rejected. It is used up; if it is still meant, send this form again: that asks anew.", "この申請は却下されました。必要な場合は、このフォームをもう一度送信すると新しい申請になります。"
	case "fault.approval_withdrawn":
		return "This was withdrawn. It is used up; if it is still meant, send this form again: that asks anew.", "この申請は取り下げられました。必要な場合は、このフォームをもう一度送信すると新しい申請になります。"
	case "fault.approval_voided":
		return "What this was about has moved on. It is used up; if it is still meant, send this form again: that asks anew.", "対象の状態が変わったため無効です。必要な場合は、このフォームをもう一度送信すると新しい申請になります。"
	case "fault.approval_expired":
		return "This expired before anybody decided. It is used up; if it is still meant, send this form again: that asks anew.", "この申請は決定されずに期限が切れました。必要な場合は、このフォームをもう一度送信すると新しい申請になります。"
	case "kind.approve":
		return "Approve", "承認"
	case "kind.reject":
		return "Reject", "却下"
	case "kind.withdraw":
		return "Withdraw", "取り下げ"
	}
	return "", ""
}
