package text

// exports holds the files that are made in the background.
func exports(key string) (en, ja string) {
	switch key {
	case "state.waiting":
		return "Waiting", "待機中"
	case "state.done":
		return "Done", "完了"
	case "state.expired":
		return "Expired", "期限切れ"
	case "nav.exports":
		return "Exports", "書き出し"
	case "done.export":
		return "The file was asked for.", "ファイルの作成を依頼しました。"
	case "done.export_cancel":
		return "The export was canceled.", "書き出しを中止しました。"
	case "kind.export":
		return "Export", "書き出し"
	case "kind.export_cancel":
		return "Export canceled", "書き出しの中止"
	case "fault.task_not_found":
		return "There is no such task.", "該当する処理が見つかりません。"
	case "fault.export_storage_full":
		return "There is no room for this file beside those that are kept, so none was made. Choose a shorter period, or wait until older files expire.", "保管中のファイルで容量がいっぱいのため、ファイルは作成されていません。期間を短くするか、古いファイルの期限切れを待ってください。"
	case "exports.title":
		return "Exports", "書き出し"
	case "exports.say":
		return "Large files of entries, made in the background. Each is kept for {1} and can be taken by everybody who may export; every download is audited.", "記帳の大きなファイルはバックグラウンドで作成します。{1}保管され、書き出しの権限がある人は誰でも取得できます。取得はすべて監査ログに残ります。"
	case "exports.tabs":
		return "Whose exports", "誰の書き出しか"
	case "exports.mine":
		return "Mine", "自分"
	case "exports.all":
		return "Everybody’s", "全員"
	case "exports.none":
		return "No exports yet. A file that is too large to be sent at once is made here.", "書き出しはまだありません。一度に送れない大きなファイルはここで作成されます。"
	case "exports.asked":
		return "Asked for ({1})", "依頼（{1}）"
	case "exports.asked_at":
		return "Asked for", "依頼"
	case "exports.file":
		return "File", "ファイル"
	case "exports.entries":
		return "Entries", "件数"
	case "exports.size":
		return "Size", "サイズ"
	case "exports.expires":
		return "Expires ({1})", "期限（{1}）"
	case "exports.by":
		return "Asked for by", "依頼者"
	case "exports.order":
		return "Newest first, at most {1}. Times in {2}.", "新しい順、最大{1}件。時刻は{2}。"
	case "exports.start_title":
		return "Make this file in the background", "このファイルをバックグラウンドで作成"
	case "exports.start_say":
		return "This filter selects more than {1} {1|entry|entries}. A worker writes the file, from one moment of the ledger; it is then kept for {2}.", "この条件の記帳は{1}件を超えます。ある時点の台帳からワーカーがファイルを作成し、その後{2}保管します。"
	case "exports.start_submit":
		return "Make the file", "ファイルを作成"
	case "exports.now_say":
		return "The same file can be sent to this browser at once, as long as the connection holds.", "接続が続く限り、同じファイルをこのブラウザーに直接送ることもできます。"
	case "exports.now":
		return "Send it now", "今すぐ送る"
	case "exports.format":
		return "Format", "形式"
	case "exports.zone":
		return "Times in", "時刻のタイムゾーン"
	case "exports.filter":
		return "Filter", "条件"
	case "exports.filter_none":
		return "none: every entry", "なし（全件）"
	case "exports.holds":
		return "What the file holds", "ファイルの内容"
	case "exports.as_of":
		return "as of {1}", "{1}時点"
	case "exports.progress":
		return "Entries written", "書き込んだ件数"
	case "exports.look_again":
		return "Look again", "再表示"
	case "exports.take":
		return "Download", "ダウンロード"
	case "exports.again":
		return "Make it again", "もう一度作成"
	case "exports.page":
		return "Show these entries", "この記帳を表示"
	case "exports.cancel":
		return "Cancel the export", "書き出しを中止"
	case "exports.cancel_title":
		return "Cancel {1}?", "{1} を中止しますか？"
	case "exports.cancel_say":
		return "{1} {1|entry is|entries are} written so far; {1|it is|they are} thrown away. The ledger is not touched.", "これまでに書き込んだ{1}件は破棄されます。台帳は変わりません。"
	case "exports.too_late":
		return "Too late: the export is over already.", "この書き出しはすでに終わっています。"
	case "exports.failed":
		return "The file could not be made. Nothing is kept of it.", "ファイルを作成できませんでした。途中までの内容は残っていません。"
	case "exports.say_waiting":
		return "A worker begins with it in a moment.", "まもなくワーカーが作成を始めます。"
	case "exports.say_running":
		return "It is being written. This page may be left; the file waits under Exports.", "作成中です。このページを離れてもかまいません。完成したファイルは「書き出し」にあります。"
	case "exports.say_ready":
		return "The file is ready and is kept until {1}.", "ファイルは完成しました。{1}まで保管します。"
	case "exports.say_expired":
		return "The file was kept until {1} and is gone. The ledger is as it was: it can be made again.", "ファイルの保管は{1}までで、すでに削除されました。台帳はそのままなので、もう一度作成できます。"
	case "exports.say_canceled":
		return "It was canceled. Nothing is kept of it.", "中止されました。途中までの内容は残っていません。"
	}
	return "", ""
}
