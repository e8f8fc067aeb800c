package text

// rolloutSteps holds what a rollout's steps wait for: second persons, times, the cap.
func rolloutSteps(key string) (en, ja string) {
	switch key {
	case "list.separator":
		return ", ", "、"
	case "rollout_cause.agreed":
		return "{1} (approved by {2})", "{1}（{2}が承認）"

	case "second.ask":
		return "Ask a second person", "二人目の承認を求める"
	case "second.needed":
		return "A second person has to approve. Nothing changes until then; any other step makes this request void.", "二人目の承認が必要です。承認されるまで何も変わらず、ほかの操作が行われるとこの申請は無効になります。"
	case "second.replaces":
		return "This takes the place of what you asked for on {1}. A second person has to approve it.", "{1}の申請を置き換えます。二人目の承認が必要です。"
	case "second.waits_already":
		return "A step waits for a second person already: {1}.", "すでに二人目の承認を待つ操作があります：{1}"
	case "second.waits":
		return "Asked by {1}. It can be decided until {2}, and is void as soon as the rollout moves.", "申請者：{1}。{2}まで決定でき、ロールアウトの状態が変わると無効になります。"
	case "second.terms":
		return "A second person is needed for: {1}.", "二人目の承認が必要な操作：{1}。"
	case "second.steps":
		return "Steps that need a second person", "二人目の承認が必要な操作"
	case "second.start":
		return "Start", "開始"
	case "second.complete":
		return "Complete", "完了"
	case "second.above_is":
		return "start and advance beyond {1} %", "{1} %を超える開始・拡大"
	case "second.above":
		return "Second person beyond the threshold, of 100,000", "二人目の承認が必要になるしきい値（10万中）"
	case "second.above_hint":
		return "25000: to a stage beyond 25 %; empty: never. Pause, roll back and halt never need one", "25000 = 25 %を超える段階へ。空欄：不要。一時停止・ロールバック・停止には不要です"
	case "problem.must be 0 to 100000":
		return "This must be a whole number from 0 to 100000.", "0から100000の整数を入力してください。"
	}
	return "", ""
}
