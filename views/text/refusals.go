package text

// refusals holds why the state of a rollout, an action or a rule version did not allow what somebody asked for.
func refusals(key string) (en, ja string) {
	switch key {
	case "refusal.rollout_moved":
		return "The rollout is not as the form showed it: by now it is “{1}”, {2}.", "ロールアウトはフォームの表示時と異なります。現在は「{1}」（{2}）です。"
	case "refusal.step_not_ahead":
		return "This step does not lie ahead of the rollout: by now that is “{1}”, {2}.", "この操作はロールアウトの先にありません。現在は「{1}」（{2}）です。"
	case "refusal.baseline_not_in_force":
		return "Its baseline {1} is not in force any more: {2} is. Archive the draft and make a new one from the price in force.", "ベースライン {1} はもう適用中ではなく、{2} が適用中です。この下書きを保管し、適用中の価格から新しく作成してください。"
	case "refusal.last_stage":
		return "The rollout stands at its last stage.", "ロールアウトは最後の段階にあります。"
	case "refusal.not_everybody":
		return "The stages reached do not admit every account yet.", "到達済みの段階では、まだ全アカウントが対象になっていません。"
	case "refusal.request_waits":
		return "This step waits for a second person already: the request has to be decided or withdrawn first.", "この操作はすでに二人目の承認を待っています。先にその申請を決定または取下げしてください。"
	case "refusal.see_request":
		return "Open the request", "申請を開く"
	case "refusal.step_scheduled":
		return "This step is scheduled already. Cancel that first.", "この操作はすでに予約されています。先にその予約を取り消してください。"
	case "refusal.time_past":
		return "The time of this step was past before it was approved.", "承認された時点で、予約の時刻を過ぎていました。"
	case "refusal.step_over":
		return "The scheduled step does not wait any more: “{1}”.", "この予約はもう待機していません（{1}）。"
	case "refusal.rollout_live":
		return "The rollout {1} of this action is live: it has to end first.", "このアクションのロールアウト {1} が実施中です。先に終える必要があります。"
	case "refusal.rollout_not_over":
		return "The rollout {1} is live: its candidate is what admitted accounts pay. Roll it back first; then what is owed can be proposed.", "ロールアウト {1} は実施中で、対象アカウントには候補の価格が適用されています。先にロールバックすると、差額の精算を提案できます。"
	case "refusal.rollout_not_started":
		return "The rollout {1} was never started: it has charged nobody.", "ロールアウト {1} は開始されておらず、課金もありません。"
	case "refusal.rule_in_rollout":
		return "{1} is named by the rollout {2}, which has not ended.", "{1} は、まだ終わっていないロールアウト {2} で使われています。"
	case "refusal.rule_in_force":
		return "{1} is in force: put another rule version in force first.", "{1} は適用中です。先に別のルール版を適用してください。"
	case "refusal.action_retired":
		return "The action {1} is retired.", "アクション {1} は廃止されています。"
	case "refusal.rule_retired":
		return "The rule version {1} is retired.", "ルール版 {1} は廃止されています。"
	case "refusal.price_changed":
		return "The prices of this action are not as the form showed them: by now {1} is in force.", "このアクションの価格はフォームの表示時と異なります。現在は {1} が適用中です。"
	case "refusal.price_unchanged":
		return "{1} is in force already.", "{1} はすでに適用中です。"
	case "refusal.no_version":
		return "no rule version", "（ルール版なし）"
	case "refusal.step":
		return "{1}: {2}", "{1}：{2}"
	}
	return "", ""
}
