package text

// enrolments holds the words of which accounts a rollout admitted.
func enrolments(key string) (en, ja string) {
	switch key {
	case "enrolments.title":
		return "Accounts admitted", "対象になったアカウント"
	case "enrolments.say":
		return "Whoever was admitted stays, whatever becomes of stages and segments. While the rollout is live, they pay the candidate's price.",
			"一度対象になったアカウントは、段階や条件が変わっても外れません。ロールアウトの進行中は候補の価格を支払います。"
	case "enrolments.none":
		return "No account has been admitted yet. One is at its first charge or quote within a stage.", "対象になったアカウントはまだありません。段階の範囲内で最初に課金または見積もりされたときに対象になります。"
	case "enrolments.order":
		return "Admitted last first; times in {1}", "新しい順。時刻は{1}"
	case "count.admitted.one":
		return "{1} account admitted", "対象のアカウント{1}件"
	case "count.admitted.other":
		return "{1} accounts admitted", "対象のアカウント{1}件"
	case "statement.rollouts":
		return "Rollouts it is enrolled in", "対象になっているロールアウト"
	case "statement.pays_as_all":
		return "The same as everybody", "全員と同じ"
	case "col.pays_now":
		return "Pays now", "現在の価格"
	case "col.admitted_by":
		return "Admitted by", "対象になった理由"
	case "col.admitted":
		return "Admitted ({1})", "対象になった時刻（{1}）"
	}
	return "", ""
}
