package text

// auditlog holds what the page of the audit log says. Actions share the words of operations: keys "kind.".
func auditlog(key string) (en, ja string) {
	switch key {
	case "audit.title":
		return "Audit", "監査記録"
	case "audit.say":
		return "What people did, and everything that was refused. Rows are only ever added.", "担当者が行ったことと、拒否されたすべての記録です。追加されるだけで、変更も削除もされません。"
	case "audit.none":
		return "Nothing is recorded yet.", "まだ記録はありません。"
	case "audit.any":
		return "Any", "すべて"
	case "audit.who":
		return "Who", "実行者"
	case "audit.action":
		return "Action", "動作"
	case "audit.object":
		return "Object", "対象"
	case "audit.object_hint":
		return "Whole and exact: account:acct_7 or account:acct_7/job:j1", "完全一致：account:acct_7、account:acct_7/job:j1 など"
	case "audit.outcome":
		return "Outcome", "結果"
	case "audit.change":
		return "Before → after, reason", "変更前 → 変更後、理由"
	case "audit.ids":
		return "Operation, request", "操作・リクエスト"
	case "audit.no_outcome":
		return "Either done or refused.", "「完了」か「拒否」を選んでください。"
	case "audit.export_say":
		return "Export all rows of this filter, times in {1}", "この条件の全件を書き出し（時刻は{1}）"
	case "state.refused":
		return "Refused", "拒否"
	case "kind.staff.create":
		return "Add a person", "担当者の追加"
	case "kind.staff.password":
		return "Set a password", "パスワードの設定"
	case "kind.staff.role":
		return "Change a role", "役割の変更"
	case "kind.staff.disable":
		return "Disable a person", "担当者の無効化"
	case "kind.staff.enable":
		return "Enable a person", "担当者の有効化"
	case "kind.staff.link":
		return "Make a sign-in link", "サインイン用リンクの作成"
	case "kind.preferences.edit":
		return "Change preferences", "設定の変更"
	case "kind.session.start":
		return "Sign in", "サインイン"
	case "kind.session.end":
		return "Sign out", "サインアウト"
	case "kind.apikey.create":
		return "Make an API key", "APIキーの作成"
	case "kind.apikey.revoke":
		return "Revoke an API key", "APIキーの失効"
	case "kind.start_rollout":
		return "Start a rollout", "ロールアウトの開始"
	case "kind.advance_rollout":
		return "Advance a rollout", "ロールアウトの拡大"
	case "kind.pause_rollout":
		return "Pause a rollout", "ロールアウトの一時停止"
	case "kind.resume_rollout":
		return "Resume a rollout", "ロールアウトの再開"
	case "kind.halt_rollout":
		return "Halt a rollout", "ロールアウトの停止"
	case "kind.roll_back_rollout":
		return "Roll back a rollout", "ロールアウトのロールバック"
	case "kind.complete_rollout":
		return "Complete a rollout", "ロールアウトの完了"
	case "kind.archive_rollout":
		return "Archive a rollout", "ロールアウトのアーカイブ"
	case "kind.group_note":
		return "Shared note of a group", "グループの共有メモ"
	case "kind.group_snooze":
		return "Snooze a group", "グループのスヌーズ"
	case "kind.group_resolve":
		return "Resolve a group", "グループの解決"
	case "kind.group_reopen":
		return "Reopen a group", "グループの再開"
	case "kind.fail_bulk_grant":
		return "End a file of grants that failed", "失敗した付与ファイルの終了"
	case "kind.account_note":
		return "Note", "メモ"
	case "kind.account_note_strike":
		return "Strike out a note", "メモの取り消し"
	case "kind.verify_start":
		return "Start the verifier", "検証の開始"
	case "kind.verify_cancel":
		return "End the verifier", "検証の中止"
	case "kind.job.reveal":
		return "See a payload", "ペイロードの閲覧"
	case "kind.ledger.export":
		return "Export entries", "記帳の書き出し"
	case "kind.audit.export":
		return "Export the audit log", "監査記録の書き出し"
	case "kind.account.rebuild_head":
		return "Rebuild a head", "残高の写しの再構築"
	}
	return "", ""
}
