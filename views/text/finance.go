package text

// finance holds what finance does with entries: files of them, why a balance is what it is, and where an entry came
// from.
func finance(key string) (en, ja string) {
	switch key {
	case "export.say":
		return "Export all entries of this filter, times in {1}", "この条件の全件を書き出し（時刻は{1}）"
	case "export.say_count":
		return "Export the {1} of this filter, times in {2}", "この条件の{1}を書き出し（時刻は{2}）"
	case "export.csv":
		return "CSV", "CSV"
	case "export.xlsx":
		return "XLSX", "XLSX"
	case "export.journal":
		return "hledger journal", "hledger仕訳"
	case "export.too_many":
		return "Too many entries for one sheet", "1枚のシートに収まりません"
	case "export.too_many_say":
		return "A sheet holds {1} entries, and this filter selects more.", "1枚のシートに入るのは{1}件までです。この条件はそれを超えています。"
	case "export.nothing_sent":
		return "No file was made.", "ファイルは作成されていません。"
	case "export.too_many_next":
		return "Choose a shorter period, or take CSV, which has no limit.", "期間を短くするか、件数の制限がないCSVを使ってください。"
	case "fault.export_filter":
		return "A part of the filter cannot be read, so no file was made. Go back and correct the marked field.", "読み取れない条件があるため、ファイルは作成されていません。戻って、印の付いた欄を直してください。"
	case "fault.export_busy":
		return "Other exports are being made just now, so no file was made. Try again in a minute.", "ほかの書き出しを処理中のため、ファイルは作成されていません。1分ほど待って再度お試しください。"
	}
	return "", ""
}
