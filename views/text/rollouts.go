package text

// rollouts holds the pages of rollouts and their dialogs.
func rollouts(key string) (en, ja string) {
	switch key {
	case "rollouts.title":
		return "Rollouts", "ロールアウト"
	case "rollouts.say":
		return "A candidate price is tried on a growing share of accounts, and taken back without erasing anything.", "候補の価格を一部のアカウントから段階的に試し、何も消さずに元へ戻せます。"
	case "rollouts.none":
		return "There is no rollout yet.", "ロールアウトはまだありません。"
	case "rollouts.new":
		return "New rollout", "新しいロールアウト"
	case "col.stage":
		return "Stage", "段階"
	case "col.change_of_price":
		return "Baseline → candidate", "ベースライン → 候補"
	case "col.enrolled":
		return "Accounts enrolled", "登録アカウント数"
	case "col.step":
		return "Step", "ステップ"
	case "col.who":
		return "Who", "実行者"
	case "col.reason":
		return "Reason", "理由"
	case "col.check":
		return "Check", "検査"
	case "col.object":
		return "Object", "対象"
	case "col.expected":
		return "Expected", "期待値"
	case "col.found":
		return "Found", "検出値"

	case "state.draft":
		return "Draft", "下書き"
	case "state.paused":
		return "Paused", "一時停止"
	case "state.halted":
		return "Halted", "停止"
	case "state.rolled_back":
		return "Rolled back", "ロールバック済み"
	case "state.completed":
		return "Completed", "完了"
	case "state.archived":
		return "Archived", "保管済み"
	case "state.missing":
		return "No data", "データ不足"

	case "rollout.say_draft":
		return "A draft for {1}, from {2} to {3}: it decides about nothing until it is started.", "{1}の下書き（{2} → {3}）です。開始するまで何も決定しません。"
	case "rollout.say_live":
		return "{1} of {2} {2|account|accounts} {1|is|are} enrolled and {1|pays|pay} {3} instead of {4} since {5}.", "{5}から、{2}アカウント中{1}が登録され、{4}ではなく{3}で支払っています。"
	case "rollout.say_live_some":
		return "{1} {1|account|accounts} {1|is|are} enrolled and {1|pays|pay} {2} instead of {3} since {4}.", "{4}から、{1}アカウントが登録され、{3}ではなく{2}で支払っています。"
	case "rollout.say_paused":
		return "Enrolled accounts keep the candidate price; nobody new enters.", "登録済みのアカウントは候補の価格のままで、新規の登録はありません。"
	case "rollout.say_safe":
		return "Safe to widen: yes.", "拡大可能です。"
	case "rollout.say_unsafe":
		return "Safe to widen: no. {1}", "拡大できません。{1}"
	case "rollout.say_rolled_back":
		return "Rolled back {1}: every new charge pays {2}. What was charged under {3} keeps its price; nothing was erased.", "{1}にロールバックしました。新しい課金はすべて{2}です。{3}で課金したものは価格を保持し、何も消していません。"
	case "rollout.say_completed":
		return "Completed {1}: {2} is the price for everybody.", "{1}に完了しました。{2}が全員の価格です。"
	case "rollout.say_archived":
		return "An archived draft. It never decided about anything.", "保管済みの下書きです。何も決定していません。"

	case "stage.threshold":
		return "{1} %", "{1} %"
	case "stage.named":
		return "{1} named", "指名 {1}件"
	case "stage.of_segment":
		return "{1} % of {2}", "{2}の{1} %"
	case "stage.since":
		return "since {1}", "{1}から"
	case "stage.until":
		return "at least until {1}", "最短で{1}まで"
	case "stage.lasts":
		return "at least {1}", "最短 {1}"
	case "stage.past":
		return "passed", "通過"
	case "stage.number":
		return "Stage {1}", "段階{1}"
	case "stage.none":
		return "not started", "未開始"
	case "stage.rail":
		return "Stages", "段階"

	case "checks.title":
		return "Checks", "検査"
	case "checks.uniqueness":
		return "Uniqueness", "一意性"
	case "checks.uniqueness_of":
		return "jobs or operations charged twice", "二重に課金されたジョブ・操作"
	case "checks.consistency":
		return "Decision consistency", "決定の整合性"
	case "checks.consistency_of":
		return "entries or replays that differ from their decision", "決定と異なる記帳・再送"
	case "checks.reconciliation":
		return "Cost reconciliation", "費用の照合"
	case "checks.reconciliation_of":
		return "decisions without their charge, or unattributed costs", "課金のない決定、または未帰属の費用"
	case "checks.examined":
		return "{1} {1|decision|decisions} examined, {2}", "{1}件の決定を検査、{2}"
	case "checks.never":
		return "never made", "未実施"
	case "checks.few_charges":
		return "{1} of at least {2} {2|charge|charges} under the candidate", "候補での課金が{1}件（{2}件以上必要）"
	case "checks.few_costs":
		return "costs of {1} of {2} {2|delivered job|delivered jobs} are known", "納品済み{2}件中{1}件の費用が判明"
	case "checks.not_yet":
		return "The checks were not made yet.", "検査はまだ行われていません。"
	case "checks.stale":
		return "The checks are {1} old.", "検査は{1}前のものです。"
	case "checks.fails":
		return "{1} failed.", "「{1}」が失敗しました。"
	case "checks.lacks":
		return "{1} has no data.", "「{1}」のデータが不足しています。"
	case "checks.now":
		return "Check now", "今すぐ検査"
	case "checks.all":
		return "All checks", "すべての検査"
	case "checks.found_order":
		return "Open ones first, then the newest", "未解消のものから、新しい順"
	case "checks.found_none":
		return "This check found nothing.", "この検査で検出されたものはありません。"
	case "checks.findings":
		return "What the checks found", "検査の検出内容"
	case "state.gone":
		return "Put right", "修正済み"

	case "try.title":
		return "Try an account", "アカウントで試す"
	case "try.submit":
		return "Try", "試す"
	case "try.bucket":
		return "Bucket, of 100,000", "バケット（10万中）"
	case "try.decision":
		return "A charge now would have", "今課金した場合"
	case "try.why":
		return "Why", "理由"
	case "try.unknown":
		return "There is no account {1}.", "アカウント {1} はありません。"
	case "why.no_rollout":
		return "The rollout is not live", "ロールアウトは実施中ではありません"
	case "why.named":
		return "A stage names the account", "段階がこのアカウントを指名しています"
	case "why.below_threshold":
		return "Its bucket is below the threshold of a stage reached", "バケットが到達済みの段階のしきい値より小さい"
	case "why.enrolled":
		return "It is enrolled and stays", "以前に登録され、継続しています"
	case "why.above_threshold":
		return "Its bucket is not below any threshold reached", "バケットが到達済みのどのしきい値よりも小さくない"
	case "why.outside_segment":
		return "No segment reached matches it", "到達済みのどの条件にも合致しない"
	case "why.paused":
		return "The rollout is paused and had not enrolled it before", "一時停止中で、以前に登録されていない"
	case "why.halted":
		return "The rollout is halted and had not enrolled it before", "停止中で、以前に登録されていない"
	case "cohort.baseline":
		return "Baseline", "ベースライン"
	case "cohort.candidate":
		return "Candidate", "候補"

	case "history.title":
		return "History", "履歴"
	case "rollout_cause.check_failed":
		return "By Recoup: {1}", "Recoupによる：{1}"
	case "rollout_event.created":
		return "Created", "作成"
	case "rollout_event.started":
		return "Started", "開始"
	case "rollout_event.advanced":
		return "Advanced", "拡大"
	case "rollout_event.paused":
		return "Paused", "一時停止"
	case "rollout_event.resumed":
		return "Resumed", "再開"
	case "rollout_event.halted":
		return "Halted", "停止"
	case "rollout_event.rolled_back":
		return "Rolled back", "ロールバック"
	case "rollout_event.completed":
		return "Completed", "完了"
	case "rollout_event.archived":
		return "Archived", "保管"

	case "step.start":
		return "Start", "開始"
	case "step.advance":
		return "Advance", "拡大"
	case "step.pause":
		return "Pause", "一時停止"
	case "step.resume":
		return "Resume", "再開"
	case "step.roll_back":
		return "Roll back", "ロールバック"
	case "step.complete":
		return "Complete", "完了"
	case "step.archive":
		return "Archive", "保管"
	case "step.title":
		return "{1}: {2}", "{1}：{2}"
	case "step_say.start":
		return "The first stage begins to decide about new charges.", "最初の段階が新しい課金を決定し始めます。"
	case "step_say.advance":
		return "More accounts pay the candidate price; nobody leaves. The checks are made again when you confirm.", "より多くのアカウントが候補の価格になり、外れるアカウントはありません。確定時に検査をやり直します。"
	case "step_say.pause":
		return "Enrolled accounts keep the candidate price; nobody new enters.", "登録済みのアカウントは候補の価格のままで、新規の登録はありません。"
	case "step_say.resume":
		return "New accounts enter again. The checks are made again when you confirm.", "新規の登録を再開します。確定時に検査をやり直します。"
	case "step_say.roll_back":
		return "Every new charge pays the baseline from now on. Nothing is erased: what was charged keeps its price, and late retries get it, too. This cannot be undone; a new rollout can be made.", "今後のすべての新しい課金はベースラインになります。何も消さず、課金済みのものと遅れた再送は元の価格を保ちます。元に戻せませんが、新しいロールアウトを作成できます。"
	case "step_say.complete":
		return "The candidate becomes the price in force for everybody. This cannot be undone; a new rule version can be made.", "候補が全員の適用価格になります。元に戻せませんが、新しいルール版を作成できます。"
	case "step_say.archive":
		return "The draft is put aside for good. Its name stays taken.", "下書きを恒久的に保管します。名前は再利用できません。"
	case "step.stage":
		return "Stage", "段階"
	case "step.admitted":
		return "Accounts admitted by bucket and segment", "バケットと条件で対象になるアカウント"
	case "step.enrolled":
		return "Accounts enrolled", "登録アカウント"
	case "rollout.show_price":
		return "Show its price", "価格を表示"
	case "stage.admits":
		return "admits {1} of {2}", "{2}中 {1}が対象"
	case "stage.admits_about":
		return "admits about {1} of {2}", "{2}中 約{1}が対象"
	case "step.leave":
		return "Accounts that leave", "外れるアカウント"
	case "step.new_charges":
		return "New charges", "新しい課金"
	case "step.price_of_all":
		return "Price in force", "適用中の価格"

	case "rollout.new_say":
		return "A draft decides about nothing. Stages add up: what an earlier stage admits, later ones keep.", "下書きは何も決定しません。段階は積み重なり、前の段階で登録されたものは後も維持されます。"
	case "rollout.id":
		return "Name", "名前"
	case "rollout.id_hint":
		return "For ever, and never used again; e.g. ro_2026_discount10", "恒久的で再利用できません（例：ro_2026_discount10）"
	case "rollout.for_people":
		return "Title", "タイトル"
	case "rollout.candidate":
		return "Candidate", "候補"
	case "rollout.candidate_hint":
		return "A rule version that is not in force. The baseline is the price in force", "適用中でないルール版。ベースラインは適用中の価格です"
	case "rollout.no_candidate":
		return "No rule version can be tried: make one first", "試せるルール版がありません。先に作成してください"
	case "rollout.threshold":
		return "Share of accounts, %", "アカウントの割合（%）"
	case "rollout.threshold_hint":
		return "Up to three digits behind the point; leave a stage empty to leave it out", "小数点以下3桁まで。空欄の段階は除かれます"
	case "rollout.accounts":
		return "Accounts admitted by name", "指名するアカウント"
	case "rollout.plans":
		return "Only plans", "対象プラン"
	case "rollout.regions":
		return "Only regions", "対象リージョン"
	case "rollout.attributes":
		return "Only attributes", "対象属性"
	case "rollout.attributes_hint":
		return "name=value, separated by commas", "name=value をコンマ区切りで"
	case "rollout.list_hint":
		return "Separated by commas", "コンマ区切り"
	case "rollout.dwell":
		return "At least, hours", "最短時間（時間）"
	case "rollout.min_charges":
		return "Charges that the checks need", "検査に必要な課金数"
	case "rollout.min_costs":
		return "Delivered jobs whose costs the checks need to know, %", "検査に必要な費用判明率（%）"
	case "rollout.submit":
		return "Make draft", "下書きを作成"

	case "done.create_rollout":
		return "The draft is made.", "下書きを作成しました。"
	case "done.start_rollout":
		return "The rollout is running.", "ロールアウトを開始しました。"
	case "done.advance_rollout":
		return "The rollout stands at its next stage.", "次の段階に進みました。"
	case "done.pause_rollout":
		return "The rollout is paused.", "一時停止しました。"
	case "done.resume_rollout":
		return "The rollout is running again.", "再開しました。"
	case "done.roll_back_rollout":
		return "The rollout is rolled back. New charges pay the baseline.", "ロールバックしました。新しい課金はベースラインです。"
	case "done.complete_rollout":
		return "The candidate is the price in force.", "候補が適用中の価格になりました。"
	case "done.archive_rollout":
		return "The draft is archived.", "下書きを保管しました。"
	case "conflict.rollout":
		return "The rollout is not as the form showed it, or its state does not allow this.", "ロールアウトはフォームの表示時と異なるか、この操作を許さない状態です。"
	case "fault.checks_not_passed":
		return "Not all checks pass; they were made again just now.", "検査に合格していません。検査は今やり直しました。"
	case "fault.dwell_not_over":
		return "The shortest time of this stage is not over yet.", "この段階の最短時間がまだ過ぎていません。"
	}
	return "", ""
}
