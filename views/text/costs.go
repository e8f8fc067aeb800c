package text

import "strings"

// Decimal formats an exact decimal in plain notation, as package decimal writes it: thousands separated before the
// point, at least two digits after it, a negative one with Minus. No digit is dropped.
func (l Locale) Decimal(plain string) string {
	whole, fraction, _ := strings.Cut(plain, ".")
	if len(fraction) < 2 {
		fraction += strings.Repeat("0", 2-len(fraction))
	}
	return l.Sum(whole) + "." + fraction
}

// costs holds the pages of what providers billed.
func costs(key string) (en, ja string) {
	switch key {
	case "nav.costs":
		return "Costs", "原価"
	case "costs.title":
		return "Costs", "原価"
	case "costs.say":
		return "What providers billed, each in its own currency, and whom it is put down to.", "提供元から請求された原価を、それぞれの通貨のまま、どこに帰属するかとともに示します。"
	case "costs.records":
		return "Records", "明細"
	case "costs.none":
		return "No costs yet. They come through the API or as an imported bill.", "原価はまだありません。APIまたは請求ファイルの取り込みで登録されます。"
	case "costs.source":
		return "Source", "提供元"
	case "costs.currency":
		return "Currency", "通貨"
	case "costs.currencies.one":
		return "{1} currency", "{1}通貨"
	case "costs.currencies.other":
		return "{1} currencies, never added up", "{1}通貨（通貨間の合算はしません）"
	case "costs.totals":
		return "Of this filter", "この条件の合計"
	case "costs.text":
		return "Text or external id", "説明または外部ID"
	case "costs.import":
		return "Import", "取り込み"
	case "costs.rule":
		return "Overhead rule", "間接費ルール"
	case "costs.record":
		return "Record, source", "明細・提供元"
	case "costs.description":
		return "Description", "説明"
	case "costs.amount":
		return "Amount", "金額"
	case "costs.count.one":
		return "{1} record", "{1}件"
	case "costs.count.other":
		return "{1} records", "{1}件"
	case "costs.export":
		return "CSV", "CSV"
	case "costs.export_say":
		return "Exactly these records, times of {1}", "表示中の明細のみ、時刻は{1}"
	case "state.attributed":
		return "Attributed", "帰属済み"
	case "state.overhead":
		return "Overhead", "間接費"
	case "state.unattributed":
		return "Unattributed", "未帰属"
	case "state.uploaded":
		return "Not imported", "未取り込み"

	case "costs.record_title":
		return "Cost of {1}", "原価 {1}"
	case "costs.record_to":
		return "Put down to {1}.", "{1}に帰属しています。"
	case "costs.record_overhead":
		return "Overhead: a rule says that it belongs to no job.", "間接費：ルールにより、特定のジョブに属さないとされています。"
	case "costs.record_of_action":
		return "Nobody knows yet what it was for. Until somebody does, it holds up every live rollout of {1}.", "まだ何のための費用か分かっていません。判明するまで、{1}の実施中のロールアウトを止めます。"
	case "costs.record_of_period":
		return "Nobody knows yet what it was for, nor of which action it is. Until somebody does, it holds up the live rollouts of all actions that began before {1}.", "まだ何のための費用か分かっておらず、アクションも不明です。判明するまで、{1}より前に始まった、すべてのアクションの実施中のロールアウトを止めます。"
	case "costs.record_of_moment":
		return "Nobody knows yet what it was for, nor of which action it is. Until somebody does, it holds up the live rollouts of all actions that had begun by {1}.", "まだ何のための費用か分かっておらず、アクションも不明です。判明するまで、{1}までに始まっていた、すべてのアクションの実施中のロールアウトを止めます。"
	case "costs.billed":
		return "As it was billed", "請求内容"
	case "costs.dimensions":
		return "Dimensions", "属性"
	case "costs.history":
		return "Whom it was put down to", "帰属の履歴"
	case "costs.to":
		return "Put down to", "帰属先"
	case "costs.why":
		return "Why", "理由"
	case "costs.by":
		return "By", "担当"
	case "cost_cause.recorded":
		return "As it was recorded", "登録時"
	case "cost_cause.rule":
		return "By an overhead rule", "間接費ルール"
	case "cost_cause.came_later":
		return "Its job was charged after it was recorded", "登録後にジョブが課金されたため"
	case "cost_cause.person":
		return "By hand", "手動"
	case "costs.external_id":
		return "External id", "外部ID"
	case "costs.named":
		return "Names itself", "明細が示す対象"
	case "costs.time":
		return "Time", "時刻"
	case "costs.from":
		return "Period from", "対象期間の開始"
	case "costs.until":
		return "Period to", "対象期間の終了"
	case "costs.recorded":
		return "Recorded", "登録時刻"
	case "costs.rule_like_this":
		return "Rule for such records", "同種の明細のルール"

	case "costs.attribute":
		return "Attribute", "帰属先を指定"
	case "costs.attribute_title":
		return "Attribute {1}", "{1} の帰属先を指定"
	case "costs.attribute_say":
		return "Name the job or the operation that this was billed for. The record itself stays as it is; the newest attribution holds, the others are its history.", "この費用が発生したジョブまたは操作を指定します。明細自体は変わりません。最新の帰属が有効で、以前のものは履歴に残ります。"
	case "costs.attribute_after":
		return "the one named below", "下で指定する対象"
	case "costs.attribute_none":
		return "All three empty: unattributed again", "3つとも空欄なら未帰属に戻します"
	case "costs.attribute_operation":
		return "In the place of a job", "ジョブの代わりに指定"
	case "costs.attribute_submit":
		return "Attribute record", "帰属先を確定"
	case "costs.nobody":
		return "nobody", "なし"

	case "costs.rules":
		return "Overhead rules", "間接費ルール"
	case "costs.rules_say":
		return "What a person decided to belong to no job. A rule claims unattributed records, those that are there and those to come.", "特定のジョブに属さないと担当者が決めた費用です。未帰属の明細に、既存のものにも今後のものにも適用されます。"
	case "costs.rules_none":
		return "No rules yet. Without one no record is overhead.", "ルールはまだありません。ルールがなければ間接費になる明細もありません。"
	case "costs.rule_match":
		return "Matches, reason", "条件・理由"
	case "costs.rule_made":
		return "Made ({1})", "作成（{1}）"
	case "costs.rule_records":
		return "Records", "件数"
	case "costs.rule_new":
		return "New rule", "新しいルール"
	case "costs.rule_new_say":
		return "Unattributed records that meet all of it become overhead at once, and so will later ones. Attributed records stay as they are.", "すべての条件を満たす未帰属の明細がただちに間接費となり、今後の明細にも適用されます。帰属済みの明細は変わりません。"
	case "costs.rule_description":
		return "Description contains", "説明に含む語"
	case "costs.dimension":
		return "Dimension", "属性名"
	case "costs.dimension_value":
		return "Its value", "属性の値"
	case "costs.rule_preview":
		return "Show what it claims", "対象を表示"
	case "costs.rule_preview_wait":
		return "What the rule would claim at once appears here.", "ルールがただちに対象とする明細がここに表示されます。"
	case "costs.rule_claims":
		return "It would claim", "対象となる金額"
	case "costs.rule_ahead.one":
		return "{1} unattributed record would become overhead at once.", "未帰属の明細{1}件がただちに間接費になります。"
	case "costs.rule_ahead.other":
		return "{1} unattributed records would become overhead at once.", "未帰属の明細{1}件がただちに間接費になります。"
	case "costs.rule_submit":
		return "Make rule", "ルールを作成"
	case "costs.rule_retire":
		return "Retire", "廃止"
	case "costs.rule_retire_title":
		return "Retire this rule", "このルールを廃止"
	case "costs.rule_retire_say":
		return "It claims no more records. What it claimed stays overhead.", "今後の明細には適用されません。すでに間接費となったものはそのままです。"

	case "costs.imports":
		return "Imports", "取り込み"
	case "costs.imports_say":
		return "Bills as files. A file is imported as a whole or not at all, and the same file twice has one effect.", "請求ファイルの取り込みです。ファイル全体が取り込まれるか、まったく取り込まれないかのどちらかで、同じファイルを二度取り込んでも結果は一度分です。"
	case "costs.imports_none":
		return "No file was uploaded yet.", "アップロードされたファイルはまだありません。"
	case "costs.file":
		return "File", "ファイル"
	case "costs.file_hint":
		return "CSV, up to {1}", "CSV、{1}まで"
	case "costs.uploaded":
		return "Uploaded ({1})", "アップロード（{1}）"
	case "costs.outcome":
		return "What came of it", "結果"
	case "costs.upload":
		return "Upload a bill", "請求ファイルをアップロード"
	case "costs.upload_title":
		return "Upload a bill", "請求ファイルのアップロード"
	case "costs.upload_say":
		return "Nothing is imported yet: the next page shows what was read, and names every line that is not right.", "まだ取り込みは行われません。次の画面で読み取り結果を確認でき、正しくない行はすべて示されます。"
	case "costs.upload_submit":
		return "Upload and look", "アップロードして確認"
	case "costs.source_hint":
		return "External ids are unique in it", "外部IDは提供元ごとに一意です"
	case "costs.format":
		return "Columns", "列の形式"
	case "cost_format.focus":
		return "FOCUS 1.0", "FOCUS 1.0"
	case "cost_format.recoup":
		return "Own columns", "独自の列"
	case "costs.own_columns":
		return "For own columns", "独自の列の場合"
	case "costs.own_hint":
		return "The first line names the columns, in any order. Columns are separated by commas, and the text is UTF-8.", "1行目に列名を書きます。順序は自由です。列はカンマで区切り、文字コードはUTF-8にします。"
	case "costs.column_needed":
		return "{1} Required.", "{1}必須です。"
	case "own_column.external_id":
		return "The line’s id, unique in its source.", "明細のIDです。提供元の中で一意にします。"
	case "own_column.amount":
		return "What was billed, such as 12.5; a credit note is negative.", "請求額です（例：12.5）。値引きは負の数にします。"
	case "own_column.currency":
		return "Its currency, such as USD.", "通貨です（例：USD）。"
	case "own_column.time":
		return "When it arose, such as 2026-11-30T18:00:00Z.", "発生した時刻です（例：2026-11-30T18:00:00Z）。"
	case "own_column.until":
		return "When the period ends that the line is for; the time then begins it. Empty: it is of one moment.", "明細の対象期間の終了時刻です。この場合、time が開始になります。空欄なら、その時点の費用です。"
	case "own_column.account_id":
		return "The account of the job or the operation that it was billed for.", "費用が発生したジョブまたは操作のアカウントです。"
	case "own_column.job_id":
		return "That job. A line with neither job nor operation is attributed to nobody.", "そのジョブです。ジョブも操作もない明細は未帰属になります。"
	case "own_column.operation_id":
		return "That operation, in the place of a job.", "ジョブの代わりに、その操作を指定します。"
	case "own_column.action":
		return "The action, where the job is not known.", "ジョブが分からない場合のアクションです。"
	case "own_column.description":
		return "What the provider says of it.", "提供元による説明です。"
	case "own_column.dimension:…":
		return "Anything else that is to be kept, such as dimension:region.", "そのほかに残したい項目です（例：dimension:region）。"
	case "separator.;":
		return "semicolons", "セミコロン"
	case "separator.tab":
		return "tabs", "タブ"
	case "costs.focus_mapping":
		return "For FOCUS", "FOCUSの場合"
	case "costs.focus_hint":
		return "Each names a column, or a tag as Tags.key. Left empty with own columns.", "列名、またはタグを Tags.key の形で指定します。独自の列では空欄にします。"
	case "costs.amount_column":
		return "Amount", "金額の列"
	case "costs.line_id":
		return "Line id", "行ID"
	case "costs.line_id_hint":
		return "Empty: the whole row, and how often it came before", "空欄なら行全体の内容と出現回数で識別します"
	case "costs.job_column":
		return "Job", "ジョブ"
	case "costs.job_hint":
		return "As account/job, or with the account’s column below", "account/job の形、または下のアカウント列と併用"
	case "costs.operation_column":
		return "Operation, in the place of a job", "操作（ジョブの代わり）"
	case "costs.account_column":
		return "Account", "アカウント"
	case "costs.action_column":
		return "Action", "アクション"
	case "costs.problems":
		return "Lines that are not right", "正しくない行"
	case "costs.problems_more":
		return "There are others.", "ほかにもあります。"
	case "costs.file_totals":
		return "Good lines", "正しい行"
	case "costs.mapping":
		return "How it is read", "読み取り方"
	case "costs.first_lines":
		return "First lines", "先頭の行"
	case "costs.line":
		return "Line", "行"
	case "costs.lines.one":
		return "{1} line", "{1}行"
	case "costs.lines.other":
		return "{1} lines", "{1}行"
	case "costs.and_more":
		return "and {1} more", "ほか{1}行"
	case "costs.import_now":
		return "Import all lines", "すべて取り込む"
	case "costs.import_records":
		return "Its records", "取り込んだ明細"
	case "costs.refresh":
		return "Look again", "再表示"
	case "costs.preview_sound":
		return "Every line can be read. Nothing is imported yet.", "すべての行を読み取れます。まだ取り込まれていません。"
	case "costs.preview_bad":
		return "The file is not right, so nothing can be imported. Correct it and upload it again.", "ファイルに誤りがあるため取り込めません。修正して再度アップロードしてください。"
	case "costs.preview_gone":
		return "The file is not kept any more: nobody imported it for a week. Upload it again.", "一週間取り込まれなかったため、ファイルは保存されていません。再度アップロードしてください。"
	case "costs.preview_going":
		return "The import goes on in the background. Until it is done none of its lines counts.", "取り込みはバックグラウンドで進行中です。完了するまでどの行も反映されません。"
	case "costs.preview_failed":
		return "The import failed and nothing of it was recorded. {1} Put that right and upload the file again.", "取り込みに失敗し、何も登録されませんでした。{1}修正のうえ、もう一度アップロードしてください。"
	case "costs.preview_canceled":
		return "The import was canceled and nothing of it was kept.", "取り込みは取り消され、何も登録されませんでした。"
	case "costs.preview_done":
		return "{1} recorded: {2} attributed, {3} overhead, {4} unattributed. {5} {5|was|were} there already.", "{1}件を登録：帰属済み{2}、間接費{3}、未帰属{4}。{5}件は登録済みでした。"
	case "costs.preview_again":
		return "This very file was imported before. Nothing was written now.", "同じファイルがすでに取り込まれています。今回は何も登録していません。"
	case "costs.progress":
		return "{1} of {2} {2|line|lines}", "{2}行中{1}行"

	case "costs.margin":
		return "Margin", "粗利"
	case "costs.margin_say":
		return "Credits charged net of refunds, reclaims and settlements, at what a credit was worth, less what was billed. {1}, {2}.", "返金・回収・精算を差し引いた課金クレジットを当時の価値で換算し、原価を引いたものです。{1}、{2}。"
	case "costs.margin_by":
		return "By", "集計単位"
	case "cost_by.action":
		return "Action", "アクション"
	case "cost_by.rule_version":
		return "Rule version", "ルール版"
	case "cost_by.rollout":
		return "Rollout", "ロールアウト"
	case "costs.no_rollout":
		return "outside a rollout", "ロールアウト外"
	case "costs.no_group":
		return "an operation without a job", "ジョブのない操作"
	case "costs.margin_none":
		return "Nothing was charged and nothing billed in this period.", "この期間の課金も原価もありません。"
	case "costs.margin_unset":
		return "No margin in {1}: what a credit is worth is not set there for all of the period.", "{1}では粗利を表示できません。期間全体についてクレジットの価値が設定されていません。"
	case "costs.coverage":
		return "A cost is known for {1} of {2} {2|delivered job|delivered jobs}.", "納品済みジョブ{2}件のうち{1}件で原価が判明しています。"
	case "costs.coverage_of":
		return "known for {1} of {2} delivered", "納品{2}件中{1}件で判明"
	case "costs.margin_lacking":
		return "Where a cost is known for less than half of the delivered jobs, the margin is unknown: what is not billed yet is not free.", "原価の判明が納品済みジョブの半数に満たない場合、粗利は不明とします。未請求の原価はゼロではありません。"
	case "costs.charged_net":
		return "Charged net, credits", "純課金（クレジット）"
	case "costs.revenue":
		return "Worth", "換算額"
	case "costs.cost":
		return "Cost", "原価"
	case "costs.unknown":
		return "unknown", "不明"
	case "costs.not_set":
		return "not set", "未設定"
	case "costs.values":
		return "What a credit is worth", "クレジットの価値"
	case "costs.value":
		return "Value of one credit", "1クレジットの価値"
	case "costs.value_new":
		return "Set a credit’s value", "クレジットの価値を設定"
	case "costs.value_say":
		return "It holds from the moment you give until the next one; of two for the same moment, the one set last counts. Nothing that is stored changes: margins are worked out anew.", "指定した時点から次の設定まで有効です。同じ時点の設定が複数ある場合は、最後に設定したものが有効です。保存済みの記録は変わらず、粗利だけが計算し直されます。"
	case "costs.value_submit":
		return "Set value", "価値を設定"
	case "costs.valid_from":
		return "Valid from ({1})", "適用開始（{1}）"

	case "done.cost_attribute":
		return "Whom the record is put down to was changed.", "帰属先を変更しました。"
	case "done.cost_rule":
		return "The rule was made.", "ルールを作成しました。"
	case "done.cost_rule_retire":
		return "The rule was retired.", "ルールを廃止しました。"
	case "done.cost_upload":
		return "The file was uploaded.", "ファイルをアップロードしました。"
	case "done.cost_import_start":
		return "The import was started.", "取り込みを開始しました。"
	case "done.credit_value":
		return "The value was set.", "価値を設定しました。"
	case "conflict.attributed", "conflict.overhead", "conflict.unattributed":
		return "Too late: somebody put the record down to something else meanwhile.", "その間に別の担当者が帰属先を変更しました。"
	case "conflict.retired":
		return "Too late: the rule is retired by now.", "このルールはすでに廃止されています。"
	case "conflict.started":
		return "Too late: the import was started by now.", "この取り込みはすでに開始されています。"
	case "problem.is whom the record is put down to already":
		return "The record is put down to exactly this already: nothing would change.", "すでにこの帰属先になっているため、何も変わりません。"
	case "problem.does not exist in this account":
		return "It does not exist in this account.", "このアカウントには存在しません。"
	case "problem.must be an ISO 4217 code such as USD":
		return "A currency code such as USD.", "USDなどの通貨コードを入力してください。"
	case "problem.must be above 0":
		return "A number above zero.", "0より大きい数を入力してください。"
	case "problem.must be a decimal number such as 12.5 or -0.004":
		return "A decimal number such as 0.01.", "0.01などの小数を入力してください。"
	case "problem.state":
		return "There is no state {1}.", "{1} という状態はありません。"
	case "fault.cost_record_not_found":
		return "There is no such cost record.", "原価の明細が見つかりません。"
	case "fault.cost_rule_not_found":
		return "There is no such overhead rule.", "間接費ルールが見つかりません。"
	case "fault.cost_import_not_found":
		return "There is no such import.", "取り込みが見つかりません。"
	case "fault.cost_conflict":
		return "Lines of it were recorded before with other content.", "異なる内容で登録済みの行があります。"
	case "fault.gave_up":
		return "It was tried several times and failed each time; the log of the worker says why.", "何度か試みましたが、毎回失敗しました。原因はワーカーのログにあります。"
	case "cost_failed.invalid_request":
		return "Lines of it are not right.", "正しくない行があります。"
	case "fault.cost_import_file_gone":
		return "The file is not kept any more. Upload it again.", "ファイルは保存されていません。再度アップロードしてください。"
	}
	return "", ""
}
