package text

// problems holds what is wrong with a field of the forms of prices, rollouts and costs, where answers.go does not have it.
func problems(key string) (en, ja string) {
	switch key {
	case "form.problem_of":
		return "{1}: {2}", "{1}：{2}"
	case "costs.foreseen":
		return "Importing it now: {1} attributed, {2} overhead, {3} attributed to nobody, {4} recorded before.", "今取り込んだ場合：帰属あり{1}件、間接費{2}件、帰属なし{3}件、記録済み{4}件。"
	case "costs.foreseen_nobody.one":
		return "{1} line would be attributed to nobody: it names no job or operation that there is.", "{1}行は、存在するジョブや操作を示していないため、帰属なしになります。"
	case "costs.foreseen_nobody.other":
		return "{1} lines would be attributed to nobody: they name no job or operation that there is.", "{1}行は、存在するジョブや操作を示していないため、帰属なしになります。"
	case "costs.foreseen_halts.one":
		return "That halts the rollout {2} within a minute.", "これにより、ロールアウト{2}が1分以内に停止します。"
	case "costs.foreseen_halts.other":
		return "That halts {1} rollouts within a minute: {2}.", "これにより、{1}件のロールアウトが1分以内に停止します：{2}。"
	case "rollout.missing_accounts":
		return "There is no such account: {1}", "存在しないアカウント：{1}"
	case "problem.is taken: a name is never used again":
		return "This name is taken: a name is never used again.", "この名前は使用済みです。名前は再利用できません。"
	case "problem.must not be negative":
		return "It must not be negative.", "負の数は指定できません。"
	case "problem.must be a number such as 12.5":
		return "It must be a number such as 12.5.", "12.5のような数値にしてください。"
	case "problem.must have at most 2 digits behind the point":
		return "It must have at most 2 digits behind the point.", "小数点以下は2桁までです。"
	case "problem.must have at most 3 digits behind the point":
		return "It must have at most 3 digits behind the point.", "小数点以下は3桁までです。"
	case "problem.must be at most 100 %":
		return "It must be at most 100 %.", "100 %以下にしてください。"
	case "problem.is too large":
		return "It is too large.", "大きすぎます。"
	case "problem.must name each attribute once: an account has one value of it":
		return "Each attribute can be named once: an account has one value of it.", "同じ属性は一度だけ指定できます。アカウントの属性の値は1つです。"
	case "problem.must be pairs such as beta=yes":
		return "It must be pairs such as beta=yes, separated by commas.", "beta=yesのような組をコンマ区切りで入力してください。"
	case "problem.must be 1 to 48 small letters, digits or _, beginning with a letter":
		return "It must be 1 to 48 small letters, digits or _, beginning with a letter.", "英小文字で始まる、英小文字・数字・_の1〜48文字にしてください。"
	case "problem.must have 1 to 40 characters, none of them a control character":
		return "It must have 1 to 40 characters, none of them a control character.", "制御文字を含まない1〜40文字にしてください。"
	case "problem.must have at most 500 characters, none of them a control character":
		return "It must have at most 500 characters, none of them a control character.", "制御文字を含まない500文字以内にしてください。"
	case "problem.must have at most 200 characters, none of them a control character":
		return "It must have at most 200 characters, none of them a control character.", "制御文字を含まない200文字以内にしてください。"
	case "problem.must be up, down or half_even":
		return "Choose one of the roundings.", "端数処理を選択してください。"
	case "problem.must be 1 to 64 letters, digits or . _ -, beginning with a letter or digit":
		return "It must be 1 to 64 letters, digits or . _ -, beginning with a letter or digit.", "英数字で始まる、英数字と . _ - の1〜64文字にしてください。"
	case "problem.must be 1 to 50":
		return "There must be at least one stage.", "段階を1つ以上入力してください。"
	case "problem.is below that of a stage before it, which admits more":
		return "An earlier stage admits more already: stages add up.", "前の段階がより多くのアカウントを対象にしています（段階は累積します）。"
	case "problem.must be a whole number from 0 to 100000":
		return "It must be 0 to 100 %.", "0〜100 %にしてください。"
	case "problem.must be 0 to 31622400":
		return "A stage may be asked to last 0 hours to a year.", "段階の最短時間は0時間から1年までです。"
	case "problem.must have at most 1000 members of 1 to 100 characters":
		return "There may be at most 1,000 of 1 to 100 characters each.", "各1〜100文字、1,000件以内にしてください。"
	case "problem.has a value that cannot be compared":
		return "A value is too long or holds control characters.", "値が長すぎるか、制御文字を含んでいます。"
	case "problem.is a rule version of another action":
		return "It is a rule version of another action.", "別のアクションのルール版です。"
	case "problem.has no price in force to begin from":
		return "Its action has no price in force to begin from.", "アクションに適用中の価格がありません。"
	case "problem.is in force already":
		return "It is in force already.", "すでに適用中です。"
	case "problem.or description or dimension is required":
		return "Fill in a source, a description or a dimension.", "取得元・説明・ディメンションのいずれかを入力してください。"
	case "problem.goes with a dimension: fill in both or none":
		return "A dimension and its value go together: fill in both or none.", "ディメンションと値は両方入力するか、両方空欄にしてください。"
	case "problem.must lie between the years 1970 and 9999":
		return "It must lie between the years 1970 and 9999.", "1970年から9999年の間にしてください。"
	case "problem.must be a time such as 2026-11-30 18:00":
		return "It must be a time such as 2026-11-30 18:00.", "2026-11-30 18:00のような日時にしてください。"
	case "problem.must not be given beside job: name one of them", "problem.must not be given beside job_id: name one of them":
		return "Give a job or an operation, not both.", "ジョブか操作のどちらか一方だけを指定してください。"
	case "problem.is larger than can be uploaded":
		return "The file is larger than can be uploaded.", "ファイルが大きすぎてアップロードできません。"
	case "problem.ended before it was complete":
		return "The file ended before it was complete. Send it again.", "ファイルが途中で切れました。もう一度送信してください。"
	case "problem.holds no lines":
		return "The file holds no lines below its header.", "ファイルにはヘッダー以外の行がありません。"
	case "problem.must have 1 to 64 characters":
		return "It must have 1 to 64 characters.", "1〜64文字にしてください。"
	case "problem.must have 1 to 255 characters":
		return "It must have 1 to 255 characters.", "1〜255文字にしてください。"
	case "problem.must not be \".\"", "problem.must not be \"..\"":
		return "It must not be . or .. alone.", "「.」や「..」だけにはできません。"
	case "problem.may hold only letters, digits and . _ : @ -":
		return "It may hold only letters, digits and . _ : @ -", "使えるのは英数字と . _ : @ - だけです。"
	case "problem.must be credits, debits or both":
		return "Choose credits, debits or both.", "返す・請求する・両方から選択してください。"
	case "problem.must be ledger or outside":
		return "Choose the ledger or outside.", "台帳か外部を選択してください。"
	}
	return "", ""
}
