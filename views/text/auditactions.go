package text

// auditactions holds the words of what the audit log names and no operation does: permissions that were missing, and
// actions of single packages. Keys "kind.".
func auditactions(key string) (en, ja string) {
	switch key {
	case "kind.overview.view":
		return "See the overview", "概要の閲覧"
	case "kind.search.use":
		return "Search", "検索"
	case "kind.account.view":
		return "See accounts", "アカウントの閲覧"
	case "kind.account.edit":
		return "Create or change a profile", "プロフィールの作成・変更"
	case "kind.account.note":
		return "Note on an account", "アカウントへのメモ"
	case "kind.account.freeze":
		return "Freeze or unfreeze", "凍結・凍結解除"
	case "kind.account.grant":
		return "Grant credits", "クレジットの付与"
	case "kind.account.adjust":
		return "Adjust a balance", "残高の調整"
	case "kind.ledger.view":
		return "See the ledger", "台帳の閲覧"
	case "kind.month.close":
		return "Close a month", "月の締め"
	case "kind.month_close":
		return "Close a month", "月の締め"
	case "kind.month.export":
		return "Export a month", "月次の書き出し"
	case "kind.integrity.view":
		return "See integrity", "整合性の閲覧"
	case "kind.integrity.run":
		return "Run the verifier", "検証の実行"
	case "kind.approval.view":
		return "See change requests", "変更申請の閲覧"
	case "kind.approval.ask":
		return "Take back or edit a change request", "申請の取り下げ・編集"
	case "kind.approval.decide":
		return "Decide on a change request", "変更申請の決定"
	case "kind.job.view":
		return "See jobs", "ジョブの閲覧"
	case "kind.job.cancel":
		return "Cancel a job", "ジョブの取り消し"
	case "kind.job.charge":
		return "Charge a job", "ジョブへの課金"
	case "kind.job.signal":
		return "Signal of a job", "ジョブの通知"
	case "kind.job.work":
		return "Work on jobs", "ジョブの実行"
	case "kind.deadletter.view":
		return "See dead letters", "デッドレターの閲覧"
	case "kind.deadletter.triage":
		return "Assign, snooze or note a dead letter", "デッドレターの担当・保留・メモ"
	case "kind.deadletter.requeue":
		return "Requeue a dead letter", "デッドレターの再投入"
	case "kind.deadletter.recover":
		return "Recover a job by hand", "ジョブの手動回復"
	case "kind.deadletter.discard":
		return "Discard a dead letter", "デッドレターの破棄"
	case "kind.deadletter.reopen":
		return "Reopen a dead letter", "デッドレターの再開"
	case "kind.operation.view":
		return "See operations", "操作の閲覧"
	case "kind.audit.view":
		return "See the audit log", "監査記録の閲覧"
	case "kind.settings.view":
		return "See the settings", "設定の閲覧"
	case "kind.staff.manage":
		return "Manage people", "担当者の管理"
	case "kind.apikey.manage":
		return "Manage API keys", "APIキーの管理"
	case "kind.webhook.manage":
		return "Manage webhooks", "Webhookの管理"
	case "kind.pricing.view":
		return "See prices", "価格の閲覧"
	case "kind.pricing.edit":
		return "Change prices", "価格の変更"
	case "kind.rollout.view":
		return "See rollouts", "ロールアウトの閲覧"
	case "kind.rollout.create":
		return "Make a rollout", "ロールアウトの作成"
	case "kind.rollout.advance":
		return "Start, advance or complete a rollout", "ロールアウトの開始・拡大・完了"
	case "kind.rollout.pause":
		return "Pause or resume a rollout", "ロールアウトの一時停止・再開"
	case "kind.rollout.roll_back":
		return "Roll a rollout back", "ロールアウトの取り消し"
	case "kind.rollout.approve":
		return "Decide on a step of a rollout", "ロールアウトの手順の決定"
	case "kind.create_rollout":
		return "Make a rollout", "ロールアウトの作成"
	case "kind.rollout_step":
		return "Step of a rollout", "ロールアウトの手順"
	case "kind.settlement.view":
		return "See settlements", "精算の閲覧"
	case "kind.settlement.propose":
		return "Propose a settlement", "精算の提案"
	case "kind.flag.evaluate":
		return "Ask for a price", "価格の照会"
	case "kind.cost.view":
		return "See costs", "コストの閲覧"
	case "kind.cost.record":
		return "Send cost records", "コスト記録の送信"
	case "kind.cost.import":
		return "Import a bill", "請求書の取り込み"
	case "kind.cost.attribute":
		return "Attribute a cost", "コストの割り当て"
	case "kind.cost.export":
		return "Export costs", "コストの書き出し"
	case "kind.costs":
		return "Send cost records", "コスト記録の送信"
	case "kind.cost_upload":
		return "Upload a bill", "請求書のアップロード"
	case "kind.cost_import":
		return "Import a bill", "請求書の取り込み"
	case "kind.cost_import_start":
		return "Import a bill", "請求書の取り込み"
	case "kind.cost_attribute":
		return "Attribute a cost", "コストの割り当て"
	case "kind.cost_rule":
		return "Make an overhead rule", "間接費ルールの作成"
	case "kind.cost_rule_retire":
		return "Retire an overhead rule", "間接費ルールの終了"
	case "kind.credit_value":
		return "Set the value of a credit", "クレジット単価の設定"
	case "kind.put_in_force":
		return "Put a price in force", "価格の適用"
	case "kind.retire_action":
		return "Retire an action", "アクションの終了"
	case "kind.retire_rule":
		return "Retire a rule version", "ルール版の終了"
	case "kind.export.cancel":
		return "Cancel an export", "書き出しの中止"
	case "kind.export.download":
		return "Download an export", "書き出しのダウンロード"
	case "kind.bulk_grant.download":
		return "Download the lines of a file of grants", "一括付与ファイルの行のダウンロード"
	case "kind.propose":
		return "Ask a second person", "二人目への承認依頼"
	case "kind.edit":
		return "Edit a change request", "申請の編集"
	case "kind.void":
		return "Make a change request void", "申請の失効"
	case "kind.reveal_webhook_secret":
		return "See a webhook's secret", "Webhookの秘密鍵の閲覧"
	case "kind.rollup.rebuild":
		return "Rebuild sums", "集計の再構築"
	}
	return "", ""
}
