package text

// enrolments holds the words of which accounts a rollout admitted.
func enrolments(key string) (en, ja string) {
	switch key {
	case "enrolments.title":
		return "Accounts enrolled", "登録アカウント"
	case "enrolments.say":
		return "A stage admits an account by bucket and segment; its first charge or quote then enrols it. Whoever is enrolled stays, whatever becomes of stages and segments, and pays the candidate's price while the rollout is live.",
			"段階はバケットと条件でアカウントを対象にし、最初の課金または見積もりで登録されます。登録されたアカウントは、段階や条件が変わっても外れません。ロールアウトの進行中は候補の価格を支払います。"
	case "enrolments.none":
		return "No account is enrolled yet. One is at its first charge or quote within a stage.", "登録されたアカウントはまだありません。段階の範囲内で最初に課金または見積もりされたときに登録されます。"
	case "enrolments.order":
		return "Enrolled last first; times in {1}", "新しい順。時刻は{1}"
	case "count.admitted.one":
		return "{1} account admitted by bucket and segment", "バケットと条件の対象 {1}件"
	case "count.admitted.other":
		return "{1} accounts admitted by bucket and segment", "バケットと条件の対象 {1}件"
	case "count.enrolled.one":
		return "{1} account enrolled", "登録アカウント {1}件"
	case "count.enrolled.other":
		return "{1} accounts enrolled", "登録アカウント {1}件"
	case "count.paid.one":
		return "{1} has paid the candidate price", "候補の価格で支払済み {1}件"
	case "count.paid.other":
		return "{1} have paid the candidate price", "候補の価格で支払済み {1}件"
	case "count.about":
		return "about {1}", "約{1}"
	case "statement.rollouts":
		return "Rollouts it is enrolled in", "登録されているロールアウト"
	case "statement.pays_as_all":
		return "The same as everybody", "全員と同じ"
	case "col.pays_now":
		return "Pays now", "現在の価格"
	case "col.admitted_by":
		return "Admitted by", "対象になった理由"
	case "col.admitted":
		return "Enrolled ({1})", "登録時刻（{1}）"
	}
	return "", ""
}
