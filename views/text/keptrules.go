package text

// keptRules says what the rules mean that statements, tests or a single check keep: the second half of "rule.".
func keptRules(key string) (en, ja string) {
	switch key {
	case "rule.L11":
		return "Days and months end where the calendar of their time zone says, and a figure leads to exactly the entries it is the sum of.", "日と月は、そのタイムゾーンの暦どおりに区切られ、集計からたどれる記帳の合計はその集計と一致します。"
	case "rule.L12":
		return "A month’s page is one reading and passes only where everything was compared. It is compared each time the page is opened.", "月次のページは一時点の読み取りで、すべて照合できた場合だけ合格になります。照合はページを開くたびに行われます。"
	case "rule.J1":
		return "Whether a signal moves money is decided by the job’s own state, on every signal alike.", "シグナルでお金が動くかどうかは、毎回同じように、ジョブ自身の状態で決まります。"
	case "rule.J5":
		return "A worker speaks only for an attempt that it was handed.", "ワーカーが報告できるのは、自分に渡された試行だけです。"
	case "rule.J6":
		return "Work on one account at the same time neither blocks itself nor fails.", "同じアカウントへの同時の処理が、互いに止め合ったり失敗したりすることはありません。"
	case "rule.C4":
		return "An overhead rule takes every record that it is for, those there and those to come, and misses none.", "間接費ルールは、既存の記録にもこれからの記録にも漏れなく適用されます。"
	case "rule.C5":
		return "An unattributed cost stops the rollouts that it may belong to, and names an action that exists.", "帰属のない費用は、関係しうるロールアウトを止めます。存在しないアクションの費用は受け付けません。"
	case "rule.C6":
		return "Sums of costs are exact, digit for digit.", "費用の合計は、桁の末尾まで正確です。"
	case "rule.C7":
		return "A file of costs is imported whole or not at all, and the same file twice has one effect.", "費用のファイルは全体が取り込まれるか、まったく取り込まれないかのどちらかで、同じファイルを2回送っても効果は一度だけです。"
	case "rule.C8":
		return "A margin is shown only where the value of a credit was known, and such a value is never changed.", "利益は、クレジットの価値がわかっている場合だけ表示され、その価値は変更されません。"
	case "rule.O3":
		return "A request that is sent again gets the first answer, to the byte.", "再送された要求には、最初の回答がそのまま返ります。"
	case "rule.O4":
		return "An answer that got lost on the way is there for whoever asks again.", "途中で失われた回答は、もう一度尋ねれば得られます。"
	case "rule.O5":
		return "Two requests are the same where they mean the same: the order of fields and the number of the try do not count.", "意味が同じ要求は同じものとして扱われます。項目の順序や試行の番号は問いません。"
	case "rule.O6":
		return "An operation id is taken whole or refused, never cut.", "操作IDは全体が受け付けられるか拒否されるかで、切り詰められることはありません。"
	case "rule.O7":
		return "Many requests that wait for one answer do not hold up others.", "同じ回答を待つ要求が多くても、ほかの要求は妨げられません。"
	case "rule.O8":
		return "A retry is never priced again: its price is part of the stored answer and of a decision that nobody changes.", "再試行で価格が決め直されることはありません。価格は保存された回答と、変更されない決定に含まれています。"
	case "rule.A2":
		return "What was approved was applied, and what was not approved was not.", "承認されたものは適用され、承認されていないものは適用されていません。"
	case "rule.A3":
		return "An edit is a new request, and nothing is decided after its time.", "編集すると新しい申請になり、期限を過ぎた申請は決定できません。"
	case "rule.A4":
		return "What is approved is what was seen; a proposal and its decision are never changed.", "承認されるのは画面で確認された内容そのもので、提案と決定は後から変更されません。"
	case "rule.R2":
		return "Losing the queue loses no job, no retry and no dead letter.", "キューが失われても、ジョブ・再試行・デッドレターは失われません。"
	case "rule.R3":
		return "No attempt begins before its time, and a call that comes twice or late changes nothing.", "時刻より前に試行が始まることはなく、重複や遅れた呼び出しは何も変えません。"
	case "rule.R4":
		return "A job whose worker died is refunded and tried again once its lease is over.", "ワーカーが停止したジョブは、リースが切れると返金され、再試行されます。"
	case "rule.R5":
		return "A heartbeat keeps the lease until it is swept, and stops a worker whose attempt has ended.", "ハートビートは回収されるまでリースを保ち、終わった試行のワーカーには停止を伝えます。"
	case "rule.R7":
		return "A job that cannot be moved on does not hold up others.", "先に進められないジョブが、ほかのジョブを妨げることはありません。"
	case "rule.R8":
		return "A dead letter that is put back runs, whatever the queue still holds of it.", "戻されたデッドレターは、キューに何が残っていても実行されます。"
	case "rule.R10":
		return "Of two people who act on one dead letter one wins, and the other is told.", "同じデッドレターを2人が操作した場合は一方だけが成功し、もう一方にはそのことが伝わります。"
	case "rule.R11":
		return "A bulk work does each of its rows at most once, none after it was paused or ended, and no faster than its rate.", "一括処理は各行を多くても一度だけ処理し、一時停止や終了の後には処理せず、決められた速度を超えません。"
	case "rule.R12":
		return "A bulk requeue waits for its first few, stops when too many fail again, and above the limit a second person approves exactly its rows.", "一括の再投入は最初の数件の結果を待ち、再び失敗したものが多ければ止まります。上限を超える場合は、第二の担当者がその行だけを承認します。"
	case "rule.R13":
		return "Held work stays in the queue and uses up no attempt.", "保留された作業はキューに残り、試行回数を使いません。"
	case "rule.R14":
		return "A breaker opens, tries and closes by what the newest attempts came to; each step happens once.", "ブレーカーは直近の試行の結果に応じて開き、試し、閉じます。各段階は一度だけです。"
	case "rule.R15":
		return "What was held is released oldest first, never faster than its rate.", "保留されたものは古い順に、決められた速度を超えずに解放されます。"
	case "rule.R16":
		return "What a bulk work assigned or snoozed is undone once, row by row, where it still stands.", "一括での割り当てやスヌーズの取り消しは一度だけで、まだそのままの行だけが元に戻ります。"
	case "rule.R17":
		return "A dead letter is out of sight exactly while it or its group is snoozed and nobody woke it.", "デッドレターが隠れるのは、それ自身かグループがスヌーズ中で、誰も起こしていない間だけです。"
	case "rule.P1":
		return "The price of every decision is that of its units under its rule version.", "すべての決定の価格は、その数量とルール版から計算した価格と一致します。"
	case "rule.P3":
		return "Prices that are set at the same time become one version each, and the newest is in force.", "同時に設定された価格はそれぞれ別の版になり、最新のものが有効です。"
	case "rule.P4":
		return "A price comes into force from the one that was seen; it is retired, never removed, and its name is not used again.", "価格は確認された価格から切り替わります。廃止はされても削除はされず、名前が再び使われることはありません。"
	case "rule.S1":
		return "An account’s bucket is the same in every decision of a rollout.", "ロールアウトの決定では、アカウントのバケットは常に同じです。"
	case "rule.S5":
		return "A retry keeps its price whatever the rollout does; a new charge after a rollback has the baseline’s.", "ロールアウトがどう動いても再試行の価格は変わらず、ロールバック後の新しい課金は基準の価格になります。"
	case "rule.S6":
		return "Deciding on a price adds no statement to a charge.", "価格の決定で、課金のための問い合わせが増えることはありません。"
	case "rule.S8":
		return "A flag tells what a charge would get now, and asking leaves nothing behind.", "フラグは今課金した場合の価格を答え、尋ねても何も残りません。"
	case "rule.S9":
		return "What Recoup does by itself cannot be blocked by an operation id that a person used.", "人が使った操作IDによって、Recoup自身の処理が妨げられることはありません。"
	case "rule.S10":
		return "A difference that is there is found, and too little data is no verdict.", "実際にある差は見つかり、データが少なすぎる場合は判定しません。"
	case "rule.S11":
		return "What was given away is counted to the credit.", "値引きした額は1クレジットまで正確に数えられます。"
	case "rule.S12":
		return "A step that needs a second person is made by nobody alone, and only from the version that was proposed.", "第二の担当者が必要な手順は一人では実行できず、提案された版からだけ進みます。"
	case "rule.S14":
		return "A scheduled time is the moment that the clock of its zone shows.", "予約された時刻は、そのタイムゾーンの時計が示す瞬間です。"
	case "rule.S15":
		return "What was given away on a day is exact, and past the cap the rollout pauses, once.", "1日の値引き額は正確で、上限を超えるとロールアウトが一度だけ一時停止します。"
	case "rule.S16":
		return "Whoever follows a rollout is told of each change once.", "ロールアウトをフォローしている人には、変更ごとに一度だけ通知されます。"
	case "rule.T2":
		return "A payment is the difference between what was charged and the baseline’s price.", "支払いは、課金額と基準の価格との差額です。"
	case "rule.T3":
		return "A charge stands in one settlement at most that can still pay it.", "1つの課金が、支払い可能な精算に重複して含まれることはありません。"
	case "rule.T5":
		return "A worker that dies leaves whole payments, and another pays the rest.", "ワーカーが停止しても支払いは途中で切れず、残りは別のワーカーが支払います。"
	case "rule.T6":
		return "An account that cannot be paid is left out by name and holds up nobody.", "支払えないアカウントは名前を挙げて除外され、ほかの支払いを妨げません。"
	case "rule.T7":
		return "A retry keeps its price through stages and rollback, and the settlement puts right what was delivered.", "段階やロールバックを経ても再試行の価格は変わらず、精算では納品されたものだけが調整されます。"
	case "rule.T8":
		return "Nothing is proposed or approved for a rollout that is live.", "進行中のロールアウトについて、精算の提案や承認はできません。"
	}
	return "", ""
}
