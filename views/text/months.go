package text

import "time"

// months holds the months of the book time zone: their figures, their tie to the ledger, and how one is closed.
func months(key string) (en, ja string) {
	switch key {
	case "months.title":
		return "Months", "月次"
	case "months.say":
		return "Each month of {1}, the book time zone, from its first moment to its last: what came in, what jobs took, what was paid back.", "帳簿のタイムゾーン{1}の各月です。月初の最初の瞬間から月末の最後の瞬間までの、入ったクレジット、ジョブの課金、返金を示します。"
	case "months.none":
		return "No entries yet, so there is no month to show.", "記帳がまだないため、表示できる月はありません。"
	case "months.order":
		return "Newest first, credits, days of {1}", "新しい順、単位はクレジット、日付は{1}"
	case "months.col_month":
		return "Month", "月"
	case "months.opening":
		return "Opening", "月初残高"
	case "months.closing":
		return "Closing", "月末残高"
	case "months.found":
		return "At {1} verification found something wrong with the ledger: {2}. No month ties until that is put right; those that a finding is about are marked Failed.", "{1}の検証で台帳に問題が見つかりました：{2}。解決するまで、どの月も台帳との一致を確認できません。問題のある月には「失敗」と表示します。"
	case "months.so_far":
		return "So far", "現時点"
	case "state.open":
		return "Open", "未締め"
	case "state.closed":
		return "Closed", "締め済み"

	case "month.say":
		return "{1}, both days included, in {2}, the book time zone. All figures are credits.", "{1}（両日を含む）、帳簿のタイムゾーン{2}。単位はすべてクレジットです。"
	case "month.say_running":
		return "{1}, both days included, in {2}, the book time zone. The month is not over: the figures are those so far. All are credits.", "{1}（両日を含む）、帳簿のタイムゾーン{2}。月の途中のため、現時点の値です。単位はすべてクレジットです。"
	case "month.say_shifted":
		return "It begins {1}, where the month before was closed in another time zone.", "前月が別のタイムゾーンで締められたため、{1}から始まります。"
	case "month.say_zone":
		return "It was closed in {1}. The book time zone is {2} now, so its figures are no links to the ledger’s days.", "{1}で締められました。現在の帳簿のタイムゾーンは{2}のため、台帳の日付へのリンクはありません。"
	case "month.figures":
		return "Figures of the month", "月の集計"
	case "month.delivered":
		return "Net delivered", "納品分の純額"
	case "month.delivered_note":
		return "charges less refunds plus reclaims, without what is not over yet", "課金 − 返金 + 回収。未完了のジョブを除きます"
	case "month.net":
		return "Net of jobs", "ジョブの純額"
	case "month.net_note":
		return "charges less refunds plus reclaims, jobs that are not over yet included", "課金 − 返金 + 回収。終わっていないジョブを含みます"
	case "month.unsettled":
		return "Not over yet", "未完了"
	case "month.unsettled_note.one":
		return "charge of {1} job that is neither delivered nor refunded by now", "現時点で納品も返金もされていないジョブ{1}件の課金"
	case "month.unsettled_note.other":
		return "charges of {1} jobs that are neither delivered nor refunded by now", "現時点で納品も返金もされていないジョブ{1}件の課金"
	case "month.unsettled_many":
		return "more than {1} {1|job|jobs} neither delivered nor refunded by now", "現時点で納品も返金もされていないジョブが{1}件を超えています"
	case "month.refunded":
		return "Refunded", "返金"
	case "month.reclaimed":
		return "Reclaimed", "回収"
	case "month.open_refunds":
		return "Open refunds", "未回収の返金"
	case "month.open_refunds_note.one":
		return "{1} refund not reclaimed at the end", "末時点で未回収の返金{1}件"
	case "month.open_refunds_note.other":
		return "{1} refunds not reclaimed at the end", "末時点で未回収の返金{1}件"

	case "month.tie":
		return "Ties to the ledger", "台帳との一致"
	case "month.tie_sum":
		return "By the kept sums, opening {1} and the month’s {2} make closing {3}.", "保存された集計では、月初残高{1}と当月の増減{2}から月末残高{3}になります。"
	case "month.tie_holds":
		return "At {1} the balances of all accounts, as they were added up at {3} and carried on by the entries since, come to {2} as well.", "{1}の時点で、全アカウントの残高の合計も{2}です（{3}に合計し、その後の記帳を加えたもの）。"
	case "month.tie_holds_less":
		return "At {1} the balances of all accounts, as they were added up at {3} and carried on by the entries since, less what was entered after the month, come to {2} as well.", "{1}の時点で、全アカウントの残高の合計（{3}に合計し、その後の記帳を加えたもの）から翌月以降の記帳を除いた額も{2}です。"
	case "month.tie_differs":
		return "At {1} the balances of all accounts, as they were added up at {4} and carried on by the entries since, less what was entered after the month, come to {2}: the closing differs by {3}. They are added up anew every minute; where it stays so, tell an administrator, who runs recoup verify.", "{1}の時点で、全アカウントの残高の合計（{4}に合計し、その後の記帳を加えたもの）から翌月以降の記帳を除いた額は{2}で、月末残高との差は{3}です。残高は1分ごとに合計し直されます。差が残る場合は管理者に知らせ、recoup verify を実行してもらってください。"
	case "month.tie_stale":
		return "The balances were last added up at {1}, too long ago to hold the closing against them. The process that works in the background does so every minute: see on the overview whether it runs.", "残高の合計は{1}を最後に計算されておらず、古すぎるため月末残高と照合できません。バックグラウンドの処理が1分ごとに計算します。動作しているか概要で確認してください。"
	case "month.tie_never":
		return "The balances have not been added up yet, so the closing is held against nothing. The process that works in the background does so every minute.", "残高の合計がまだ計算されていないため、月末残高は照合されていません。バックグラウンドの処理が1分ごとに計算します。"
	case "month_break.movements":
		return "Opening and movements make {2}, but the closing is {1}.", "月初残高と増減の合計は{2}ですが、月末残高は{1}です。"
	case "month_break.days":
		return "The movements of the month are {1}, those of its days {2}.", "当月の増減は{1}、日ごとの増減の合計は{2}です。"
	case "month_break.before":
		return "It opens with {1}, but the month before was closed with {2}.", "月初残高は{1}ですが、前月は{2}で締められています。"
	case "month_break.closed":
		return "Its closing is {1} now, but it was closed with {2}.", "現在の月末残高は{1}ですが、{2}で締められています。"
	case "month.tie_verified":
		return "The verification of {1} read the entries themselves and found nothing wrong with the ledger.", "{1}の検証で記帳そのものが読み直され、台帳に問題は見つかりませんでした。"
	case "month.tie_problems":
		return "The verification of {1} read the entries themselves and found something wrong with the ledger: {2}.", "{1}の検証で記帳そのものが読み直され、台帳に問題が見つかりました：{2}。"
	case "month.tie_unverified":
		return "The entries themselves have not been read back by a verification yet.", "記帳そのものは、まだ検証で読み直されていません。"
	case "month.closed_by":
		return "Closed by {1} on {2}: {3}", "{1}が{2}に締めました：{3}"
	case "month.closed_same":
		return "By the kept sums the ledger still says exactly what was closed; the entries themselves are read back by a verification.", "保存された集計では、台帳は締めた時点の値と完全に一致しています。記帳そのものは検証で読み直されます。"
	case "month.found":
		return "What the last verification found of this month:", "直近の検証がこの月について見つけた問題："
	case "month.col_entry":
		return "Entry", "記帳"
	case "month.closed_found":
		return "The kept sums still say what was closed; the entries do not, as the last verification found. Entries of a closed month were changed or added from outside: tell an administrator.", "保存された合計は締めた時点の値と一致していますが、直近の検証では記帳が一致しませんでした。締め済みの月の記帳が外部から変更または追加されています。管理者に知らせてください。"
	case "month.closed_differs":
		return "The ledger no longer says what was closed. Figures above are those of the ledger now. Entries of a closed month were changed or added from outside: tell an administrator, who runs recoup verify.", "台帳が、締めた時点の値と一致しません。上の値は現在の台帳のものです。締め済みの月の記帳が外部から変更または追加されています。管理者に知らせ、recoup verify を実行してもらってください。"
	case "month.col_figure":
		return "Figure", "項目"
	case "month.col_stored":
		return "As closed", "締めた時点"
	case "month.col_now":
		return "Now", "現在"
	case "month.digest":
		return "Digest of the figures", "集計のダイジェスト"
	case "month.heads":
		return "Anchor of the ledger", "台帳のアンカー"

	case "month.by_action":
		return "By action and rule version", "アクションとルール版別"
	case "month.by_rollout":
		return "By rollout and cohort", "ロールアウトとコホート別"
	case "month.by_category":
		return "Grants by category", "付与の区分別"
	case "month.col_rule":
		return "Action, rule version", "アクション、ルール版"
	case "month.of_which":
		return "of which", "内訳："
	case "month.col_entries":
		return "Entries", "件数"
	case "month.col_charged":
		return "Charged", "課金"
	case "month.col_refunded":
		return "Refunded", "返金"
	case "month.col_reclaimed":
		return "Reclaimed", "回収"
	case "month.col_delivered":
		return "Net of jobs", "ジョブの純額"
	case "month.col_adjusted":
		return "Adjusted", "調整"
	case "month.col_rollout":
		return "Rollout, cohort", "ロールアウト、コホート"
	case "month.col_category":
		return "Category", "区分"
	case "month.no_rollout":
		return "No rollout", "ロールアウトなし"
	case "month.no_jobs":
		return "No job was charged, refunded or reclaimed in this month.", "この月に課金、返金、回収されたジョブはありません。"
	case "month.no_grants":
		return "No credits were granted in this month.", "この月の付与はありません。"

	case "month.chart_credits":
		return "Credits by day and type", "日別・種類別のクレジット"
	case "month.chart_credits_say":
		return "Above the line what accounts got, below it what was taken. The largest day is {1} up and {2} down.", "線の上は増、下は減です。最大は1日あたり増{1}、減{2}です。"
	case "month.axis_credits":
		return "{1} {1|credit|credits}", "{1}クレジット"
	case "month.axis_rate":
		return "{1} of what was charged", "課金額の{1}"
	case "month.chart_rates":
		return "Refund and reclaim rate by day", "日別の返金率と回収率"
	case "month.chart_rates_say":
		return "Refunded and reclaimed credits of a day in percent of what was charged on that day. The top line is {1}.", "その日の課金額に対する返金額と回収額の割合です。上端の線は{1}です。"
	case "month.chart_none":
		return "No entries in this month.", "この月の記帳はありません。"
	case "month.chart_table":
		return "The same as a table", "表で見る"
	case "month.col_day":
		return "Day", "日"
	case "month.refund_rate":
		return "Refund rate", "返金率"
	case "month.reclaim_rate":
		return "Reclaim rate", "回収率"

	case "month.export":
		return "Figures as CSV", "集計をCSVで書き出し"
	case "month.close":
		return "Close the month", "月を締める"
	case "month.cannot_close":
		return "It cannot be closed now. {1}", "現在は締められません。{1}"
	case "close.title":
		return "Close {1}", "{1}を締める"
	case "close.say":
		return "The figures are stored with their digest, and the ledger is anchored at the last moment of the month. A closed month never reopens: whatever has to be put right later stands in the month that is open then.", "集計をダイジェストとともに保存し、月の最後の瞬間で台帳をアンカーします。締めた月を開き直すことはできません。後の訂正は、その時点で開いている月に記帳されます。"
	case "close.state":
		return "Month", "月"
	case "close.confirm":
		return "Type {1} to confirm", "確認のため {1} と入力"
	case "problem.must be the month as it is written above":
		return "Type the month exactly as it is written above", "上に表示された月をそのまま入力してください"
	case "close.submit":
		return "Close for good", "締めを確定"
	case "done.month_close":
		return "The month is closed.", "月を締めました。"
	case "conflict.month_closed":
		return "The month is closed already.", "この月はすでに締められています。"
	case "conflict.month_gone":
		return "It was closed before, and what it was closed with was taken away past the program. Tell an administrator: its row has to be put back, it is not closed a second time.", "この月は以前に締められましたが、締めた内容がプログラムを経由せずに削除されています。管理者に知らせてください。行を元に戻す必要があり、もう一度締めることはできません。"
	case "conflict.month_not_over":
		return "Its last day is not over.", "月の最終日がまだ終わっていません。"
	case "conflict.month_settling":
		return "A transaction that could still write into the month may be open. Try again in a few minutes.", "この月に書き込む可能性のあるトランザクションがまだ開いているかもしれません。数分後に再度お試しください。"
	case "month.settling_since":
		return "A transaction that is open since {1} could still write into the month.", "{1}から開いているトランザクションが、この月に書き込む可能性があります。"
	case "conflict.month_previous_open":
		return "An earlier month with entries has to be closed first.", "記帳のある前の月を先に締める必要があります。"
	case "month.previous_open":
		return "{1} has entries and has to be closed first.", "記帳のある{1}を先に締める必要があります。"
	case "conflict.month_later_closed":
		return "A later month is closed already, so this one stays as it is.", "後の月がすでに締められているため、この月は締められません。"
	case "conflict.month_unverified":
		return "The ledger was not verified since the month ended. Run the checks first.", "月末以降、台帳の検証が行われていません。先に検証を実行してください。"
	case "conflict.month_problems":
		return "The last verification found something wrong with the ledger.", "直近の検証で台帳に問題が見つかっています。"
	case "month.problems":
		return "The last verification found something wrong with the ledger: {1}.", "直近の検証で台帳に問題が見つかっています：{1}。"
	case "conflict.month_untied":
		return "The closing is not the sum of all balances at its end. Tell an administrator, who runs recoup verify.", "月末残高が、月末時点の全残高の合計と一致しません。管理者に知らせ、recoup verify を実行してもらってください。"
	case "conflict.month_miscounted":
		return "The figures by type or group are not what the entries of the month add up to. Close nothing, and have recoup verify run: either kept sums or entries were changed past the program.", "種類別またはグループ別の集計が、この月の記帳の合計と一致しません。締めずに recoup verify を実行してもらってください。保存された集計または記帳が、プログラムを経由せずに変更されています。"
	case "conflict.month_changed":
		return "The figures have changed since they were shown. Look at them again.", "表示後に集計が変わりました。もう一度確認してください。"
	case "filter.zone":
		return "Days of", "日付のタイムゾーン"
	case "filter.action":
		return "Action", "アクション"
	case "filter.category":
		return "Category", "区分"
	case "filter.cohort":
		return "Cohort", "コホート"
	case "nav.months":
		return "Month", "月次"
	}
	return "", ""
}

// MonthName names a month: "November 2026", 「2026年11月」.
func (l Locale) MonthName(year int, month time.Month) string {
	at := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	if l.Lang == Japanese {
		return at.Format("2006年1月")
	}
	return at.Format("January 2006")
}
