package text

// finance holds what finance does with entries: files of them, why a balance is what it is, and where an entry came
// from.
func finance(key string) (en, ja string) {
	switch key {
	case "filter.actor_hint":
		return "A name or e-mail address; system for timers", "名前またはメールアドレス（タイマーは system）"
	case "filter.sign":
		return "Sign", "符号"
	case "filter.any_sign":
		return "Either sign: 40 also finds −40", "符号を問わない（40で−40も含む）"
	case "filter.min_any_sign":
		return "Credits from, either sign", "クレジット（下限、符号を問わない）"
	case "filter.max_any_sign":
		return "Credits to, either sign", "クレジット（上限、符号を問わない）"
	case "problem.actor_ambiguous":
		return "Several people or keys have this name: type the e-mail address.", "同じ名前が複数あります。メールアドレスを入力してください。"
	case "actor.key":
		return "API key", "APIキー"
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
	case "fault.export_filter":
		return "A part of the filter cannot be read, so no file was made. Go back and correct the marked field.", "読み取れない条件があるため、ファイルは作成されていません。戻って、印の付いた欄を直してください。"
	case "fault.export_busy":
		return "Other exports are being made just now, so no file was made. Try again in a minute.", "ほかの書き出しを処理中のため、ファイルは作成されていません。1分ほど待って再度お試しください。"

	case "why.open":
		return "Why this balance?", "残高の根拠"
	case "why.title_refused":
		return "Balance of {1}", "{1} の残高"
	case "why.title":
		return "Why is this balance {1}?", "残高が{1}である理由"
	case "why.say":
		return "At {1} the balance of {2} was {3} {3|credit|credits}. Below, every entry up to then is added up and held against it.", "{1}時点の{2}の残高は{3}クレジットでした。以下で、それまでの全記帳を合計して照合します。"
	case "why.say_now":
		return "The balance of {1} is {2} {2|credit|credits}. Below, every entry so far is added up and held against it.", "{1}の現在の残高は{2}クレジットです。以下で、これまでの全記帳を合計して照合します。"
	case "why.at":
		return "Balance at", "残高の時点"
	case "why.at_hint":
		return "A time in {1}. Entries made up to then count", "{1}の時刻。その時点までの記帳を含みます"
	case "why.show":
		return "Show", "表示"
	case "why.now":
		return "Now", "現在"
	case "why.both":
		return "The clock shows this time twice", "この時刻は二度あります"
	case "why.first_time":
		return "The first time, {1}", "一度目（{1}）"
	case "why.second_time":
		return "The second time, {1}", "二度目（{1}）"
	case "problem.left_out":
		return "The clock is set forward over this time: it never was.", "時計が進められたため、この時刻は存在しません。"
	case "problem.twice":
		return "It is given twice. One counts.", "重複して指定されています。一つにしてください。"
	case "problem.moment":
		return "A time such as 2026-11-30T18:12:34.", "2026-11-30T18:12:34 のような時刻を入力してください。"
	case "problem.future":
		return "That moment has not come yet.", "その時刻はまだ来ていません。"
	case "why.check":
		return "sum of {1} = {2} = balance, checked now", "{1}の合計 = {2} = 残高（たった今確認）"
	case "why.broken_sum":
		return "The sum of {1} is {2}, but the balance says {3}.", "{1}の合計は{2}ですが、残高は{3}となっています。"
	case "why.broken_gap":
		return "There are {1}, but there should be {2}.", "{1}がありますが、本来は{2}のはずです。"
	case "why.broken_row":
		return "The sum of {1} is {2}, but on the way the balances do not follow from each other or an entry has no place in its job.", "{1}の合計は{2}ですが、途中の残高がつながらないか、ジョブに合わない記帳があります。"
	case "account.wrong.one":
		return "The last verification, at {2}, found {1} problem with this account: {3}.", "{2}の検証で、このアカウントに問題が{1}件見つかりました：{3}。"
	case "account.wrong.other":
		return "The last verification, at {2}, found {1} problems with this account: {3}.", "{2}の検証で、このアカウントに問題が{1}件見つかりました：{3}。"
	case "why.broken_next":
		return "Rows of the ledger were changed from outside. Do not explain this balance to the customer yet: tell an administrator, who runs recoup verify.", "台帳の行が外部から変更されています。この残高をまだお客様に説明しないでください。管理者に知らせ、recoup verify を実行してもらってください。"
	case "why.break":
		return "First at entry {1}", "最初の不一致：記帳{1}"
	case "why.summary":
		return "What it is made of", "内訳"
	case "why.became":
		return "What became of it", "結果"
	case "why.count":
		return "Count", "件数"
	case "why.taken":
		return "Taken", "減"
	case "why.given":
		return "Given", "増"
	case "why.total":
		return "Balance", "残高"
	case "why.none":
		return "No entries up to this moment: the balance is 0.", "この時点までの記帳はなく、残高は0です。"
	case "why.customer":
		return "For the customer", "お客様への説明"
	case "why.customer_say":
		return "To copy into an answer. It says the same figures without our own terms.", "回答にそのまま貼り付けられます。同じ数字を、社内用語を使わずに説明しています。"
	case "why.copy":
		return "Copy text", "文章をコピー"
	case "why.entries":
		return "Every entry in order", "全記帳（順番どおり）"
	case "why.number":
		return "Entry", "番号"
	case "why.job_net":
		return "Its job so far", "ジョブの累計"
	case "why.order":
		return "Oldest first. Times in {1}.", "古い順。時刻は{1}。"
	case "why.range":
		return "{1}–{2} of {3}", "{3}件中{1}〜{2}"

	case "reason_of.grant":
		return "Grants", "付与"
	case "reason_of.delivered":
		return "Jobs delivered and paid", "納品・課金済みのジョブ"
	case "reason_of.reclaimed":
		return "Jobs refunded, delivered later and reclaimed", "返金後に納品され、回収したジョブ"
	case "reason_of.refunded":
		return "Jobs failed and refunded", "失敗して返金したジョブ"
	case "reason_of.canceled":
		return "Jobs canceled and refunded", "キャンセルして返金したジョブ"
	case "reason_of.retried":
		return "Jobs refunded and being tried again", "返金済み・再試行中のジョブ"
	case "reason_of.unfinished":
		return "Jobs charged, not finished yet", "課金済み・未完了のジョブ"
	case "reason_of.settlement":
		return "Settlements: prices of jobs put right", "精算：ジョブの料金の訂正"
	case "reason_of.adjustment":
		return "Adjustments", "調整"
	case "reason_of.irregular":
		return "Jobs whose entries break the rules", "規則に合わない記帳のジョブ"

	case "answer.balance":
		return "Your balance at {1}: {2} {2|credit|credits}. This is how it came about:", "{1}時点の残高は{2}クレジットです。内訳は次のとおりです。"
	case "answer.added.one":
		return "Credits added: {2} (once)", "追加されたクレジット：{2}（{1}回）"
	case "answer.added.other":
		return "Credits added: {2} ({1} times)", "追加されたクレジット：{2}（{1}回）"
	case "answer.delivered.one":
		return "Delivered: {2} ({1} job, paid once)", "納品済み：{2}（{1}件、お支払いは各1回）"
	case "answer.delivered.other":
		return "Delivered: {2} ({1} jobs, each paid once)", "納品済み：{2}（{1}件、お支払いは各1回）"
	case "answer.late.one":
		return "Paid back at first, then delivered after all: {2} ({1} job, paid once)", "一度お返しした後に納品：{2}（{1}件、お支払いは各1回）"
	case "answer.late.other":
		return "Paid back at first, then delivered after all: {2} ({1} jobs, each paid once)", "一度お返しした後に納品：{2}（{1}件、お支払いは各1回）"
	case "answer.paid_back.one":
		return "Failed and paid back in full: {2} ({1} job, {3} credits paid back)", "失敗のため全額お返し：{2}（{1}件、お返しした合計は{3}クレジット）"
	case "answer.paid_back.other":
		return "Failed and paid back in full: {2} ({1} jobs, {3} credits paid back)", "失敗のため全額お返し：{2}（{1}件、お返しした合計は{3}クレジット）"
	case "answer.canceled.one":
		return "Canceled and paid back in full: {2} ({1} job, {3} credits paid back)", "キャンセルにつき全額お返し：{2}（{1}件、お返しした合計は{3}クレジット）"
	case "answer.canceled.other":
		return "Canceled and paid back in full: {2} ({1} jobs, {3} credits paid back)", "キャンセルにつき全額お返し：{2}（{1}件、お返しした合計は{3}クレジット）"
	case "answer.retried.one":
		return "Paid back in full and being tried again: {2} ({1} job, {3} credits paid back; it is paid for again if it is delivered)", "全額お返しのうえ、改めて処理中：{2}（{1}件、お返しした合計は{3}クレジット。納品された場合は改めてお支払いいただきます）"
	case "answer.retried.other":
		return "Paid back in full and being tried again: {2} ({1} jobs, {3} credits paid back; each is paid for again if it is delivered)", "全額お返しのうえ、改めて処理中：{2}（{1}件、お返しした合計は{3}クレジット。納品された場合は改めてお支払いいただきます）"
	case "answer.unfinished.one":
		return "Still being worked on: {2} ({1} job; paid back in full if it fails)", "処理中：{2}（{1}件。失敗した場合は全額お返しします）"
	case "answer.unfinished.other":
		return "Still being worked on: {2} ({1} jobs; each paid back in full if it fails)", "処理中：{2}（{1}件。失敗した場合は全額お返しします）"
	case "answer.settled.one":
		return "Price of a job put right by us: {2} ({1} job)", "当社によるジョブ料金の訂正：{2}（{1}件）"
	case "answer.settled.other":
		return "Prices of jobs put right by us: {2} ({1} jobs)", "当社によるジョブ料金の訂正：{2}（{1}件）"
	case "answer.corrected.one":
		return "Corrections made by us: {2} (once)", "当社による修正：{2}（{1}回）"
	case "answer.corrected.other":
		return "Corrections made by us: {2} ({1} times)", "当社による修正：{2}（{1}回）"
	case "answer.together":
		return "Together: {1} {1|credit|credits}, your balance.", "合計：{1}クレジット。これが残高です。"

	case "entry.title":
		return "Entry {1}: {2} {3}", "記帳{1}：{2} {3}"
	case "entry.open":
		return "Open as a page", "ページで開く"
	case "entry.what":
		return "What it did", "記帳の内容"
	case "entry.at":
		return "Time", "時刻"
	case "entry.reference":
		return "Reference", "参照番号"
	case "entry.reason":
		return "Reason", "理由"
	case "entry.event":
		return "What wrote it", "記帳のきっかけ"
	case "entry.charged":
		return "The job was charged", "ジョブへの課金"
	case "entry.timeline":
		return "Timeline of the job", "ジョブの経過"
	case "entry.cohort":
		return "Cohort", "コホート"
	case "entry.others":
		return "All entries of this job", "このジョブの全記帳"
	case "entry.chain":
		return "Chain", "連鎖"
	case "entry.chained":
		return "The hash was computed again and is the stored one. It covers account, number, type, amount, balance, job, operation, rollout, cohort, rule version, time and the previous hash; not actor, category, reference and reason.", "計算し直したハッシュは、保存された値と一致します。対象はアカウント・番号・種類・金額・残高・ジョブ・操作・ロールアウト・コホート・ルール版・時刻・直前のハッシュです。実行者・区分・参照番号・理由は含まれません。"
	case "entry.unchained":
		return "The hash computed from the entry’s fields and the previous hash is not the stored one, or the balance does not follow: a row was changed from outside. Tell an administrator.", "計算し直したハッシュが保存された値と一致しないか、残高がつながりません。行が外部から変更されています。管理者に知らせてください。"
	case "entry.operation_same":
		return "Its operation, and what was asked for with it, say the same of number, type, amount, balance, job, actor, category, reference and reason.", "番号・種類・金額・残高・ジョブ・実行者・区分・参照番号・理由は、操作の記録およびその依頼内容と一致します。"
	case "entry.operation_same_payment":
		return "Its operation says the same of number, type, amount, balance, actor and reference; the reason is that of the settlement.", "番号・種類・金額・残高・実行者・参照番号は、操作の記録と一致します。理由は精算のものです。"
	case "entry.operation_differs":
		return "Its operation says otherwise: a row was changed from outside. Tell an administrator. Operation: {1}. Entry: {2}.", "操作の記録と一致しません。行が外部から変更されています。管理者に知らせてください。操作：{1}。記帳：{2}。"
	case "entry.previous_hash":
		return "Previous hash", "直前のハッシュ"
	case "entry.hash":
		return "Hash", "ハッシュ"
	}
	return "", ""
}
