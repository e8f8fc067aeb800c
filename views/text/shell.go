package text

// shell holds the frame around the pages, lists, notices, errors and the pages of a person's own.
func shell(key string) (en, ja string) {
	switch key {
	case "nav.skip":
		return "Skip to the content", "本文へ移動"
	case "nav.main":
		return "Main", "メイン"
	case "nav.home":
		return "Recoup, overview", "Recoup 概要"
	case "nav.today":
		return "Today", "今日"
	case "nav.overview":
		return "Overview", "概要"
	case "nav.ledger_section":
		return "Credits", "クレジット"
	case "nav.ledger":
		return "Ledger", "台帳"
	case "nav.accounts":
		return "Accounts", "アカウント"
	case "nav.work":
		return "Work", "作業"
	case "nav.jobs":
		return "Jobs", "ジョブ"
	case "nav.dead_letters":
		return "Dead letters", "デッドレター"
	case "nav.crumbs":
		return "You are here", "現在の位置"
	case "nav.other_language":
		return "日本語", "English"
	case "nav.theme":
		return "Light, dark or like the device", "明るい・暗い・端末に合わせる"
	case "nav.zone_title":
		return "All times are in this zone. Change it", "時刻はすべてこのタイムゾーンです。変更する"
	case "nav.person":
		return "{1}: preferences and sign out", "{1}：設定とサインアウト"
	case "nav.preferences":
		return "Preferences", "設定"
	case "nav.sign_out":
		return "Sign out", "サインアウト"

	case "search.placeholder":
		return "Search accounts, jobs, operations", "アカウント・ジョブ・操作を検索"
	case "search.label":
		return "Search by account, job or operation id, or by account name", "アカウント・ジョブ・操作のID、またはアカウント名で検索"

	case "keys.title":
		return "Keyboard shortcuts", "キーボード操作"
	case "keys.search":
		return "Search", "検索"
	case "keys.help":
		return "Show this list", "この一覧を表示"
	case "keys.move":
		return "Next or previous row", "次または前の行"
	case "keys.open":
		return "Open the row", "行を開く"
	case "keys.requeue":
		return "Requeue the selected dead letter, or try a waiting job now (asks first)", "選択したデッドレターの再投入・待機中ジョブの即時実行（確認あり）"
	case "keys.discard":
		return "Discard the selected dead letter (asks first)", "選択したデッドレターを破棄（確認あり）"
	case "keys.close":
		return "Close a dialog", "ダイアログを閉じる"
	case "keys.safe":
		return "A letter opens a dialog and never acts. None works while you type.", "文字キーはダイアログを開くだけで、実行はしません。入力中は働きません。"

	case "copy.label":
		return "Copy {1}", "{1} をコピー"
	case "copy.title":
		return "Copy", "コピー"
	case "copy.done":
		return "Copied", "コピーしました"
	case "copy.failed":
		return "Could not copy", "コピーできませんでした"

	case "filter.open":
		return "Filter", "絞り込み"
	case "filter.apply":
		return "Apply", "適用"
	case "filter.clear":
		return "Clear all", "すべて解除"
	case "filter.remove":
		return "Remove filter: {1} {2}", "条件を外す：{1} {2}"
	case "filter.any":
		return "Any", "すべて"

	case "pager.label":
		return "Pages", "ページ"
	case "pager.newer":
		return "Newer", "新しい"
	case "pager.previous":
		return "Previous", "前へ"
	case "pager.next":
		return "Next", "次へ"
	case "pager.older":
		return "Older", "古い"

	case "empty.unreadable":
		return "This list cannot be read just now.", "現在、この一覧を読み込めません。"
	case "empty.unreadable_more":
		return "Nothing was changed. Try again; if it lasts, give support the request id.", "何も変更されていません。再度お試しください。続く場合は、リクエストIDをサポートにお伝えください。"
	case "empty.wide":
		return "These rows could not be found in time.", "時間内に該当する行を見つけられませんでした。"
	case "empty.wide_more":
		return "They are few among very many. Nothing was changed. Choose an account or a shorter period as well.", "膨大な件数の中のごく一部です。何も変更されていません。アカウントまたは短い期間も指定してください。"
	case "empty.retry":
		return "Try again", "再試行"
	case "empty.refused":
		return "A part of the filter is not understood.", "条件の一部を解釈できません。"
	case "empty.refused_more":
		return "It is named at its field. No entries are shown, so that nothing is taken for the answer.", "該当する項目に示しています。誤解を避けるため、記帳は表示していません。"
	case "empty.no_match":
		return "No match.", "該当なし。"
	case "empty.no_match_more.one":
		return "{1} filter is active.", "{1}件の条件が有効です。"
	case "empty.no_match_more.other":
		return "{1} filters are active together.", "{1}件の条件が有効です。"
	case "empty.clear":
		return "Clear filters", "条件を解除"

	case "notice.already_done":
		return "Already done.", "すでに完了しています。"
	case "notice.already_first":
		return "This is the first result, of {2}: {1}", "{2}に行われた最初の結果です：{1}"
	case "notice.nothing_changed":
		return "Nothing was changed.", "何も変更されていません。"
	case "notice.conflict_next":
		return "The page shows the current state; decide again.", "このページは現在の状態です。改めて判断してください。"

	case "form.back":
		return "Go back", "戻る"
	case "form.cancel":
		return "Cancel", "やめる"
	case "form.close":
		return "Close", "閉じる"
	case "form.becomes":
		return "becomes", "から"

	case "error.request_id":
		return "Request id", "リクエストID"
	case "error.400":
		return "The request could not be understood", "リクエストを解釈できません"
	case "error.400.next":
		return "Go back and check what was typed or the address of the page.", "戻って、入力内容またはページのアドレスを確認してください。"
	case "error.401":
		return "Please sign in", "サインインしてください"
	case "error.401.next":
		return "Your session has ended. Sign in again.", "セッションが終了しました。もう一度サインインしてください。"
	case "error.403":
		return "You may not do this", "この操作は許可されていません"
	case "error.403.next":
		return "Ask an administrator for the permission.", "管理者に権限を依頼してください。"
	case "error.404":
		return "There is no such page or object", "ページまたは対象が見つかりません"
	case "error.404.next":
		return "Check the id, including upper and lower case, or search for it.", "大文字小文字を含めてIDを確認するか、検索してください。"
	case "error.409":
		return "The state does not allow this any more", "現在の状態ではこの操作はできません"
	case "error.409.next":
		return "Somebody or something was faster. Open the object again and look at its current state.", "先に変更が行われました。対象を開き直して、現在の状態を確認してください。"
	case "error.413":
		return "What was sent is too large", "送信された内容が大きすぎます"
	case "error.413.limit":
		return "At most {1} can be sent here.", "ここで送信できるのは{1}までです。"
	case "error.413.next":
		return "Divide the file, or remove what is not needed, and upload the parts one by one.", "ファイルを分割するか不要な部分を取り除いて、順にアップロードしてください。"
	case "error.own_change_request.next":
		return "Somebody else has to decide. The change request's page says who can; you can take it back there.", "別の人が決定する必要があります。決定できる人は申請のページに表示され、申請の取り下げもそこで行えます。"
	case "error.not_the_requester.next":
		return "Whoever asked can take it back; you can reject it.", "取り下げは申請者が行えます。却下は可能です。"
	case "error.422":
		return "Something in the form is not right", "入力内容に誤りがあります"
	case "error.422.next":
		return "Go back, correct it and send it again.", "戻って修正し、もう一度送信してください。"
	case "error.429":
		return "Too many requests", "リクエストが多すぎます"
	case "error.429.next":
		return "Wait a minute and try again.", "1分ほど待ってから再度お試しください。"
	case "error.500":
		return "Something failed on our side", "サーバー側で障害が発生しました"
	case "error.500.next":
		return "Try again. If it lasts, give support the request id below.", "再度お試しください。続く場合は、下のリクエストIDをサポートにお伝えください。"
	case "error.503":
		return "The database does not answer just now", "現在、データベースが応答しません"
	case "error.503.next":
		return "Wait a moment and try again. What was confirmed before is safe.", "しばらく待ってから再度お試しください。確定済みの内容は失われません。"
	case "error.unsure":
		return "It may have been done all the same: the answer to it was lost.", "応答が失われたため、処理が完了している可能性があります。"
	case "error.unsure.next":
		return "Go back and send the same form again: it is done once at most, and you are told what became of it. If it lasts, give support the request id below.",
			"前の画面に戻り、同じフォームをもう一度送信してください。二重に処理されることはなく、結果が表示されます。続く場合は、下のリクエストIDをサポートにお伝えください。"
	case "error.unsure_form":
		return "Send it again: it is done once at most, and you are told what became of it.", "もう一度送信してください。二重に処理されることはなく、結果が表示されます。"
	case "error.home":
		return "To the overview", "概要へ"

	case "sign_in.title":
		return "Sign in", "サインイン"
	case "sign_in.say":
		return "For finance, product and support staff.", "経理・プロダクト・サポート担当者用です。"
	case "sign_in.email":
		return "E-mail", "メールアドレス"
	case "sign_in.password":
		return "Password", "パスワード"
	case "sign_in.submit":
		return "Sign in", "サインイン"
	case "sign_in.wrong":
		return "E-mail or password is wrong.", "メールアドレスまたはパスワードが違います。"
	case "sign_in.wrong_next":
		return "You are not signed in. Check both and try again; an administrator can set a new password.", "サインインしていません。両方を確認して再度お試しください。管理者が新しいパスワードを設定できます。"
	case "sign_in.slow":
		return "Too many attempts.", "試行回数が多すぎます。"
	case "sign_in.slow_next":
		return "You are not signed in. Wait {1} and try again.", "サインインしていません。{1}待ってから再度お試しください。"
	case "sign_in.link":
		return "Sign in with this link", "このリンクでサインイン"
	case "sign_in.link_say":
		return "The link works once. Nothing has happened yet.", "リンクは一度だけ使えます。まだ何も行われていません。"
	case "sign_in.spent":
		return "This link no longer works", "このリンクは使えません"
	case "sign_in.spent_say":
		return "It was used already or is too old; a sign-in link works once and for a short time. You are not signed in.", "すでに使われたか、期限が過ぎています。サインイン用リンクは短時間に一度だけ使えます。サインインしていません。"
	case "sign_in.spent_next":
		return "Start the program again for a new link, or sign in with e-mail and password.", "プログラムを再起動して新しいリンクを得るか、メールアドレスとパスワードでサインインしてください。"

	case "preferences.title":
		return "Preferences", "設定"
	case "preferences.say":
		return "They change what you see, for you only. Months are always closed in the installation’s book time zone.", "自分の表示だけに影響します。月次の締めは常に帳簿のタイムゾーンで行われます。"
	case "preferences.language":
		return "Language", "言語"
	case "preferences.zone":
		return "Time zone", "タイムゾーン"
	case "preferences.zone_hint":
		return "A name such as Asia/Tokyo or Europe/Berlin. All times on all pages are shown in it.", "Asia/Tokyo や Europe/Berlin などの名前。すべてのページの時刻がこのタイムゾーンで表示されます。"
	case "preferences.theme":
		return "Appearance", "外観"
	case "preferences.theme_auto":
		return "Like the device", "端末に合わせる"
	case "preferences.theme_light":
		return "Light", "明るい"
	case "preferences.theme_dark":
		return "Dark", "暗い"
	case "preferences.save":
		return "Save", "保存"

	case "results.title":
		return "Search", "検索"
	case "results.title_for":
		return "Search: {1}", "検索：{1}"
	case "results.prompt":
		return "Type an account, job, operation or rollout id, a rule version, or how an account’s name begins, in the box above.", "上の欄に、アカウント・ジョブ・操作・ロールアウトのID、ルール版、またはアカウント名の先頭部分を入力してください。"
	case "results.found":
		return "Ids of jobs and operations match exactly; accounts match by how their id or name begins. Ids tell upper from lower case.", "ジョブと操作のIDは完全一致、アカウントはIDまたは名前の前方一致です。IDは大文字小文字を区別します。"
	case "results.none":
		return "Nothing is called “{1}”.", "「{1}」に一致するものはありません。"
	case "results.none_more":
		return "Every other id must be typed whole and in the right case. Of an account the beginning of its id or name is enough.", "そのほかのIDは大文字小文字を含めて全体を入力してください。アカウントはIDまたは名前の先頭部分で検索できます。"
	case "results.others":
		return "Named exactly so", "完全に一致"
	case "results.id":
		return "Id", "ID"
	case "results.kind":
		return "What it is", "種類"
	case "found.rollout":
		return "Rollout", "ロールアウト"
	case "found.action":
		return "Action", "アクション"
	case "found.rule_version":
		return "Rule version", "ルール版"
	case "found.request":
		return "Change request", "変更申請"
	case "found.bulk_grant":
		return "File of grants", "付与ファイル"
	case "found.settlement":
		return "Settlement", "精算"
	case "results.more":
		return "There are more. Type more of it to narrow the search.", "ほかにもあります。さらに入力して絞り込んでください。"
	case "results.operations":
		return "Operations", "操作"
	case "results.scope":
		return "Scope", "範囲"
	}
	return "", ""
}
