package text

// auditFields names the members of what was before and after in a row of the audit log. A member that is not here is shown by
// its own name.
func auditFields(key string) (en, ja string) {
	switch key {
	case "field.account_id":
		return "account", "アカウント"
	case "field.amount":
		return "amount", "金額"
	case "field.assignee":
		return "assignee", "担当者"
	case "field.at":
		return "at", "時刻"
	case "field.attributed":
		return "attributed", "帰属済み"
	case "field.back":
		return "came back", "戻った件数"
	case "field.balance":
		return "balance", "残高"
	case "field.by":
		return "by", "方法"
	case "field.bytes":
		return "bytes", "バイト数"
	case "field.category":
		return "category", "区分"
	case "field.count":
		return "count", "件数"
	case "field.credits":
		return "credits", "クレジット"
	case "field.currency":
		return "currency", "通貨"
	case "field.debits":
		return "debits", "徴収クレジット"
	case "field.description":
		return "description", "説明"
	case "field.digest":
		return "digest", "ダイジェスト"
	case "field.dimension":
		return "dimension", "属性名"
	case "field.dimension_value":
		return "value of the dimension", "属性の値"
	case "field.email":
		return "email", "メールアドレス"
	case "field.entry":
		return "entry", "記帳"
	case "field.events":
		return "told of", "通知する出来事"
	case "field.excluded":
		return "left out", "対象外"
	case "field.expires_at":
		return "expires at", "有効期限"
	case "field.export":
		return "export", "書き出し"
	case "field.failed":
		return "failed", "失敗"
	case "field.file":
		return "file", "ファイル"
	case "field.filter":
		return "filter", "条件"
	case "field.fingerprint":
		return "fingerprint", "フィンガープリント"
	case "field.format":
		return "format", "形式"
	case "field.frozen":
		return "frozen", "凍結"
	case "field.generation":
		return "generation", "世代"
	case "field.held":
		return "held", "保留"
	case "field.in_force":
		return "in force", "適用中"
	case "field.ip":
		return "address", "接続元"
	case "field.job_id":
		return "job", "ジョブ"
	case "field.jobs":
		return "jobs", "ジョブ数"
	case "field.kind":
		return "kind", "種別"
	case "field.language":
		return "language", "言語"
	case "field.link":
		return "link", "リンク"
	case "field.local":
		return "local time", "現地時刻"
	case "field.matched":
		return "matched", "該当"
	case "field.name":
		return "name", "名前"
	case "field.note":
		return "note", "メモ"
	case "field.object":
		return "object", "対象"
	case "field.operation_id":
		return "operation", "操作"
	case "field.outcome":
		return "outcome", "結果"
	case "field.overhead":
		return "overhead", "間接費"
	case "field.paid":
		return "paid", "支払い済み"
	case "field.password":
		return "password", "パスワード"
	case "field.per_minute":
		return "a minute", "1分あたり"
	case "field.probe":
		return "first few", "先行件数"
	case "field.reading":
		return "reading of the clock", "時計の読み方"
	case "field.recorded":
		return "recorded", "登録済み"
	case "field.records":
		return "records", "明細数"
	case "field.replayed":
		return "replayed", "再送"
	case "field.replays":
		return "replays", "再送分"
	case "field.requested_by":
		return "asked by", "申請者"
	case "field.resolved_at":
		return "resolved at", "解決時刻"
	case "field.result":
		return "result", "成果物"
	case "field.revision":
		return "revision", "改訂"
	case "field.role":
		return "role", "役割"
	case "field.rollout_id":
		return "rollout", "ロールアウト"
	case "field.rule_id":
		return "overhead rule", "間接費ルール"
	case "field.rule_version":
		return "rule version", "ルール版"
	case "field.scheduled":
		return "scheduled step", "予約番号"
	case "field.scopes":
		return "scopes", "権限範囲"
	case "field.seconds":
		return "seconds", "秒数"
	case "field.settlement":
		return "settlement", "精算"
	case "field.snooze_more":
		return "until so many more", "さらに停止する件数"
	case "field.snoozed_until":
		return "snoozed until", "スヌーズ期限"
	case "field.source":
		return "source", "提供元"
	case "field.stage":
		return "stage", "段階"
	case "field.state":
		return "state", "状態"
	case "field.step":
		return "step", "操作種別"
	case "field.stop_percent":
		return "stop above, %", "停止する失敗率（%）"
	case "field.task":
		return "task", "タスク"
	case "field.text":
		return "text", "本文"
	case "field.theme":
		return "appearance", "外観"
	case "field.time_zone":
		return "time zone", "タイムゾーン"
	case "field.unattributed":
		return "unattributed", "未帰属"
	case "field.url":
		return "address", "アドレス"
	case "field.user_agent":
		return "browser", "ブラウザー"
	case "field.valid_from":
		return "valid from", "適用開始"
	case "field.value":
		return "value", "値"
	case "field.zone":
		return "time zone", "タイムゾーン"
	}
	return "", ""
}
