package text

// bulkgrants holds grants from a file: upload, preview, progress.
func bulkgrants(key string) (en, ja string) {
	switch key {
	case "bulk.open":
		return "Grants from a file", "ファイルから付与"
	case "bulk.title":
		return "Grants from a file", "ファイルから付与"
	case "bulk.say":
		return "A CSV file with one grant a line. Nothing is granted before you have seen what the file would do; then all lines are, or none.", "1行に1件の付与を書いたCSVファイルです。内容を確認するまで付与されず、実行はすべての行か、まったく無しかのどちらかです。"
	case "bulk.came_of":
		return "What came of it", "結果"
	case "bulk.by_now":
		return "As things stand", "現時点"
	case "bulk.new_by_now":
		return "{1} of {2} {2|line|lines} new, together {3} {3|credit|credits}", "{2}行中{1}行が新規、合計{3}クレジット"
	case "bulk.file_of":
		return "Line of the file", "一括付与ファイル"
	case "bulk.file":
		return "CSV file", "CSVファイル"
	case "bulk.file_hint":
		return "UTF-8, commas or semicolons, a header line, up to {1} {1|line|lines} and {2} MiB", "UTF-8、カンマまたはセミコロン区切り、見出し行あり、最大{1}行・{2} MiB"
	case "bulk.columns":
		return "Columns: {1}. The reference is the operation id: the same reference is granted once, whatever the file.", "列：{1}。referenceは操作IDです。同じreferenceは、どのファイルでも一度だけ付与されます。"
	case "bulk.upload":
		return "Upload and check", "アップロードして確認"
	case "bulk.recent":
		return "Files", "ファイル一覧"
	case "bulk.none":
		return "No file has been uploaded yet.", "ファイルはまだアップロードされていません。"
	case "bulk.no_file":
		return "Choose a file.", "ファイルを選択してください。"
	case "bulk.too_large":
		return "The file is larger than {1} MiB.", "ファイルが{1} MiBを超えています。"
	case "bulk.bad":
		return "The file has lines that cannot be granted. Nothing was granted; correct the file and upload it again.", "付与できない行があります。何も付与されていません。ファイルを修正して再アップロードしてください。"
	case "bulk.problems":
		return "What is wrong", "問題のある行"
	case "bulk.line":
		return "Line", "行"
	case "bulk.column":
		return "Column", "列"
	case "bulk.problem":
		return "Problem", "問題"
	case "bulk.value":
		return "What stands there", "記載内容"
	case "bulk.lines":
		return "Lines", "行数"
	case "bulk.credits":
		return "Sum, credits", "合計（クレジット）"
	case "bulk.new":
		return "New", "新規"
	case "bulk.new_credits":
		return "New, credits", "新規（クレジット）"
	case "bulk.done":
		return "Already done", "実行済み"
	case "bulk.by":
		return "By", "担当者"
	case "bulk.at":
		return "Uploaded ({1})", "アップロード（{1}）"
	case "bulk.confirm_title":
		return "Grant what is new", "新規分を付与"
	case "bulk.confirm_say.one":
		return "{1} new grant, {2}. Grants cannot be removed; a mistake is put right by adjustments.", "新規{1}件、{2}を付与します。付与は取り消せず、誤りは調整で直します。"
	case "bulk.confirm_say.other":
		return "{1} new grants, together {2}, all at once or not at all. Grants cannot be removed; a mistake is put right by adjustments.", "新規{1}件、合計{2}を、一括で（または一切行わずに）付与します。付与は取り消せず、誤りは調整で直します。"
	case "bulk.of_credits.one":
		return "{1} credit", "{1}クレジット"
	case "bulk.of_credits.other":
		return "{1} credits", "{1}クレジット"
	case "bulk.confirm_together":
		return "Together with what you gave one of these accounts within 24 hours it is more than {1} {1|credit|credits}: a second person has to approve the file first.", "24時間以内に同じアカウントへ付与した分と合わせて{1}クレジットを超えるため、先に二人目の承認が必要です。"
	case "bulk.lines_title":
		return "Lines of the file", "ファイルの行"
	case "bulk.lines_csv":
		return "Download all lines (CSV)", "全行をダウンロード（CSV）"
	case "bulk.lines_say":
		return "Lines {1} to {2} of {3}, in the order of the file; balances in the order in which they are granted", "{3}行中{1}〜{2}行目（ファイルの順）。残高は付与される順です"
	case "bulk.balance":
		return "Balance before → after, credits", "残高 前 → 後（クレジット）"
	case "bulkstanding.new":
		return "New", "新規"
	case "bulkstanding.done":
		return "Already done", "実行済み"
	case "bulkstanding.not_granted":
		return "Not granted", "未付与"
	case "bulkstanding.bad":
		return "Cannot be granted", "付与不可"
	case "bulk.line_entry":
		return "Entry {1}", "記帳{1}"
	case "inbox.bulk_grant_failed":
		return "Nothing of the file {1} was granted", "ファイル{1}の付与は実行されませんでした"
	case "bulk.failed_line":
		return "Line {1}: {2}", "{1}行目：{2}"
	case "bulk.confirm_second":
		return "The file sums up to {1} {1|credit|credits}, above {2}: a second person has to approve it first.", "ファイルの合計は{1}クレジットで{2}を超えるため、先に二人目の承認が必要です。"
	case "bulk.confirm.one":
		return "Grant {1} credit", "{1}クレジットを付与"
	case "bulk.confirm.other":
		return "Grant {1} credits", "{1}クレジットを付与"
	case "bulk.nothing":
		return "Every line of this file was granted before. There is nothing left to do.", "このファイルのすべての行は付与済みです。行うことはありません。"
	case "bulk.say_waits":
		return "It waits for a second person. Nothing is granted yet.", "二人目の承認を待っています。まだ付与されていません。"
	case "bulk.say_void":
		return "Its change request was not approved. Nothing was granted; upload the file again if it is still meant.", "変更申請は承認されませんでした。何も付与されていません。必要な場合は再アップロードしてください。"
	case "bulk.say_running":
		return "It is being granted: {1} of {2} {2|line|lines}. Until the last one is, none is visible.", "付与中です（{2}行中{1}行）。最後の行が終わるまで、どの行も反映されません。"
	case "bulk.say_applied.one":
		return "{1} line was granted, {2} had been before.", "{1}行を付与しました。{2}行は付与済みでした。"
	case "bulk.say_applied.other":
		return "{1} lines were granted, {2} had been before.", "{1}行を付与しました。{2}行は付与済みでした。"
	case "bulk.say_failed":
		return "It could not be granted, and nothing of the file was. Correct it and upload it again.", "付与できませんでした。ファイルの内容は一切付与されていません。修正して再アップロードしてください。"
	case "bulk.progress":
		return "Progress", "進捗"
	case "bulk.look_again":
		return "Look again", "再表示"
	case "bulk.more.one":
		return "And {1} more.", "ほか{1}件。"
	case "bulk.more.other":
		return "And {1} more.", "ほか{1}件。"
	case "state.unconfirmed":
		return "Not confirmed", "未確定"

	case "approval.kind.bulk_grant":
		return "Grants from a file", "ファイルから付与"
	case "approval.bulk_grant":
		return "Grants of {1} {1|credit|credits} from a file", "ファイルから{1}クレジットの付与"
	case "done.upload_bulk_grant":
		return "The file was read. Nothing is granted yet.", "ファイルを読み込みました。まだ付与されていません。"
	case "done.bulk_grant":
		return "The file is being granted.", "ファイルの付与を開始しました。"
	case "conflict.confirmed":
		return "Too late: the file is confirmed already.", "すでに確定されているため、実行できません。"
	case "conflict.bad_lines":
		return "The file has lines that cannot be granted any more.", "付与できなくなった行があります。"
	case "fault.bulk_grant_not_found":
		return "There is no such file of grants.", "付与ファイルが見つかりません。"
	case "fault.bulk_grant_bad_lines":
		return "The file has lines that cannot be granted. Nothing was granted.", "付与できない行があります。何も付与されていません。"
	case "kind.bulk_grant":
		return "Grants from a file", "ファイルから付与"
	case "kind.upload_bulk_grant":
		return "Upload of grants", "付与ファイルのアップロード"
	case "kind.apply_bulk_grant":
		return "Grants of a file", "付与ファイルの実行"

	case "bulkline.not_text":
		return "It is not UTF-8 text.", "UTF-8のテキストではありません。"
	case "bulkline.no_header":
		return "There is no header line.", "見出し行がありません。"
	case "bulkline.missing_column":
		return "This column is missing.", "この列がありません。"
	case "bulkline.unknown_column":
		return "There is no such column.", "この列は使えません。"
	case "bulkline.double_column":
		return "This column is there twice.", "この列が重複しています。"
	case "bulkline.broken_line":
		return "The line has another number of columns than the header, or its quotes do not match.", "見出しと列数が異なるか、引用符が対応していません。"
	case "bulkline.empty_file":
		return "There is no line below the header.", "見出し行の下に行がありません。"
	case "bulkline.too_many_lines":
		return "The file has too many lines. Divide it.", "行数が多すぎます。分割してください。"
	case "bulkline.control_characters":
		return "It holds characters that are no text (NUL). Save it as CSV once more.", "テキストではない制御文字（NUL）が含まれています。CSVとして保存し直してください。"
	case "bulkline.too_large":
		return "From here on the sum of the file is more than can be counted.", "この行で、ファイルの合計が扱える範囲を超えます。"
	case "bulkline.balance_too_large":
		return "The balance, {1} before this line, would be more than can be counted.", "残高（この行の前は{1}）が扱える範囲を超えます。"
	case "bulkline.reference_taken":
		return "This reference was granted to the account {1}.", "このreferenceはアカウント{1}に付与済みです。"
	case "bulkline.second_person":
		return "Together with what you gave this account within 24 hours it is above the limit of one person. Upload the file again to ask a second person.", "24時間以内にこのアカウントへ付与した分と合わせて、一人で付与できる上限を超えます。もう一度アップロードして二人目の承認を依頼してください。"
	case "bulkline.required":
		return "Please fill this in.", "入力してください。"
	case "bulkline.not_read_on":
		return "Too many lines have quotes that do not match: what follows was not read.", "引用符の対応しない行が多すぎるため、以降は読み取っていません。"
	case "bulkline.bad_reference":
		return "1 to 255 visible ASCII characters without blanks, also before and behind.", "前後も含め空白のない1〜255文字のASCII文字にしてください。"
	case "bulkline.bad_account":
		return "No account can have this id. Blanks before and behind it count.", "アカウントIDとして使えません。前後の空白もIDの一部とみなします。"
	case "bulkline.bad_amount":
		return "A whole number of credits above zero, digits only.", "1以上の整数（数字のみ）にしてください。"
	case "bulkline.bad_category":
		return "paid, promotion or goodwill.", "paid、promotion、goodwillのいずれかにしてください。"
	case "bulkline.too_long":
		return "It is too long.", "長すぎます。"
	case "bulkline.bad_text":
		return "It holds characters that cannot be kept.", "使えない文字が含まれています。"
	case "bulkline.double_reference":
		return "The same reference stands on line {1}.", "同じreferenceが{1}行目にあります。"
	case "bulkline.unknown_account":
		return "There is no such account.", "アカウントが見つかりません。"
	case "bulkline.conflict":
		return "This reference was used before for something else.", "このreferenceは別の内容で使用済みです。"
	case "bulkline.undecided":
		return "This reference waits for a second person, or was refused by one.", "このreferenceは二人目の承認待ち、または却下済みです。"
	}
	return "", ""
}
