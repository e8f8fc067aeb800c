package text

// integrity holds what the page of the ledger's invariants says. Keys of families: "rule." and a rule's name, "check."
// and a check's name, "next." and what to do.
func integrity(key string) (en, ja string) {
	switch key {
	case "nav.integrity":
		return "Integrity", "整合性"
	case "nav.checks":
		return "Checks", "確認"
	case "integrity.title":
		return "Integrity", "整合性"
	case "integrity.say_never":
		return "The ledger has not been verified yet. Run it now, or wait for the night.", "台帳はまだ検証されていません。今すぐ実行するか、夜間の検証をお待ちください。"
	case "integrity.say_passed":
		return "Every rule that was checked held at {1}: {2}. The run took {3}.", "{1}の検証で、確認したすべての規則が守られていました：{2}。所要時間は{3}です。"
	case "integrity.say_broken":
		return "At {1} rows were found that are not what they must be: {2}. Below each rule stands what to do next.", "{1}の検証で、あるべき状態でない行が{2}件見つかりました。次にすべきことを各規則の下に示します。"
	case "integrity.run":
		return "Run now", "今すぐ実行"
	case "integrity.run_now":
		return "Verify the whole ledger now", "台帳全体を今すぐ検証"
	case "integrity.run_now_say":
		return "Every entry, job and operation is read back and checked. Charges go on meanwhile; nothing is changed. It can be canceled at any time.", "すべての記帳・ジョブ・操作を読み直して確認します。その間も課金は続き、何も変更されません。いつでも中止できます。"
	case "integrity.live":
		return "The ledger is being verified", "台帳を検証しています"
	case "integrity.waits":
		return "Waits for a worker process.", "ワーカープロセスを待っています。"
	case "integrity.progress":
		return "{1} of {2} {2|account|accounts}, {3} of about {4} {4|entry|entries}, {5} {5|job|jobs} read; {6} {6|problem|problems} so far.", "{2}アカウント中{1}、約{4}件の記帳中{3}件、ジョブ{5}件を確認済み。これまでの問題：{6}件。"
	case "integrity.look_again":
		return "Look again", "再表示"
	case "integrity.cancel":
		return "End the run", "検証を中止"
	case "integrity.cancel_title":
		return "End the run of the verifier", "検証を中止"
	case "integrity.cancel_say":
		return "What it found so far is not kept. The result of the last run stays.", "ここまでの結果は保存されません。前回の検証結果はそのまま残ります。"
	case "integrity.broke_off":
		return "The run that was asked for broke off at {1}.", "依頼された検証は{1}に中断しました。"
	case "integrity.broke_off_next":
		return "The table shows the run before it. Run it again; if it breaks off again, the log of the worker process says why.", "表は前回の検証結果です。再度実行してください。再び中断する場合は、ワーカープロセスのログに理由があります。"
	case "integrity.rules":
		return "What must always hold", "常に守られるべき規則"
	case "integrity.rule":
		return "Rule", "規則"
	case "integrity.must_hold":
		return "What must hold", "内容"
	case "integrity.checked_of":
		return "Checked", "確認したもの"
	case "count.accounts.one":
		return "{1} account", "アカウント{1}件"
	case "count.accounts.other":
		return "{1} accounts", "アカウント{1}件"
	case "count.jobs.one":
		return "{1} job", "ジョブ{1}件"
	case "count.jobs.other":
		return "{1} jobs", "ジョブ{1}件"
	case "integrity.problems":
		return "Problems", "問題"
	case "integrity.not_checked":
		return "not checked", "未確認"
	case "integrity.history":
		return "Runs", "検証の履歴"
	case "integrity.none":
		return "No run yet.", "検証はまだありません。"
	case "integrity.col_read":
		return "Read", "確認した件数"
	case "integrity.col_took":
		return "Took", "所要時間"
	case "integrity.took_say":
		return "Took: checks that are made in one reading share what it took, and readings go on beside each other.", "所要時間：1回の読み取りで行う検査はその時間を共有し、読み取りは並行して行われます。"
	case "integrity.not_made":
		return "Not made in this run: {1}.", "この検証で行わなかった検査：{1}。"
	case "integrity.without":
		return "Nothing is kept here for: {1}.", "ここでは保存されていないもの：{1}。"
	case "integrity.say_standing":
		return "At {1} {2} rows were found that are not what they must be. What earlier runs found by checks that this one did not make still stands: {3}. Below each rule stands what to do next.", "{1}の検証で、あるべき状態でない行は{2}件でした。この検証で行わなかった検査について、以前の検証で見つかったものは残っています：{3}。次にすべきことを各規則の下に示します。"
	case "integrity.col_by":
		return "Asked by", "依頼者"
	case "integrity.by_command":
		return "command line", "コマンドライン"
	case "integrity.read":
		return "{1}, accounts: {2}, jobs: {3}", "{1}、アカウント：{2}、ジョブ：{3}"
	case "count.problems.one":
		return "{1} problem", "問題{1}件"
	case "count.problems.other":
		return "{1} problems", "問題{1}件"
	case "integrity.run_title":
		return "Run of {1}", "{1}の検証"
	case "integrity.run_say":
		return "Asked for by {1}. Read {2} in {3}.", "依頼者：{1}。{2}を{3}で確認しました。"
	case "integrity.evidence":
		return "Evidence", "証拠"
	case "integrity.check":
		return "Check", "検査"
	case "integrity.all_checks":
		return "All", "すべて"
	case "integrity.no_evidence":
		return "This run found nothing wrong, or its rows were not kept.", "問題は見つからなかったか、行が保存されていません。"
	case "integrity.col_entry":
		return "Entry", "記帳"
	case "integrity.col_what":
		return "What is wrong", "問題の内容"
	case "integrity.expected":
		return "Expected: {1}", "期待値：{1}"
	case "integrity.found":
		return "Found: {1}", "実際：{1}"
	case "integrity.by_checks":
		return "Read back: {1}.", "読み直して確認：{1}。"
	case "integrity.by_database":
		return "Beside that, the database refuses what would break it by", "加えて、データベースが次により違反を拒否します："
	case "integrity.by_database_alone":
		return "Kept by the database alone, which refuses what would break it; each run looks whether it is in force:", "データベースのみが違反を拒否して守る規則です。検証のたびに、次が有効かどうかを確認します："
	case "integrity.held_statement":
		return "Kept by the condition or the transaction of the statement that makes the change: what it refuses leaves no row, so a run has nothing to read back. Tests prove it.", "変更を行う文の条件またはトランザクションが守ります。拒否されたものは行を残さないため、検証で読み直すものはありません。テストで確認しています。"
	case "integrity.held_tests":
		return "Kept by how the program works: tests prove it, and no row tells whether it held.", "プログラムの動作そのものが守ります。テストで確認しており、行から確かめることはできません。"
	case "integrity.rules_say":
		return "All {1} rules of this installation. A run reads {2} of them back from the rows and looks whether the database keeps {3} others; the remaining {4} no run can look at, and each says what keeps it.", "すべての規則（{1}件）です。検証では、{2}件を行から読み直して確認し、ほかの{3}件についてはデータベースの保護が有効かどうかを確認します。残りの{4}件は検証では確かめられず、何が守っているかをそれぞれに示します。"
	case "integrity.off":
		return "Not in force: {1}", "有効でないもの：{1}"
	case "integrity.own_words":
		return "The program’s own sentence, in English", "プログラムの原文（英語）"
	case "count.kept.one":
		return "{1} rule of the database", "データベースの規則{1}件"
	case "count.kept.other":
		return "{1} rules of the database", "データベースの規則{1}件"
	case "integrity.kept":
		return "The first 500 rows of each check are kept.", "検査ごとに先頭の500件が保存されます。"
	case "integrity.digest":
		return "Digest of all newest entries", "全アカウントの最新記帳のダイジェスト"
	case "integrity.digest_say":
		return "Computed again for the same moment it must come out the same. Kept outside the database, it shows whether entries were cut off later.", "同じ時点について再計算すれば同じ値になります。データベースの外に保管しておけば、後から記帳が切り取られたかどうかがわかります。"
	case "done.verify_start":
		return "The run was started.", "検証を開始しました。"
	case "done.verify_cancel":
		return "The run was ended.", "検証を中止しました。"
	case "conflict.integrity_done":
		return "Too late: the run has ended by now.", "検証はすでに終了しています。"
	case "conflict.integrity_failed":
		return "Too late: the run has broken off by now.", "検証はすでに中断しています。"
	case "conflict.integrity_canceled":
		return "Too late: somebody ended the run already.", "検証はすでに中止されています。"
	case "conflict.integrity_running":
		return "The ledger is being verified already.", "台帳はすでに検証中です。"
	}
	if en, ja = rules(key); en != "" {
		return en, ja
	}
	if en, ja = keptRules(key); en != "" {
		return en, ja
	}
	if en, ja = brokenRules(key); en != "" {
		return en, ja
	}
	if en, ja = verifiedValues(key); en != "" {
		return en, ja
	}
	return checks(key)
}

// rules says what each invariant means to somebody who keeps books.
func rules(key string) (en, ja string) {
	switch key {
	case "rule.L1":
		return "No entry, audit row or other record can be changed or removed: the database’s own guards are in place.", "記帳・監査記録などは変更も削除もできません。データベース自身の保護が有効です。"
	case "rule.L2":
		return "Each account’s entries are numbered without a gap and in the order of time, and every balance is the one before plus the amount.", "各アカウントの記帳は欠番なく時刻順に並び、残高はすべて直前の残高に金額を加えたものです。"
	case "rule.L3":
		return "No job is charged, refunded or reclaimed more than once.", "同じジョブへの課金・返金・回収は、それぞれ一度だけです。"
	case "rule.L4":
		return "No charge takes a balance below zero, and where one is below zero, it is known since when.", "課金で残高がマイナスになることはなく、マイナスの残高はいつからかが正しく記録されています。"
	case "rule.L5":
		return "Every charge carries the price decision that was recorded for it; refund and reclaim carry the same.", "すべての課金には記録された価格決定が付き、返金と回収にも同じものが付きます。"
	case "rule.L6":
		return "Entries are chained by checksums: a later change of any of them shows.", "記帳はチェックサムで連結されており、後からの変更は必ず発覚します。"
	case "rule.L7":
		return "Nothing was cut off at the end: every entry that an account or an operation knows of is there, and the newest entries of past nights are still the same.", "末尾は切り取られていません。アカウントや操作の記録が示すすべての記帳が存在し、過去の夜間時点の最新記帳も変わっていません。"
	case "rule.L8":
		return "The balance that an account shows is that of its newest entry.", "アカウントに表示される残高は、最新の記帳の残高と一致します。"
	case "rule.L9":
		return "The sums of months and reports are those of the entries.", "月次やレポートの合計は記帳の合計と一致します。"
	case "rule.L10":
		return "Closed months are closed once, do not overlap, and still add up to what they were closed with.", "月は一度だけ締められ、期間は重ならず、締めた月は締めたときの金額のままです。"
	case "rule.J2":
		return "A delivered job is paid for, a failed one is not, and each movement is exactly the job’s cost.", "納品されたジョブは支払い済み、失敗したジョブは支払いなし。動いた金額は常にジョブの費用と同額です。"
	case "rule.J3":
		return "What a job says of its money and what the ledger holds are the same.", "ジョブに記された金額の状態と台帳の内容が一致します。"
	case "rule.J4":
		return "Every job that is not finished waits where it will be moved on, and none waits past its time.", "未完了のジョブは必ず次に進む列にあり、期限を過ぎて待っているものはありません。"
	case "rule.R9":
		return "As many dead letters are open in each group, over as many credits, as lists and figures say.", "各グループの未処理のデッドレターの件数とクレジットは、一覧や集計の表示と一致します。"
	case "rule.T1":
		return "What a settlement pays for a job was delivered under the candidate, approved by a second person, and paid once; the entry says the same.", "精算でジョブに対して支払われる額は、候補の価格で納品されたものに限り、第二の担当者が承認し、一度だけ支払われ、記帳と一致します。"
	case "rule.O2":
		return "What an operation answered is never changed or removed.", "操作の回答は変更も削除もできません。"
	case "rule.A1":
		return "Nobody decides alone on what needs a second person, and each request is decided once.", "第二の担当者が必要なことを一人では決定できず、申請の決定は一度だけです。"
	case "rule.R1":
		return "The delay before a retry is above zero and never above its limit.", "再試行までの待ち時間は0より長く、上限を超えません。"
	case "rule.R6":
		return "Each attempt of a job is made once.", "ジョブの各試行は一度だけです。"
	case "rule.P2":
		return "A rule version is never changed or removed, and no number of an action is used twice.", "ルール版は変更も削除もできず、同じ番号が再び使われることはありません。"
	case "rule.P5":
		return "What price an operation gets is decided once and never changed.", "操作の価格は一度だけ決定され、変更されません。"
	case "rule.S2":
		return "An account that a rollout has admitted stays admitted.", "ロールアウトの対象になったアカウントは、対象であり続けます。"
	case "rule.S3":
		return "At most one rollout of an action is live.", "アクションごとに進行中のロールアウトは1つまでです。"
	case "rule.S4":
		return "A rollout moves only along its steps, and each step is made once.", "ロールアウトは定められた手順でのみ進み、各手順は一度だけです。"
	case "rule.S7":
		return "The checks of rollouts run all the time; nothing that they found is still to be put right.", "ロールアウトの確認は常に行われ、見つかった問題で未解決のものはありません。"
	case "rule.S13":
		return "A scheduled step is made once, and not before its time.", "予約された手順は一度だけ、時刻になってから実行されます。"
	case "rule.C1":
		return "What a provider billed is recorded once.", "プロバイダーの請求は一度だけ記録されます。"
	case "rule.C2":
		return "Costs and their attributions are never changed or removed; a correction is a further row.", "費用とその帰属は変更も削除もできず、訂正は新しい行として追加されます。"
	case "rule.C3":
		return "What a cost is attributed to is what its newest attribution says, and a person’s correction has a reason.", "費用の帰属は最新の帰属の記録と一致し、担当者による訂正には理由があります。"
	case "rule.T4":
		return "What is paid is what was proposed and approved: its list is never changed, and it only moves forward.", "支払われるのは提案され承認された内容です。一覧は変更されず、状態は先にしか進みません。"
	case "rule.O1":
		return "An operation has one effect, however often it is sent: every change has its stored result, each charge belongs to the operation that its job names, and every entry is what its operation answered.", "操作は何度送られても効果は一度だけです。すべての変更に結果が保存されており、課金はジョブの示す操作によるもので、すべての記帳が操作の回答と一致します。"

	case "next.heads":
		return "Either the entries are right and their copy on the account is not, or entries were removed or changed and the copy still knows. Such an account refuses charges. First keep the database as it is and let an operator compare the account with its operations, a backup and the anchor file. Only if the entries are right: recoup verify --rebuild-heads --reason “…”; it refuses where the copy or operations know of other entries. Then run this again.", "記帳が正しくアカウント側の写しが誤っている場合と、記帳が削除または変更され、写しが元の状態を示している場合の両方があり得ます。該当アカウントは課金を拒否します。まずデータベースをそのまま保全し、操作の記録・バックアップ・アンカーファイルとの照合を運用担当者に依頼してください。記帳が正しいと確認できた場合のみ recoup verify --rebuild-heads --reason “…” を実行します。写しや操作の記録と記帳が食い違う場合は実行が拒否されます。その後もう一度検証してください。"
	case "next.triggers":
		return "Somebody with the rights of an owner changed the protection. The row says what it must be and what it is. Ask an operator to make it again as it must be and to find out who took it off and what was changed meanwhile.", "所有者権限を持つ者が保護を変更しました。あるべき定義と現在の定義は行に示されています。運用担当者に元の定義への復元と、誰が変更し、その間に何が変更されたかの調査を依頼してください。"
	case "next.rollout":
		return "No entry is wrong by this. Open the rollout or the cost record and follow what it says; report the row to the engineers.", "これによる記帳の誤りはありません。ロールアウトまたは費用の記録を開き、表示に従って対応し、該当の行を開発者に報告してください。"
	case "next.chain":
		return "Entries, or what they are held against, were changed or removed past the program. Correct nothing by hand. Keep the database as it is, ask an operator to compare it with a backup and the anchor file, and close no month before that.", "記帳、またはその照合先の記録が、プログラムを経由せずに変更または削除されました。手作業で直さず、データベースをそのまま保全し、バックアップおよびアンカーファイルとの照合を運用担当者に依頼してください。それまで月次は締めないでください。"
	case "next.job":
		return "Open the job and compare its timeline with its entries. What the customer paid wrongly is put right by an adjustment with the job in its reason; report the row to the engineers.", "ジョブを開き、経緯と記帳を見比べてください。誤って支払われた分は、理由にジョブを記した調整で直し、該当の行を開発者に報告してください。"
	case "next.work":
		return "No money is wrong. Look on the overview whether worker processes run and sweep; jobs that still wait there after that are for the engineers.", "金額に誤りはありません。概要でワーカープロセスが動作しているか確認してください。それでも残るジョブは開発者に報告してください。"
	case "next.checkpoint":
		return "Either the kept sum is wrong, or an entry was changed after it was made and the sum still knows. First keep the database as it is and let an operator compare the account with its operations, a backup and the anchor file. Only if the entries are right: recoup verify --rewrite-checkpoints.", "保存された合計が誤っている場合と、合計の作成後に記帳が変更され、合計が元の状態を示している場合の両方があり得ます。まずデータベースをそのまま保全し、操作の記録・バックアップ・アンカーファイルとの照合を運用担当者に依頼してください。記帳が正しいと確認できた場合のみ recoup verify --rewrite-checkpoints を実行します。"
	case "next.letter":
		return "No money is wrong. The job says what is true: open it from here, and report the row to the engineers. Until it is put right the list of dead letters is not to be relied on for this job.", "金額に誤りはありません。正しいのはジョブの状態です。ここからジョブを開いて確認し、該当の行を開発者に報告してください。修正されるまで、このジョブについてはデッドレターの一覧に頼らないでください。"
	case "next.tally":
		return "No money is wrong, and every dead letter is in the list; only how many there are is said wrongly. Ask an operator to run: recoup verify --rewrite-tallies.", "金額に誤りはなく、デッドレターもすべて一覧にあります。表示される件数だけが誤っています。運用担当者に recoup verify --rewrite-tallies の実行を依頼してください。"
	case "next.rollup":
		return "Either a derived sum is wrong, or an entry was changed, removed or slipped in after it was made and the sum still knows. First keep the database as it is and let an operator compare the entries of that time with their operations, a backup and the anchor file: making the sums anew erases what they know. Only if the entries are right: recoup verify --rebuild-rollup --reason “…”.", "集計値が誤っている場合と、集計後に記帳が変更・削除・挿入され、集計値が元の状態を示している場合の両方があり得ます。集計を作り直すとその手がかりが失われます。まずデータベースをそのまま保全し、該当時間帯の記帳について操作の記録・バックアップ・アンカーファイルとの照合を運用担当者に依頼してください。記帳が正しいと確認できた場合のみ recoup verify --rebuild-rollup --reason “…” を実行します。"
	}
	return "", ""
}

// checks names the checks of the verifier.
func checks(key string) (en, ja string) {
	switch key {
	case "check.seq":
		return "Numbers of entries", "記帳の番号"
	case "check.time":
		return "Times of entries", "記帳の時刻"
	case "check.balance":
		return "Running balances", "残高の連続"
	case "check.hash":
		return "Checksums", "チェックサム"
	case "check.head":
		return "Balance shown", "表示残高"
	case "check.negative_since":
		return "Negative since", "マイナスの開始時刻"
	case "check.covered":
		return "Charges are covered", "課金の残高不足"
	case "check.job":
		return "Job of an entry", "記帳のジョブ"
	case "check.once":
		return "Once a job", "ジョブにつき一度"
	case "check.flags":
		return "Flags and entries", "状態と記帳"
	case "check.amount":
		return "Amount is the cost", "金額と費用"
	case "check.order":
		return "Order of movements", "動きの順序"
	case "check.attribution":
		return "Price attribution", "価格の帰属"
	case "check.decision":
		return "Recorded decision", "記録された決定"
	case "check.price":
		return "Prices of decisions", "決定の価格"
	case "check.bucket":
		return "Buckets", "バケット"
	case "check.approval":
		return "Approved and applied", "承認と適用"
	case "check.settlement":
		return "Settlement", "精算"
	case "check.payment":
		return "Payments of settlements", "精算の支払い"
	case "check.line":
		return "Waiting line", "待ち行列"
	case "check.stuck":
		return "Waits too long", "待ちすぎ"
	case "check.letter":
		return "Dead letters and jobs", "デッドレターとジョブ"
	case "check.tally":
		return "Counts of dead letters", "デッドレターの件数"
	case "check.operation":
		return "Operations", "操作"
	case "check.result":
		return "Entries against operations", "記帳と操作の照合"
	case "check.cut":
		return "Missing entries", "欠けている記帳"
	case "check.kept":
		return "Rules of the database", "データベースの規則"
	case "check.cost":
		return "Attribution of costs", "費用の帰属"
	case "check.finding":
		return "Findings of rollouts", "ロールアウトの問題"
	case "check.triggers":
		return "Protection", "保護"
	case "check.anchor":
		return "Anchors in the database", "データベースのアンカー"
	case "check.anchor_file":
		return "Anchors in the file", "ファイルのアンカー"
	case "check.checkpoint":
		return "Kept sums of accounts", "アカウントの保存合計"
	case "check.month":
		return "Closed months", "締めた月"
	case "check.rollup":
		return "Derived sums", "集計値"
	}
	return "", ""
}
