package text

// people holds what staff keep about an account beside its entries: its profile and notes.
func people(key string) (en, ja string) {
	switch key {
	case "profile.open":
		return "Edit profile", "プロフィールを編集"
	case "profile.title":
		return "Edit the profile of {1}", "{1} のプロフィールを編集"
	case "profile.say":
		return "First you see what changes; nothing is saved before that. The platform can set the same fields through the API.", "まず変更点を確認し、その後に保存します。同じ項目はプラットフォームもAPIで設定できます。"
	case "profile.say_reviewed":
		return "This is what will change. Save it, or go on typing and review it again.", "変更点は以下のとおりです。このまま保存するか、入力を続けて再度確認してください。"
	case "profile.unchanged":
		return "What was typed is what there is already. There is nothing to save.", "入力内容は現在のプロフィールと同じです。保存するものはありません。"
	case "profile.attributes":
		return "Attributes", "属性"
	case "profile.attributes_hint":
		return "One a line: name = value", "1行に1つ：名前 = 値"
	case "profile.bad_line":
		return "This line is not a name with a value, or repeats a name: {1}", "「名前 = 値」でないか、名前が重複している行があります：{1}"
	case "profile.review":
		return "Review changes", "変更点を確認"
	case "profile.save":
		return "Save profile", "保存する"
	case "profile.absent":
		return "not set", "未設定"
	case "profile.blank":
		return "empty", "空欄"
	case "done.put_account":
		return "The profile was saved.", "プロフィールを保存しました。"
	case "conflict.changed":
		return "Too late: somebody else changed the account meanwhile.", "その間に別の変更が行われたため、保存できません。"

	case "notes.list":
		return "Notes", "メモ"
	case "notes.title":
		return "Notes on {1}", "{1} のメモ"
	case "notes.say":
		return "What staff noted on this account. A note is never changed or removed; one that was wrong is struck out and stays readable.", "担当者がこのアカウントに残したメモです。変更も削除もされません。誤りは取り消し線を付け、読めるまま残します。"
	case "notes.none":
		return "No notes yet.", "メモはまだありません。"
	case "notes.order":
		return "Newest first. Times in {1}.", "新しい順。時刻は{1}。"
	case "notes.all":
		return "All notes", "すべてのメモ"
	case "notes.add":
		return "Add note", "メモを追加"
	case "notes.add_title":
		return "Add a note on {1}", "{1} にメモを追加"
	case "notes.add_say":
		return "Everybody who may see the account can read it. It is kept with your name.", "このアカウントを閲覧できる全員が読めます。あなたの名前とともに残ります。"
	case "notes.strike":
		return "Strike out", "取り消し線を付ける"
	case "notes.strike_title":
		return "Strike out a note on {1}", "{1} のメモに取り消し線を付ける"
	case "notes.strike_say":
		return "The note stays readable, with your name and reason beside it.", "メモは読めるまま残り、あなたの名前と理由が併記されます。"
	case "notes.struck":
		return "Struck out by {1}: {2}", "{1} が取り消し：{2}"
	case "notes.struck_word":
		return "struck out", "取り消し線あり"
	case "done.account_note":
		return "The note was added.", "メモを追加しました。"
	case "done.account_note_strike":
		return "The note was struck out.", "メモに取り消し線を付けました。"
	case "conflict.struck":
		return "Too late: the note is struck out by now.", "すでに取り消し線が付いているため、実行できません。"

	case "statement.reclaimable_count.one":
		return "{1} job. If it is still delivered, {2} credits are taken back, once.", "{1}件。後から納品されると、{2}クレジットが1回だけ回収されます。"
	case "statement.reclaimable_count.other":
		return "{1} jobs. If all of these are still delivered, {2} credits are taken back, once each.", "{1}件。これらがすべて後から納品されると、合計{2}クレジットが1回ずつ回収されます。"
	case "statement.reclaimable_many":
		return "More than {1} {1|job|jobs}. Their list says what could be taken back.", "{1}件を超えています。回収されうる合計は一覧に表示します。"
	case "jobs.reclaimable":
		return "Refunded, could still be reclaimed", "返金済み・回収の可能性あり"
	case "accounts.by_age":
		return "Longest below zero first.", "マイナスの期間が長い順。"
	}
	return "", ""
}
