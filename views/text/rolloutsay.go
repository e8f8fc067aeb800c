package text

// rolloutSay holds what a rollout's page and the request for one of its steps say of its prices.
func rolloutSay(key string) (en, ja string) {
	switch key {
	case "rollouts.order":
		return "Those under way first, then the newest", "実施中のもの、次に新しい順"
	case "rollout.named_off":
		return "{1} ({2})", "{1}（{2}）"
	case "rollout.say_last":
		return "It stands at its last stage: there is nothing to widen.", "最後の段階にあり、これ以上拡大する段階はありません。"
	case "rollout.is_paused":
		return "It is paused: it has to be resumed first.", "一時停止中のため、先に再開が必要です。"
	case "rollout.is_halted":
		return "It is halted: it has to be resumed first, with a reason.", "停止中のため、先に理由を付けて再開する必要があります。"
	case "rollout.prices":
		return "Prices", "価格"
	case "rollout.baseline":
		return "Baseline", "ベースライン"
	case "rollout.needs":
		return "need at least {1} {1|charge|charges} under the candidate, and the costs of {2} % of the delivered jobs", "候補での課金{1}件以上と、納品済みジョブの{2} %の費用の判明が必要"
	case "rollout.cap":
		return "Cap", "上限"
	case "rollout.cap_is":
		return "pauses once more than {1} {1|credit|credits} a day are given away", "1日の値引きが{1}クレジットを超えると一時停止"
	case "approve.say_step":
		return "It is made at once, exactly as proposed by {1}. What is charged then keeps its price; a rollback gives the baseline to new charges again.", "{1}の申請どおりに直ちに実行されます。その後の課金はその価格のままですが、ロールバックすれば新しい課金はベースラインに戻ります。"
	case "approve.say_last_step":
		return "It is made at once, exactly as proposed by {1}. It ends the rollout and cannot be rolled back; another rule version can be put in force.", "{1}の申請どおりに直ちに実行されます。ロールアウトは終了し、ロールバックはできません。別のルール版の適用は可能です。"
	case "approve.say_time":
		return "It is scheduled, exactly as proposed by {1}, and made at its time only if all checks pass then. It can be cancelled before.", "{1}の申請どおりに予約され、その時刻に検査へすべて合格した場合のみ実行されます。それまでは取り消せます。"
	case "approval.checks":
		return "Checks, {1}", "検査（{1}）"
	case "approval.check_is":
		return "{1}: {2}", "{1}：{2}"
	case "approval.void_now":
		return "The request is void: the rollout was halted by what the checks found.", "検査の結果によりロールアウトが停止されたため、この申請は無効です。"
	}
	return "", ""
}
