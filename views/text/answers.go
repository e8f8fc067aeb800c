package text

// answers holds what a handler says after a form: what was done, why it was refused, what is wrong with a field.
// Keys that begin with "problem." and a sentence translate the domain's own messages about a field; those that
// begin with "fault." are the domain's codes. What is missing here is shown in the domain's English.
func answers(key string) (en, ja string) {
	switch key {
	case "done.grant":
		return "Credits were granted.", "クレジットを付与しました。"
	case "done.adjustment":
		return "The balance was adjusted.", "残高を調整しました。"
	case "done.freeze":
		return "The account was frozen.", "アカウントを凍結しました。"
	case "done.unfreeze":
		return "The account was unfrozen.", "アカウントの凍結を解除しました。"
	case "done.cancel":
		return "The job was canceled.", "ジョブを取り消しました。"
	case "done.requeue":
		return "The job was requeued.", "ジョブを再投入しました。"
	case "done.discard":
		return "The job was discarded.", "ジョブを破棄しました。"
	case "done.reopen":
		return "The job was reopened.", "ジョブを再開しました。"

	case "conflict.queued":
		return "Too late: the job is queued by now.", "すでに待機中になっているため、実行できません。"
	case "conflict.running":
		return "Too late: the job is running by now.", "すでに実行中になっているため、実行できません。"
	case "conflict.retrying":
		return "Too late: the job is waiting for a retry by now.", "すでに再試行待ちになっているため、実行できません。"
	case "conflict.succeeded":
		return "Too late: the job has succeeded by now.", "すでに成功しているため、実行できません。"
	case "conflict.dead":
		return "Too late: the job is dead by now.", "すでに停止しているため、実行できません。"
	case "conflict.discarded":
		return "Too late: the job is discarded by now.", "すでに破棄されているため、実行できません。"
	case "conflict.canceled":
		return "Too late: the job is canceled by now.", "すでに取り消されているため、実行できません。"
	case "conflict.frozen":
		return "Too late: the account is frozen by now.", "すでに凍結されているため、実行できません。"
	case "conflict.active":
		return "Too late: the account is not frozen any more.", "すでに凍結が解除されているため、実行できません。"

	case "fault.invalid_request":
		return "Something in the form is not right.", "入力内容に誤りがあります。"
	case "fault.account_not_found":
		return "There is no such account.", "アカウントが見つかりません。"
	case "fault.job_not_found":
		return "There is no such job in this account.", "このアカウントにジョブが見つかりません。"
	case "fault.operation_not_found":
		return "There is no such operation.", "操作が見つかりません。"
	case "fault.not_found":
		return "It does not exist.", "存在しません。"
	case "fault.state_conflict":
		return "The current state does not allow this.", "現在の状態ではこの操作はできません。"
	case "fault.operation_conflict":
		return "This form was sent before with other input. What it did then stands. Check the page, then send this again if it is still meant.", "このフォームは以前、異なる内容で送信されています。そのときの結果はそのままです。ページを確認し、必要であれば改めて送信してください。"
	case "fault.operation_in_progress":
		return "The same operation is still running. Wait a moment and send it again; it is done only once.", "同じ操作がまだ実行中です。少し待ってから再送してください。実行は一度だけです。"
	case "fault.insufficient_credits":
		return "The balance does not cover the cost.", "残高が不足しています。"
	case "fault.account_frozen":
		return "The account is frozen.", "アカウントは凍結されています。"
	case "fault.account_inconsistent":
		return "The head of the account’s ledger differs from its entries.", "アカウントの台帳の先頭が記帳と一致しません。"
	case "fault.job_inconsistent":
		return "What this job’s page says of its credits is not what its entries moved. Nothing is moved by hand until somebody has looked at it: tell an administrator, and see Integrity.", "このジョブの返金・回収の記録が記帳と一致しません。確認されるまで手動でクレジットを動かせません。管理者に連絡し、整合性ページをご確認ください。"
	case "fault.amount_overflow":
		return "The balance would be beyond what can be counted.", "残高が扱える範囲を超えます。"
	case "fault.forbidden":
		return "You do not have the permission.", "権限がありません。"
	case "fault.unauthenticated":
		return "You are not signed in.", "サインインしていません。"
	case "fault.busy":
		return "Others are changing the same rows just now.", "現在、ほかの処理が同じ対象を変更しています。"

	case "problem.amount":
		return "A whole number of credits, such as 40 or -40.", "クレジットの整数（例：40、-40）を入力してください。"
	case "problem.type":
		return "There is no entry type {1}.", "{1} という種別はありません。"
	case "problem.period":
		return "There is no period {1}.", "{1} という期間はありません。"
	case "problem.day":
		return "A day such as 2026-11-30.", "2026-11-30 のような日付を入力してください。"
	case "problem.order":
		return "The last day lies before the first.", "終了日が開始日より前です。"
	case "problem.must be a date and a time":
		return "A time such as 2026-11-30 18:00.", "2026-11-30 18:00 のような日時を入力してください。"
	case "problem.is required":
		return "Please fill this in.", "入力してください。"
	case "problem.is too long":
		return "This is too long.", "長すぎます。"
	case "problem.must be at least 1":
		return "A whole number above zero.", "1以上の整数を入力してください。"
	case "problem.must not be 0":
		return "Zero would change nothing.", "0以外を入力してください。"
	case "problem.must be a whole number of credits":
		return "A whole number of credits, without fractions.", "小数のない整数を入力してください。"
	case "problem.does not fit a signed 64-bit number of credits":
		return "This number is too large.", "数が大きすぎます。"
	case "problem.must be paid, promotion or goodwill":
		return "Please choose a category.", "区分を選択してください。"
	case "problem.must be valid text of at most 500 characters":
		return "At most 500 characters.", "500文字以内で入力してください。"
	case "problem.holds control characters":
		return "This holds characters that cannot be stored.", "保存できない文字が含まれています。"
	case "problem.is not valid UTF-8":
		return "This holds characters that cannot be read.", "読み取れない文字が含まれています。"
	case "problem.is past":
		return "This time is past. Choose one that lies ahead.", "過去の日時です。これからの日時を指定してください。"
	case "problem.is a time where now is chosen":
		return "“Now” is chosen above. Choose “At a time”, or empty this field.", "「今すぐ」が選ばれています。「日時を指定」を選ぶか、この欄を空にしてください。"
	case "problem.is more than a year ahead":
		return "At most a year ahead.", "1年以内の日時を指定してください。"
	case "problem.must be one of customer_asked, bad_input, unsupported, duplicate, too_old, other":
		return "Please choose a reason.", "理由を選択してください。"
	case "problem.must be the IANA name of a time zone, such as Asia/Tokyo":
		return "Not the name of a time zone. Example: Asia/Tokyo.", "タイムゾーンの名前ではありません。例：Asia/Tokyo"
	}
	return "", ""
}
