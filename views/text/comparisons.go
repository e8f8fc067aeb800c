package text

// comparisons holds what a rollout does: its comparison, what it gave away, what its next stage would do.
func comparisons(key string) (en, ja string) {
	switch key {
	case "given.title":
		return "Credits given away", "値引きしたクレジット"
	case "given.more":
		return "Credits charged beyond the baseline", "ベースラインを超えて課金したクレジット"
	case "given.none":
		return "Nothing is counted yet. It is counted once a minute.", "まだ集計されていません。1分ごとに集計します。"
	case "given.all_of.one":
		return "credits, {1} charge under the candidate", "クレジット（候補での課金 {1}件）"
	case "given.all_of.other":
		return "credits, {1} charges under the candidate", "クレジット（候補での課金 {1}件）"
	case "given.delivered_of.one":
		return "of it for {1} delivered job", "うち納品済みジョブ {1}件の分"
	case "given.delivered_of.other":
		return "of it for {1} delivered jobs", "うち納品済みジョブ {1}件の分"
	case "given.through":
		return "Up to", "集計時点"

	case "charges.title":
		return "Charges per day", "1日あたりの課金数"
	case "charges.axis":
		return "{1}: {2}", "{1}：{2}"
	case "charges.none":
		return "Nothing was charged under the rollout yet.", "このロールアウトでの課金はまだありません。"
	case "charges.say":
		return "Each with a scale of its own: candidate up to {1} a day, baseline up to {2}.", "それぞれ別の目盛り：候補は1日最大{1}件、ベースラインは最大{2}件。"

	case "compare.title":
		return "This stage beside the baseline and history", "この段階とベースライン・過去の比較"
	case "compare.now":
		return "Compare now", "今すぐ比較"
	case "compare.made":
		return "Made", "作成"
	case "compare.none":
		return "Not compared yet. It is done every few minutes while the rollout is live, or now.", "まだ比較されていません。実施中は数分ごとに行われます。今すぐ行うこともできます。"
	case "compare.say":
		return "{1}: {2} to {3}. History: as much time before the start, {4} to {5}.", "{1}：{2}から{3}まで。過去：開始前の同じ長さの期間、{4}から{5}まで。"
	case "compare.other_stage":
		return "The rollout stands at another stage by now.", "ロールアウトは現在別の段階にあります。"
	case "compare.shortened":
		return "The stage began earlier; the newest part of it is compared.", "この段階はもっと前に始まりました。最も新しい部分だけを比較しています。"
	case "compare.sampled":
		return "{1}: {2} of {3} {3|charge was|charges were} looked at, all those of a part of the accounts.", "{1}：全{3}件のうち{2}件（一部のアカウントの全課金）を調べました。"
	case "compare.how":
		return "Intervals hold 99 times in 100, and count accounts, not charges, as what was assigned. “No difference shown” does not say that there is none.", "区間は100回中99回は真の値を含み、課金ではなくアカウントを割り当ての単位としています。「差は示されない」は差がないという意味ではありません。"
	case "compare.figure":
		return "Figure", "指標"
	case "compare.candidate":
		return "Candidate", "候補"
	case "compare.baseline":
		return "Baseline", "ベースライン"
	case "compare.history":
		return "History", "過去"
	case "compare.against_baseline":
		return "Against baseline", "ベースラインとの差"
	case "compare.against_history":
		return "Against history", "過去との差"

	case "measure.applications":
		return "Rule applications", "ルールの適用"
	case "measure.applications_note":
		return "Charges priced", "価格が決まった課金"
	case "measure.per_account":
		return "Charges an account", "アカウントあたりの課金"
	case "measure.per_account_note":
		return "Of accounts that charged", "課金のあったアカウント"
	case "measure.resent":
		return "Charges sent again", "再送された課金"
	case "measure.conflicting":
		return "Charges with a conflict", "競合のあった課金"
	case "measure.lag_median":
		return "Queue lag, median", "待ち時間（中央値）"
	case "measure.lag_p95":
		return "Queue lag, 95 %", "待ち時間（95 %点）"
	case "measure.lag_note":
		return "From when it may be claimed to the claim", "取得可能になってから取得まで"
	case "measure.failed":
		return "Failed attempts", "失敗した試行"
	case "measure.cost_charged":
		return "Cost of a charged job, {1}", "課金済みジョブの費用（{1}）"
	case "measure.cost_delivered":
		return "Cost of a delivered job, {1}", "納品済みジョブの費用（{1}）"
	case "measure.no_costs":
		return "Cost of a job", "ジョブの費用"
	case "measure.no_costs_note":
		return "No cost is known yet", "費用はまだ判明していません"

	case "sample.range":
		return "{1} to {2}", "{1}〜{2}"
	case "sample.accounts.one":
		return "{1} account", "{1}アカウント"
	case "sample.accounts.other":
		return "{1} accounts", "{1}アカウント"
	case "sample.replays.one":
		return "{1} replay", "再送 {1}回"
	case "sample.replays.other":
		return "{1} replays", "再送 {1}回"
	case "sample.conflicts.one":
		return "{1} conflict", "競合 {1}回"
	case "sample.conflicts.other":
		return "{1} conflicts", "競合 {1}回"
	case "sample.charges.one":
		return "{1} charge", "課金 {1}件"
	case "sample.charges.other":
		return "{1} charges", "課金 {1}件"
	case "sample.attempts.one":
		return "{1} attempt", "試行 {1}回"
	case "sample.attempts.other":
		return "{1} attempts", "試行 {1}回"
	case "sample.claims.one":
		return "{1} claim", "取得 {1}回"
	case "sample.claims.other":
		return "{1} claims", "取得 {1}回"
	case "sample.jobs.one":
		return "{1} job", "ジョブ {1}件"
	case "sample.jobs.other":
		return "{1} jobs", "ジョブ {1}件"
	case "sample.in":
		return "{1} in {2}", "{2}で{1}"
	case "sample.seconds":
		return "{1} s", "{1}秒"
	case "sample.points":
		return "{1} points", "{1}ポイント"

	case "verdict.higher":
		return "Higher", "高い"
	case "verdict.lower":
		return "Lower", "低い"
	case "verdict.none":
		return "No difference shown", "差は示されない"
	case "verdict.by":
		return "by {1} ({2} to {3})", "差 {1}（{2}〜{3}）"
	case "lack.charges":
		return "Too little data: {1} of {2} {2|charge|charges} ({3})", "データ不足：課金 {2}件中{1}件（{3}）"
	case "lack.attempts":
		return "Too little data: {1} of {2} {2|attempt|attempts} ({3})", "データ不足：試行 {2}回中{1}回（{3}）"
	case "lack.claims":
		return "Too little data: {1} of {2} {2|claim|claims} ({3})", "データ不足：取得 {2}回中{1}回（{3}）"
	case "lack.jobs":
		return "Too little data: {1} of {2} {2|job|jobs} with a known cost ({3})", "データ不足：費用の判明したジョブ {2}件中{1}件（{3}）"
	case "lack.accounts":
		return "Too little data: {1} of {2} {2|account|accounts} ({3})", "データ不足：{2}アカウント中{1}（{3}）"
	case "lack.known_costs":
		return "Too little data: costs of {1} % of the jobs are known, {2} % are needed ({3})", "データ不足：費用の判明したジョブは{1} %（{2} %必要、{3}）"
	case "lack.spread":
		return "Too little data: a few accounts make up too much of it ({3})", "データ不足：少数のアカウントに偏りすぎています（{3}）"
	case "lack.retention":
		return "Repeats of that time are not kept any more ({3})", "その期間の再送記録はもう保存されていません（{3}）"

	case "effect.accounts":
		return "{1} of {2}", "{2}件中{1}件"
	case "effect.about":
		return "about {1} of {2}", "{2}件中約{1}件"
	case "effect.gain":
		return "Accounts that change to the candidate", "候補に変わるアカウント"
	case "effect.gain_off":
		return "{1}, {2}", "{1}、{2}"
	case "effect.expected":
		return "Revenue a day, projected", "1日あたりの売上（見込み）"
	case "effect.of_paid.one":
		return "{2} of {3} credits; {4} in {1} day", "{3}クレジット中{2}（{1}日間で{4}）"
	case "effect.of_paid.other":
		return "{2} of {3} credits; {4} in {1} days", "{3}クレジット中{2}（{1}日間で{4}）"
	case "effect.worst":
		return "Revenue on the worst day", "最悪の日の売上"
	case "effect.credits":
		return "{1} {1|credit|credits}", "{1}クレジット"
	case "effect.no_charges":
		return "No charges to tell from", "判断できる課金がありません"
	case "effect.say.one":
		return "Projected: what the accounts that change charged and kept in the last {1} day, at the candidate's price. Worst: the least that one of those days could bring; where a charge is cheaper, everything that all accounts of the stage charged, nothing refunded; where it is dearer, what the accounts that change kept ({2} charges).", "見込み：変わるアカウントが過去{1}日間に課金し返金されなかった分を候補の価格で計算。最悪：最も少ない日の値。安くなる課金は段階の全アカウントの全課金（返金なし）、高くなる課金は変わるアカウントの返金されなかった分で計算（課金 {2}件）。"
	case "effect.say.other":
		return "Projected: what the accounts that change charged and kept in the last {1} days, at the candidate's price. Worst: the least that one of those days could bring; where a charge is cheaper, everything that all accounts of the stage charged, nothing refunded; where it is dearer, what the accounts that change kept ({2} charges).", "見込み：変わるアカウントが過去{1}日間に課金し返金されなかった分を候補の価格で計算。最悪：最も少ない日の値。安くなる課金は段階の全アカウントの全課金（返金なし）、高くなる課金は変わるアカウントの返金されなかった分で計算（課金 {2}件）。"
	case "effect.dwell":
		return "The stage lasts at least until {1}.", "この段階は最短で{1}まで続きます。"
	case "effect.young":
		return "The action has been charged for less than a day: what a whole day brings is not known yet.", "このアクションの課金はまだ1日分に満たないため、1日全体の影響はまだ分かりません。"
	case "effect.part":
		return "A part of the accounts stands for all of them.", "一部のアカウントから全体を推定しています。"
	case "effect.overflow":
		return "What the next stage would do cannot be told: a charge as large as one of the last days has no price in credits under one of the two rule versions, and would be refused.", "次の段階の影響は計算できません。直近の課金と同じ規模の課金が、いずれかのルール版ではクレジットの上限を超え、拒否されるためです。"
	case "effect.slow":
		return "What the next stage would do could not be worked out in time.", "次の段階の影響を時間内に計算できませんでした。"
	case "off.percent":
		return "{1} % off", "{1} %引き"
	case "off.more":
		return "{1} % dearer", "{1} %値上げ"

	case "decided.no_rollout":
		return "No rollout of the action was live: the price in force applied", "実施中のロールアウトはなく、適用中の価格でした"
	case "decided.named":
		return "The stage named the account", "段階がこのアカウントを指名していました"
	case "decided.below_threshold":
		return "Its bucket was below the threshold of the stage", "バケットが段階のしきい値より小さかったためです"
	case "decided.enrolled":
		return "The rollout had enrolled it before", "以前に登録されていました"
	case "decided.above_threshold":
		return "Its bucket was not below any threshold reached", "バケットが到達済みのどのしきい値よりも小さくありませんでした"
	case "decided.outside_segment":
		return "No segment reached matched it", "到達済みのどの条件にも合致しませんでした"
	case "decided.paused":
		return "The rollout was paused and had not enrolled it before", "一時停止中で、以前に登録されていませんでした"
	case "decided.halted":
		return "The rollout was halted and had not enrolled it before", "停止中で、以前に登録されていませんでした"

	case "step.resume_lacks":
		return "There is too little data yet, which does not keep it from running: while it is halted none can come. It is needed before the next stage.", "データはまだ不足していますが、停止中は増えないため再開の妨げにはなりません。次の段階に進む前に必要です。"
	case "checks.made_now":
		return "Checks made {1}", "検査実施 {1}"
	case "help.costs":
		return "Finance can help: unattributed costs are attributed under Costs.", "経理が対応できます：費用の画面で未帰属の費用を帰属させます。"
	case "help.bills":
		return "Finance can help: what delivered jobs cost comes with bills, which are imported under Costs.", "経理が対応できます：納品済みジョブの費用は請求に含まれ、費用の画面で取り込みます。"
	case "help.deliveries":
		return "Nobody has to do anything: costs are asked for once jobs of the candidate are delivered.", "対応は不要です：候補のジョブが納品されると費用を確認します。"
	case "help.resume":
		return "It can be resumed without more charges or deliveries: while it stands, nobody new pays the candidate, and more come once it runs.", "課金や納品が増えなくても再開できます：止まっている間は候補の価格になる新しいアカウントがなく、再開後に増えます。"
	case "help.charges":
		return "Nobody has to do anything: more charges under the candidate come by themselves.", "対応は不要です：候補での課金は自然に増えます。"
	case "help.findings":
		return "A lead or an admin can help: what was found is on the rollout's page.", "リードまたは管理者が対応できます：検出内容はロールアウトのページにあります。"
	case "help.again":
		return "Whoever may see the rollout can make the checks again, with Check now on its page.", "ロールアウトを閲覧できる人は、ページの「今すぐ検査」で検査をやり直せます。"
	case "finding.operation_charges":
		return "Charges of the operation", "操作の課金数"
	case "finding.job_charges":
		return "Charges of the job", "ジョブの課金数"
	case "finding.entry_price":
		return "Price of entry {1}", "記帳{1}の価格"
	case "finding.replay_price":
		return "Price served by attempt {1}", "試行{1}で返した価格"
	case "finding.admission":
		return "Admission by version {1} of the rollout", "ロールアウト第{1}版による登録"
	case "finding.answer_price":
		return "Price that whoever sends it again is told", "再送に返す価格"
	case "finding.bucket":
		return "Bucket of the account", "アカウントのバケット"
	case "finding.enrolment":
		return "Enrolment of the account", "アカウントの登録"
	case "finding.threshold":
		return "Bucket that stage {1} admitted", "段階{1}が対象にしたバケット"
	case "finding.name":
		return "Account that stage {1} names", "段階{1}が指名するアカウント"
	case "finding.left_out":
		return "Cohort, though stage {1} admitted the account", "段階{1}の対象であるアカウントの区分"
	case "finding.enrolled_before":
		return "Cohort of an enrolled account", "登録済みアカウントの区分"
	case "finding.enrolled_at":
		return "enrolled at stage {1}", "段階{1}で登録"
	case "finding.candidate":
		return "Candidate: {1}", "候補：{1}"
	case "finding.named":
		return "the stage names it", "段階が指名"
	case "finding.below":
		return "bucket {1} is below {2}", "バケット{1}は{2}未満"
	case "finding.under":
		return "below {1}", "{1}未満"
	case "finding.no_stage":
		return "no such stage", "その段階はありません"
	case "finding.charge":
		return "Charge of the decision", "決定の課金"
	case "finding.operation":
		return "Operation of the charge", "課金の操作"
	case "finding.with_result":
		return "one with its result", "結果のある操作"
	case "finding.job_of_charge":
		return "Job of the charge", "課金のジョブ"
	case "finding.job":
		return "Job of the decision", "決定のジョブ"
	case "finding.decision":
		return "Decisions of the charge", "課金の決定数"
	case "finding.none":
		return "none", "なし"
	case "finding.price_by":
		return "{1} by {2}", "{2}で{1}"
	case "finding.job_value":
		return "{1} of {2} for {3}, {4}", "{2} {1}単位、{3}、{4}"
	case "finding.no_version":
		return "No such version of the rollout", "ロールアウトにその版はありません"
	case "finding.at_stage":
		return "{1}, stage {2}", "{1}（段階{2}）"
	case "finding.example":
		return "{1} of operation {2}: {3}, expected {4}.", "操作 {2} の{1}：{3}（期待値 {4}）。"
	case "finding.unattributed.one":
		return "{1} unattributed cost: {2}", "未帰属の費用 {1}件：{2}"
	case "finding.unattributed.other":
		return "{1} unattributed costs: {2}", "未帰属の費用 {1}件：{2}"

	case "fault.comparison_too_slow":
		return "The rollout could not be compared in time. The comparison before is still there.", "時間内に比較できませんでした。前回の比較はそのまま残っています。"
	}
	return "", ""
}
