package text

// dependencies holds the words about what jobs depend on, and about holding and releasing work.
func dependencies(key string) (en, ja string) {
	switch key {
	case "nav.dependencies":
		return "Dependencies", "依存先"
	case "overview.dependencies":
		return "Dependencies not healthy", "要注意の依存先"
	case "overview.held":
		return "Held actions", "保留中のアクション"
	case "overview.held_go":
		return "Go to the queue", "キューへ"
	case "overview.since":
		return "{1}, {2}", "{1}（{2}）"
	case "overview.say_held":
		return "Dependencies that are not healthy: {1}. Held actions: {2}.", "要注意の依存先：{1}件。保留中のアクション：{2}件。"
	case "overview.dependencies_go":
		return "Go to the dependencies", "依存先一覧へ"
	case "chart.from":
		return "From ({1})", "開始（{1}）"
	case "state.healthy":
		return "Healthy", "正常"
	case "state.breaker_open":
		return "Open", "遮断中"
	case "state.half_open":
		return "Trying", "試行中"
	case "state.releasing":
		return "Releasing", "解放中"
	case "deps.say":
		return "What jobs depend on. Work of a dependency that fails is held until it answers again; held work waits and uses up no attempt.", "ジョブの依存先です。失敗が続く依存先の処理は回復するまで保留されます。保留中は試行回数を消費しません。"
	case "deps.all":
		return "All", "すべて"
	case "deps.unhealthy":
		return "Not healthy", "要注意"
	case "deps.none":
		return "No job has named a dependency yet.", "依存先を指定したジョブはまだありません。"
	case "deps.name":
		return "Dependency", "依存先"
	case "deps.name_hint":
		return "as jobs name it", "ジョブが指定する名前"
	case "deps.held":
		return "Held jobs", "保留ジョブ"
	case "deps.rate":
		return "Newest results", "最近の結果"
	case "deps.rate_of":
		return "{1} of {2} failed", "{2}件中{1}件失敗"
	case "deps.no_rate_since":
		return "no result since {1}", "{1} 以降の結果なし"
	case "deps.no_rate":
		return "no result for a day", "直近1日の結果なし"
	case "deps.changed":
		return "Last change ({1})", "最終変更（{1}）"
	case "deps.since":
		return "Since ({1})", "開始（{1}）"
	case "deps.order":
		return "What is not healthy first, then by name.", "要注意のものが先、次に名前順。"
	case "deps.actions":
		return "Held actions", "保留中のアクション"
	case "deps.queue":
		return "Its jobs in the queue", "待機中のジョブ"
	case "deps.history":
		return "History", "履歴"
	case "deps.no_history":
		return "It has been healthy all along.", "これまで正常です。"
	case "deps.history_order":
		return "Newest first, times in {1}.", "新しい順、時刻は {1}。"
	case "deps.settings":
		return "Breaker", "ブレーカー"
	case "deps.settings_of":
		return "Breaker of {1}", "{1} のブレーカー"
	case "deps.change":
		return "Change", "変更"
	case "deps.save":
		return "Save settings", "設定を保存"
	case "deps.breaker":
		return "Opens by itself", "自動遮断"
	case "deps.breaker_hint":
		return "When off, only people hold this dependency.", "オフの場合は手動でのみ保留します。"
	case "deps.on":
		return "On", "オン"
	case "deps.off":
		return "Off", "オフ"
	case "deps.percent":
		return "Opens at failures of (%)", "遮断する失敗率（%）"
	case "deps.window":
		return "Among the newest results", "対象とする最近の結果数"
	case "deps.minimum":
		return "But not before results", "判定に必要な最小結果数"
	case "deps.open_s":
		return "Tries again after (seconds)", "再試行までの時間（秒）"
	case "deps.probes":
		return "Jobs let through to try", "試行として通すジョブ数"
	case "deps.per_minute":
		return "Held jobs released a minute", "1分あたりの解放ジョブ数"
	case "deps.per_minute_hint":
		return "1 to 60,000. No minute sees more.", "1〜60,000。どの1分間もこれを超えません。"
	case "deps.defaults":
		return "Default of actions", "アクションの既定"
	case "deps.defaults_say":
		return "Jobs of these actions depend on it where their charge names nothing.", "課金時に依存先を指定しない場合、次のアクションのジョブはこれに依存します。"
	case "deps.no_defaults":
		return "Of none.", "ありません。"
	case "deps.say_healthy":
		return "Healthy: its work is handed out freely.", "正常です。処理は制限なく割り当てられます。"
	case "deps.say_held":
		return "Held by {1}: {2}. {3} waiting, none is handed out.", "{1} が保留しています：{2}。{3}が待機し、割り当てられません。"
	case "deps.say_open":
		return "The breaker is open since {1}: {2} waiting. At {3} it lets {4} through to try.", "ブレーカーは {1} から遮断中です。{2}が待機しています。{3} に{4}を試行として通します。"
	case "deps.say_half_open":
		return "Trying since {1}: {2} may still be let through. Its work closes the breaker by succeeding and opens it again by failing. {3} waiting.", "{1} から試行中です。あと{2}を通せます。成功すれば回復し、失敗すれば再び遮断します。{3}が待機しています。"
	case "deps.say_releasing":
		return "Releasing at {1} a minute since {2}: {3} still waiting, new ones behind them.", "{2} から1分あたり {1}件で解放中です。{3}が待機し、新しいジョブはその後に続きます。"
	case "deps.jobs.one":
		return "{1} job", "{1}件のジョブ"
	case "deps.jobs.other":
		return "{1} jobs", "{1}件のジョブ"
	case "deps.many_jobs":
		return "more than {1} {1|job|jobs}", "{1}件を超えるジョブ"
	case "deps.results":
		return "Results of the last hour", "直近1時間の結果"
	case "deps.results_say":
		return "By the minute in which the attempt began: {1} succeeded, {2} failed, {3} ended in an error that is permanent.", "試行の開始時刻（分）ごと：成功 {1}件、失敗 {2}件、恒久的エラー {3}件。"
	case "deps.no_results":
		return "No attempt began in the last hour.", "直近1時間に開始した試行はありません。"
	case "deps.succeeded":
		return "Succeeded", "成功"
	case "deps.failed":
		return "Failed", "失敗"
	case "deps.permanent":
		return "Permanent error", "恒久的エラー"
	case "deps.running":
		return "Running", "実行中"
	case "holdevent.opened":
		return "Breaker opened: {1} of {2} {2|result|results} failed", "ブレーカーが遮断：{2}件中{1}件失敗"
	case "holdevent.probing":
		return "Breaker tries: {1} {1|job is|jobs are} let through", "ブレーカーが試行：{1}件を通す"
	case "holdevent.closed":
		return "Breaker closed: {1} {1|try|tries} went well; released at {2} a minute", "ブレーカーが回復：試行 {1}件が成功、1分あたり {2}件で解放"
	case "holdevent.held":
		return "Held by hand", "手動で保留"
	case "holdevent.released":
		return "Released by hand at {1} a minute", "手動で解放（1分あたり {1}件）"
	case "holdevent.drained":
		return "All that was held is handed out", "保留分の割り当てが完了"
	case "holdevent.changed":
		return "Settings changed", "設定を変更"
	case "holdevent.default":
		return "Default of {1} changed", "{1} の既定を変更"
	case "holdevent.default_to":
		return "Default of {1}: {2} → {3}", "{1} の既定：{2} → {3}"
	case "holdevent.default_none":
		return "none", "なし"
	case "holds.new_open", "holds.new_title":
		return "Hold a dependency", "依存先を保留"
	case "holds.new_say", "holds.hold_say":
		return "Its queued work is handed to no worker until somebody releases it. What runs goes on. Held jobs use up no attempt, and expire as others do.", "解放するまで、待機中の処理はワーカーに割り当てられません。実行中のものは続行します。保留中は試行回数を消費せず、期限は通常どおりです。"
	case "holds.new_submit", "holds.hold_submit":
		return "Hold it", "保留する"
	case "holds.hold_open":
		return "Hold", "保留"
	case "holds.hold_title":
		return "Hold this dependency", "この依存先を保留"
	case "holds.release_open":
		return "Release", "解放"
	case "holds.release_title":
		return "Release this dependency", "この依存先を解放"
	case "holds.release_say":
		return "What waits is handed out oldest first, never faster than the rate. A breaker that was open begins anew and opens again if results fail.", "待機分を古い順に、指定した速度を超えずに割り当てます。遮断中のブレーカーは初期状態に戻り、失敗が続けば再び遮断します。"
	case "holds.release_submit", "holds.release_action_submit":
		return "Release it", "解放する"
	case "holds.hold_action_open":
		return "Hold an action", "アクションを保留"
	case "holds.hold_action_title":
		return "Hold an action", "アクションを保留"
	case "holds.hold_action_say":
		return "Its queued jobs are handed to no worker until somebody releases them. What runs goes on. Held jobs use up no attempt, and expire as others do.", "解放するまで、待機中のジョブはワーカーに割り当てられません。実行中のものは続行します。保留中は試行回数を消費せず、期限は通常どおりです。"
	case "holds.hold_action_submit":
		return "Hold action", "アクションを保留する"
	case "holds.held_by":
		return "Held by", "保留した人"
	case "holds.held_why":
		return "Why", "保留の理由"
	case "holds.release_action_title":
		return "Release this action", "このアクションを解放"
	case "holds.release_action_say":
		return "What waits is handed out oldest first, never faster than the rate.", "待機分を古い順に、指定した速度を超えずに割り当てます。"
	case "holds.default_open":
		return "Add an action", "アクションを追加"
	case "holds.default_title":
		return "Make it the default of an action", "アクションの既定にする"
	case "holds.default_say":
		return "Holds for jobs that are charged from now on. Those charged before keep what they depend on.", "今後課金されるジョブに適用されます。課金済みのジョブの依存先は変わりません。"
	case "holds.default_submit":
		return "Make default", "既定にする"
	case "holds.no_default_open":
		return "End", "終了"
	case "holds.no_default_title":
		return "End the default", "既定を終了"
	case "holds.no_default_say":
		return "Jobs of this action that are charged from now on depend on nothing unless their charge says so.", "今後課金されるジョブは、指定がない限り何にも依存しません。"
	case "holds.no_default_submit":
		return "End default", "既定を終了する"
	case "problem.is named by no job and no action":
		return "No job and no action has named it so far. Check the name: a hold under a wrong one stops nothing.", "この名前を指定したジョブもアクションもありません。名前を確認してください。誤った名前の保留は何も止めません。"
	case "holds.unnamed":
		return "A name that nothing depends on", "使われていない名前"
	case "holds.unnamed_hold":
		return "Hold {1} all the same, for jobs to come", "今後のジョブのため {1} をこのまま保留する"
	case "holds.named_by":
		return "Named by", "指定元"
	case "holds.named_by_none":
		return "no job and no action so far", "なし（ジョブ・アクションとも）"
	case "deps.unnamed":
		return "No job and no action has named it so far: a hold on it stops nothing that there is.", "これを指定したジョブもアクションもまだありません。保留しても、止まる処理はありません。"
	case "holds.object":
		return "Dependency", "依存先"
	case "holds.waiting":
		return "Waiting", "待機中"
	case "done.hold_dependency", "done.hold_action":
		return "Held. No worker gets this work until it is released.", "保留しました。解放するまで割り当てられません。"
	case "done.release_dependency", "done.release_action":
		return "Released. What waited is being handed out at the rate you set.", "解放しました。待機分を指定した速度で割り当てています。"
	case "done.change_dependency":
		return "The breaker's settings are changed.", "ブレーカーの設定を変更しました。"
	case "done.set_default_dependency":
		return "The default is changed.", "既定を変更しました。"
	case "conflict.held":
		return "It is held already.", "すでに保留されています。"
	case "conflict.not_held":
		return "Nothing of it is held, or it is being released at this rate already.", "保留中のものはないか、すでにこの速度で解放中です。"
	case "conflict.hold_changed":
		return "Somebody has held or released it meanwhile.", "先にほかの人が保留または解放しました。"
	case "conflict.settings_changed":
		return "Somebody changed these settings meanwhile.", "先に設定が変更されました。"
	case "conflict.default_changed":
		return "Somebody changed the default of this action meanwhile.", "先にこのアクションの既定が変更されました。"
	case "conflict.default_unchanged":
		return "It is so already.", "すでにそうなっています。"
	case "fault.dependency_not_found":
		return "No job has named this dependency.", "この依存先を指定したジョブはありません。"
	case "problem.must be a whole number":
		return "A whole number.", "整数を入力してください。"
	case "problem.must be 1 to 100":
		return "1 to 100.", "1〜100で指定してください。"
	case "problem.must be 1 to 1000":
		return "1 to 1,000.", "1〜1,000で指定してください。"
	case "problem.must be 1 to 86400":
		return "1 to 86,400.", "1〜86,400で指定してください。"
	case "problem.must not be more than the newest results looked at":
		return "Not more than the newest results looked at.", "対象とする最近の結果数以下で指定してください。"
	}
	return "", ""
}
