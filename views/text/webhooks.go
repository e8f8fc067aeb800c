package text

// webhooks holds the words about receivers outside.
func webhooks(key string) (en, ja string) {
	switch key {
	case "nav.webhooks":
		return "Webhooks", "Webhook"
	case "webhooks.comma":
		return ", ", "、"
	case "nav.settings":
		return "Settings", "設定"
	case "fault.webhook_not_found":
		return "There is no such receiver or delivery.", "通知先または配信が見つかりません。"
	case "webhooks.title":
		return "Webhooks", "Webhook"
	case "webhooks.say":
		return "Programs outside that are told what happened here.", "ここで起きたことを通知する外部プログラムです。"
	case "webhooks.none":
		return "No receivers yet.", "通知先はまだありません。"
	case "webhooks.new":
		return "Add a receiver", "通知先を追加"
	case "webhooks.new_say":
		return "A secret is made for it, with which every message is signed.", "署名に使うシークレットが作成されます。"
	case "webhooks.new_submit":
		return "Add receiver", "追加する"
	case "webhooks.edit":
		return "Change", "変更"
	case "webhooks.edit_title":
		return "Change the receiver", "通知先を変更"
	case "webhooks.edit_submit":
		return "Save change", "変更を保存"
	case "webhooks.address":
		return "Address", "アドレス"
	case "webhooks.address_hint":
		return "https, on a public address", "公開アドレスのhttps"
	case "webhooks.note":
		return "Description", "説明"
	case "webhooks.events":
		return "Told of", "通知する出来事"
	case "webhooks.waiting":
		return "Waiting", "待機中"
	case "webhooks.failed_week":
		return "Failed, 7 days", "失敗（7日間）"
	case "webhooks.since":
		return "Added ({1})", "追加日時（{1}）"
	case "webhooks.what":
		return "Receiver", "通知先"
	case "webhooks.made":
		return "Added", "追加"
	case "webhooks.secret":
		return "Secret", "シークレット"
	case "webhooks.secret_say":
		return "The receiver needs it to check the signature. It is shown on request, and who asked is kept.", "受信側が署名を検証するために必要です。求めに応じて表示し、求めた人を記録します。"
	case "webhooks.secret_shown":
		return "Copy it now. This page does not show it again by itself.", "今コピーしてください。このページに再び表示されることはありません。"
	case "webhooks.old_until":
		return "The secret before it signs too until {1}.", "前のシークレットも {1} まで署名に使われます。"
	case "webhooks.deliveries":
		return "Sent", "送信履歴"
	case "webhooks.nothing_sent":
		return "Nothing was sent yet.", "まだ何も送信されていません。"
	case "webhooks.event":
		return "Message", "メッセージ"
	case "webhooks.type":
		return "What happened", "出来事"
	case "webhooks.tries":
		return "Tries", "試行"
	case "webhooks.try":
		return "Try", "回"
	case "webhooks.last":
		return "Last answer", "最後の応答"
	case "webhooks.next":
		return "Next try ({1})", "次の試行（{1}）"
	case "webhooks.order":
		return "Newest first, times in {1}", "新しい順、時刻は{1}"
	case "webhooks.all":
		return "All", "すべて"
	case "webhooks.status":
		return "Answer", "応答"
	case "webhooks.took":
		return "ms", "ミリ秒"
	case "webhooks.said":
		return "In words", "内容"
	case "webhooks.body":
		return "What was sent", "送信内容"
	case "webhooks.body_say":
		return "Byte for byte, the same at every try.", "どの試行でも1バイトも変わりません。"
	case "webhooks.delivery":
		return "Message {1}", "メッセージ {1}"
	case "webhooks.delivery_say":
		return "To {1}. The id stays the same however often it is sent.", "宛先は {1} です。何度送信しても番号は変わりません。"
	case "webhooks.not_tried":
		return "Not tried yet.", "まだ試行されていません。"
	case "webhooks.say_active":
		return "Told of: {1}.", "通知する出来事：{1}。"
	case "webhooks.say_down":
		return "Takes no calls since {1}. What waits is not lost: it is called again from {2} on.", "{1} から呼び出しを受け付けていません。待機中のものは失われず、{2} 以降に再び呼び出します。"
	case "inbox.webhook_gone":
		return "The receiver {1} was disabled", "通知先 {1} は停止されました"
	case "inbox.webhook_gone_why":
		return "It answered that it is gone (410). What happens until somebody makes it active again is not sent later.", "廃止（410）と応答しました。再び有効にするまでの出来事は後から送信されません。"
	case "webhooks.down":
		return "Takes no calls", "呼び出しを受け付けていません"
	case "webhooks.say_disabled":
		return "Disabled: nothing new is kept for it, and what waits goes on waiting.", "停止中です。新しい通知は残されず、待機中のものは待ち続けます。"
	case "webhooks.say_gone":
		return "Disabled, because the receiver answered that it is gone (410).", "受信側が廃止（410）と応答したため停止しました。"
	case "state.delivered":
		return "Delivered", "配信済み"
	case "state.disabled":
		return "Disabled", "停止中"
	case "event.job.dead_lettered":
		return "Dead letter", "デッドレター化"
	case "event.job.recovered":
		return "Recovered job", "ジョブの回復"
	case "event.rollout.halted":
		return "Halted rollout", "ロールアウトの停止"
	case "event.check.failed":
		return "Failed check", "検査の失敗"
	case "event.ping":
		return "Test", "テスト"

	case "webhook.disable_open":
		return "Disable", "停止"
	case "webhook.disable_title":
		return "Disable the receiver", "通知先を停止"
	case "webhook.disable_say":
		return "{1} is told of nothing until somebody makes it active again. What happens meanwhile is not sent later.", "再び有効にするまで {1} には通知されません。その間の出来事は後から送信されません。"
	case "webhook.disable_submit":
		return "Disable receiver", "停止する"
	case "webhook.enable_open":
		return "Make active", "有効にする"
	case "webhook.enable_title":
		return "Make the receiver active", "通知先を有効にする"
	case "webhook.enable_say":
		return "{1} is told again from now on; what waits for it is sent at once.", "{1} への通知を再開します。待機中のものはすぐに送信されます。"
	case "webhook.enable_submit":
		return "Make active", "有効にする"
	case "webhook.rotate_open":
		return "Rotate", "更新"
	case "webhook.rotate_title":
		return "Make a new secret", "シークレットを更新"
	case "webhook.rotate_say":
		return "Messages to {1} are signed with the new secret and, for 24 hours, with the old one too: change the receiver meanwhile.", "{1} への通知は新しいシークレットで署名され、24時間は古いものでも署名されます。その間に受信側を変更してください。"
	case "webhook.rotate_submit":
		return "Make new secret", "更新する"
	case "webhook.secret_open":
		return "Show", "表示"
	case "webhook.secret_title":
		return "Show the secret", "シークレットを表示"
	case "webhook.secret_say":
		return "Whoever knows it can send {1} messages that look like ours.", "知っている人は、{1} に本物と見分けのつかない通知を送れます。"
	case "webhook.secret_submit":
		return "Show secret", "表示する"
	case "webhook.test_open":
		return "Send a test", "テスト送信"
	case "webhook.test_title":
		return "Send a test", "テスト送信"
	case "webhook.test_say":
		return "{1} gets a signed message of type “ping”. The answer is on this page a moment later.", "{1} に種類「ping」の署名付き通知を送ります。応答はまもなくこのページに表示されます。"
	case "webhook.test_submit":
		return "Send test", "送信する"
	case "webhook.resend_open":
		return "Send again", "再送信"
	case "webhook.resend_title":
		return "Send it again", "再送信"
	case "webhook.resend_say":
		return "{1} gets the same message with the same id once more.", "{1} に同じ番号の同じ通知をもう一度送ります。"
	case "webhook.resend_submit":
		return "Send again", "再送信する"

	case "done.create_webhook":
		return "The receiver was added.", "通知先を追加しました。"
	case "done.change_webhook":
		return "The receiver was changed.", "通知先を変更しました。"
	case "done.set_webhook_state":
		return "The receiver was changed.", "通知先を変更しました。"
	case "done.rotate_webhook_secret":
		return "A new secret was made.", "新しいシークレットを作成しました。"
	case "done.resend_webhook":
		return "It is sent again.", "再送信します。"
	case "done.test_webhook":
		return "The test is on its way.", "テストを送信しています。"
	case "kind.create_webhook":
		return "add a receiver", "通知先の追加"
	case "kind.change_webhook":
		return "change a receiver", "通知先の変更"
	case "kind.set_webhook_state":
		return "disable or enable a receiver", "通知先の停止・有効化"
	case "kind.rotate_webhook_secret":
		return "make a new secret", "シークレットの更新"
	case "kind.resend_webhook":
		return "send again", "再送信"
	case "kind.test_webhook":
		return "send a test", "テスト送信"
	case "overview.receivers":
		return "Receivers that hear nothing", "通知が届かない通知先"
	case "overview.receivers_go":
		return "Go to the webhooks", "Webhookへ"
	case "overview.say_receivers":
		return "{1} {1|receiver of webhooks hears|receivers of webhooks hear} nothing.", "Webhookの通知先{1}件に通知が届いていません。"
	case "try_failed.status":
		return "The receiver answered {1}.", "通知先が{1}を返しました。"
	case "try_failed.redirect":
		return "The receiver sent us elsewhere ({1}); redirects are not followed.", "通知先が別の場所を示しました（{1}）。リダイレクトはたどりません。"
	case "try_failed.private":
		return "It was not called: the address is private or reserved, and this installation does not allow it.", "送信していません。アドレスが非公開または予約済みで、許可されていません。"
	case "try_failed.slow":
		return "No answer within {1} {1|second|seconds}.", "{1}秒以内に応答がありませんでした。"
	case "try_failed.name":
		return "The name {1} leads nowhere.", "ホスト名{1}が見つかりません。"
	case "try_failed.connection":
		return "The connection failed: {1}.", "接続に失敗しました：{1}"
	case "try_failed.secret":
		return "It was not sent: its secret cannot be read. Rotate it.", "署名用シークレットを読めないため、送信していません。シークレットを更新してください。"
	case "conflict.webhook_changed":
		return "Somebody changed this receiver meanwhile.", "この通知先は、ほかの人によって変更されています。"
	case "conflict.webhook_disabled":
		return "This receiver is disabled by now.", "この通知先は停止されています。"
	case "conflict.webhook_waiting":
		return "It still waits for its next try, so it is not sent a second time.", "次の試行を待っているため、二重には送信されません。"
	case "problem.is not a web address":
		return "This is no web address.", "ウェブアドレスではありません。"
	case "problem.must not hold a name or password":
		return "Leave name and password out of the address.", "アドレスに名前やパスワードを含めないでください。"
	case "problem.must not hold a fragment":
		return "Leave out what begins with #.", "「#」以降を取り除いてください。"
	case "problem.must begin with https://":
		return "It has to begin with https://.", "https:// で始めてください。"
	case "problem.leads to an address that is private or reserved":
		return "This address is private or reserved; an administrator of the installation can allow it.", "プライベートまたは予約済みのアドレスです。許可できるのは環境の管理者です。"
	case "problem.has an unknown event":
		return "Choose from the list.", "一覧から選んでください。"
	}
	return "", ""
}
