package text

// bulkworks holds one change of many dead letters: selecting, starting, progress, what came of each.
func bulkworks(key string) (en, ja string) {
	switch key {
	case "fault.bulk_work_not_found":
		return "There is no such bulk work.", "一括処理が見つかりません。"
	case "works.title":
		return "Bulk works", "一括処理"
	case "works.say":
		return "One change of many dead letters. The set is frozen before anything happens, a few go first, and too many failures stop the rest.", "多数のデッドレターに対する一つの変更です。対象は実行前に固定され、最初に数件だけ処理し、失敗が多ければ残りは自動的に止まります。"
	case "works.none":
		return "Nobody has started a bulk work yet. Tick rows in the list of dead letters, or act on a whole group.", "一括処理はまだ開始されていません。デッドレターの一覧で行を選択するか、グループ全体を対象にしてください。"
	case "works.started":
		return "Started ({1})", "開始（{1}）"
	case "works.ended":
		return "Ended ({1})", "終了（{1}）"
	case "works.kind":
		return "What", "内容"
	case "works.count":
		return "Dead letters", "件数"
	case "works.by":
		return "By", "実行者"
	case "works.reason":
		return "Reason", "理由"
	case "works.order":
		return "Newest first, times in {1}", "新しい順・時刻は{1}"

	case "works.bar":
		return "Selected dead letters", "選択したデッドレター"
	case "works.bar_groups":
		return "Selected groups", "選択したグループ"
	case "works.groups.one":
		return "{1} group", "グループ {1}件"
	case "works.groups.other":
		return "{1} groups", "グループ {1}件"
	case "works.page":
		return "All on this page", "このページをすべて選択"
	case "works.all.one":
		return "The {1} that matches", "該当する{1}件"
	case "works.all.other":
		return "All {1} that match", "該当する{1}件すべて"
	case "works.all_many":
		return "All that match, {1} or more", "該当するすべて（{1}件以上）"
	case "works.ticked":
		return "selected on this page", "件をこのページで選択"
	case "works.here":
		return "What is ticked counts on this page only.", "選択はこのページ内でのみ有効です。"
	case "works.tick":
		return "Select {1}", "{1} を選択"
	case "bulkkind.requeue":
		return "Requeue", "再投入"
	case "bulkkind.discard":
		return "Discard", "破棄"
	case "bulkkind.assign":
		return "Assign", "担当者を設定"
	case "bulkkind.snooze":
		return "Snooze", "スヌーズ"
	case "bulkkind.undo":
		return "Undo", "取り消し"
	case "bulkopen.requeue":
		return "Requeue…", "再投入…"
	case "bulkopen.discard":
		return "Discard…", "破棄…"
	case "bulkopen.assign":
		return "Assign…", "担当者…"
	case "bulkopen.snooze":
		return "Snooze…", "スヌーズ…"

	case "keys.bulk":
		return "Select the row, go to what is done with the selected rows", "行を選択・選択した行の操作へ移動"

	case "works.refused":
		return "Nothing was prepared", "準備できませんでした"
	case "works.refused_none":
		return "No dead letter is selected, or none matches any more.", "デッドレターが選択されていないか、条件に合うものがなくなっています。"
	case "works.refused_many":
		return "More than {1} {1|dead letter|dead letters} match. Narrow the filter.", "{1}件を超えるデッドレターが該当します。条件を絞り込んでください。"
	case "works.refused_filter":
		return "A part of the filter is not understood.", "検索条件の一部を解釈できません。"
	case "works.back":
		return "Back to the list", "一覧に戻る"

	case "worktitle.requeue":
		return "Requeue {1} {1|dead letter|dead letters}", "デッドレター{1}件の再投入"
	case "worktitle.discard":
		return "Discard {1} {1|dead letter|dead letters}", "デッドレター{1}件の破棄"
	case "worktitle.assign":
		return "Assign {1} {1|dead letter|dead letters}", "デッドレター{1}件の担当者設定"
	case "worktitle.snooze":
		return "Snooze {1} {1|dead letter|dead letters}", "デッドレター{1}件のスヌーズ"
	case "worktitle.undo":
		return "Undo for {1} {1|dead letter|dead letters}", "デッドレター{1}件の取り消し"
	case "works.undoes":
		return "Takes back", "取り消す対象"
	case "works.undone_by":
		return "Undone by", "取り消した一括処理"
	case "worksay.requeue":
		return "Each job is tried again in a new generation. No customer pays now: a job that succeeds takes its refund back, {1} {1|credit|credits} if all do.", "各ジョブは新しい世代で再試行されます。今は誰にも課金されません。成功したジョブだけが返金を回収し、全件成功の場合は{1}クレジットです。"
	case "worksay.discard":
		return "The jobs are given up. The refunds stand: the customers keep {1} {1|credit|credits}. Each can be reopened, one by one.", "ジョブは破棄されます。返金は維持され、顧客には{1}クレジットが残ります。後から1件ずつ再開できます。"
	case "worksay.assign":
		return "Whoever has them now has them no more. Neither work nor money moves.", "現在の担当者から引き継がれます。ジョブもクレジットも動きません。"
	case "worksay.snooze":
		return "They are out of sight until then. Neither work nor money moves.", "指定の時刻まで一覧から隠れます。ジョブもクレジットも動きません。"
	case "works.accounts":
		return "Accounts", "アカウント数"
	case "works.pays_now":
		return "Credits charged now", "今回の課金（クレジット）"
	case "works.frozen_at":
		return "Set frozen at", "対象を固定した時刻"
	case "works.left_out":
		return "Left out", "対象外"
	case "works.depend":
		return "What the jobs depend on", "依存先"
	case "works.no_dependency":
		return "No named dependency", "依存先の指定なし"
	case "works.rows_of_set":
		return "Show every row of this set", "対象の行をすべて表示"
	case "works.second":
		return "More than {1} need a second person: it begins when somebody else has approved exactly this set.", "{1}件を超えるため、別の担当者がこの対象を承認した時点で開始されます。"
	case "works.second_together":
		return "With the {2} that you started alone within 24 hours, this is more than {1} and needs a second person: it begins when somebody else has approved exactly this set.", "24時間以内に一人で開始した{2}件と合わせて{1}件を超えるため、別の担当者がこの対象を承認した時点で開始されます。"
	case "works.nothing":
		return "Nothing is left to do in this set.", "この対象には処理するものがありません。"
	case "works.type":
		return "Type {1} to confirm", "確認のため {1} と入力"
	case "works.type_hint":
		return "The number of dead letters in the set", "対象のデッドレターの件数"
	case "works.probe":
		return "First a few", "最初の件数"
	case "works.probe_hint":
		return "The rest waits until these have come back. 0: none.", "結果が出るまで残りは待ちます。0で無効。"
	case "works.per_minute":
		return "Then at most, per minute", "以後、1分あたり最大"
	case "works.per_minute_hint":
		return "Over all workers together", "全ワーカーの合計"
	case "works.stop":
		return "Stop above, % failed", "停止する失敗率（%）"
	case "works.stop_hint":
		return "Of those that came back. 100: never.", "結果が出たうちの割合。100で停止なし。"
	case "worksubmit.requeue":
		return "Requeue {1}", "{1}件を再投入"
	case "worksubmit.discard":
		return "Discard {1}", "{1}件を破棄"
	case "worksubmit.assign":
		return "Assign {1}", "{1}件の担当者を設定"
	case "worksubmit.snooze":
		return "Snooze {1}", "{1}件をスヌーズ"

	case "excluded.money":
		return "Dead and not refunded: look at them one by one", "停止したが返金されていない（個別に確認が必要）"
	case "excluded.frozen":
		return "The account is frozen", "アカウントが凍結中"
	case "excluded.in_bulk":
		return "Another bulk work has it", "別の一括処理の対象"
	case "excluded.requeued":
		return "Was requeued before", "すでに再投入済み"
	case "excluded.discarded":
		return "Was discarded before", "すでに破棄済み"
	case "excluded.canceled":
		return "Was canceled before", "すでに取り消し済み"
	case "excluded.succeeded":
		return "Was delivered before", "すでに納品済み"

	case "works.progress":
		return "Progress", "進捗"
	case "works.share":
		return "{1} of {2}", "{1}／{2}"
	case "works.look_again":
		return "Look again", "再表示"
	case "works.asked":
		return "What was asked for", "依頼の内容"
	case "works.list":
		return "The list with this filter", "この条件の一覧"
	case "works.ticked_rows":
		return "Rows that were ticked", "選択された行"
	case "works.filter":
		return "Selected by", "選択方法"
	case "works.request":
		return "Change request", "変更申請"
	case "works.pace":
		return "Pace", "進め方"
	case "works.pace_requeue":
		return "first {1}, then {2} a minute; stops above {3} % failed again", "最初に{1}件、以後1分あたり{2}件。再失敗が{3}%を超えると停止"
	case "works.pace_plain":
		return "{1} a minute", "1分あたり{1}件"
	case "works.digest":
		return "SHA-256 of the set", "対象のSHA-256"
	case "works.prepared_by":
		return "Set frozen by", "対象を固定した人"
	case "works.start":
		return "Start…", "開始…"
	case "works.pause":
		return "Pause…", "一時停止…"
	case "works.resume":
		return "Resume…", "再開…"
	case "works.abort":
		return "Abort…", "中止…"

	case "works.say_prepared":
		return "The set was frozen at {1}. Nothing is done before somebody starts it.", "対象は{1}に固定されました。開始されるまで何も行われません。"
	case "works.say_expired":
		return "The set was frozen at {1} and nobody started it within 24 hours. It cannot be started any more: select the dead letters again.", "対象は{1}に固定されましたが、24時間以内に開始されませんでした。もう開始できません。対象を選び直してください。"
	case "works.say_proposed":
		return "It waits for a second person. Nothing is done before.", "別の担当者の承認待ちです。それまで何も行われません。"
	case "works.say_void":
		return "It was not approved, and will not begin. Nothing was done.", "承認されなかったため開始されません。何も行われていません。"
	case "works.say_probe":
		return "The first {1} go first: {2} {2|has|have} come back, {3} of them failed again. The rest waits for them.", "最初の{1}件を処理中です。{2}件の結果が出て、うち{3}件が再び失敗しました。残りは待機しています。"
	case "works.say_running":
		return "It goes on at {1} a minute at most. About {2} left.", "1分あたり最大{1}件で進行中です。残り約{2}。"
	case "works.say_ending":
		return "The last ones are being done.", "最後の数件を処理しています。"
	case "works.say_paused":
		return "{1} paused it at {2}. Nothing more is done until somebody resumes it.", "{1}が{2}に一時停止しました。再開されるまで何も行われません。"
	case "works.say_stopped":
		return "It stopped by itself at {1}: {2} of {3} that came back had failed again, more than {4} %. {5} {5|was|were} not touched.", "{1}に自動停止しました。結果が出た{3}件のうち{2}件が再び失敗し、{4}%を超えたためです。{5}件は未処理です。"
	case "works.say_aborted":
		return "{1} aborted it at {2}. What was done stays; {3} {3|was|were} not touched.", "{1}が{2}に中止しました。処理済みの分はそのままで、{3}件は未処理です。"
	case "works.say_done":
		return "Every row has its outcome since {1}.", "{1}にすべての行の処理が終わりました。"
	case "works.done":
		return "Done", "処理済み"
	case "works.untouched", "workshow.untouched", "state.untouched":
		return "Not touched", "未着手"
	case "works.pending":
		return "To do", "未処理"
	case "works.lost":
		return "Somebody was first", "先に処理された"
	case "works.excluded":
		return "Left out", "対象外"
	case "works.not_possible":
		return "Not possible", "実行不可"
	case "works.rate":
		return "In the last minute", "直近1分間"
	case "works.rate_note":
		return "at most {1}", "最大{1}"
	case "works.back_well":
		return "Succeeded", "成功"
	case "works.back_failed":
		return "Failed again", "再び失敗"
	case "works.back_failed_note":
		return "{1} % of {2} that came back", "結果が出た{2}件の{1}%"
	case "works.out":
		return "Out", "結果待ち"
	case "works.with_caller":
		return "With their callers", "呼び出し元が実行"
	case "works.with_caller_note":
		return "nothing waits for them", "完了を待ちません"
	case "works.say_callers.one":
		return "{1} job is with its caller, who runs it: tell them to try it again.", "{1}件は呼び出し元が実行するジョブです。再実行するよう連絡してください。"
	case "works.say_callers.other":
		return "{1} jobs are with their callers, who run them: tell them to try again.", "{1}件は呼び出し元が実行するジョブです。再実行するよう連絡してください。"
	case "works.elsewhere.one":
		return "{1} of them is in another bulk work as well, which runs, rests or waits for a second person. Whichever comes to it first does it.", "うち{1}件は、実行中・一時停止中・承認待ちの別の一括処理にも含まれています。先に処理した方が有効になります。"
	case "works.elsewhere.other":
		return "{1} of them are in other bulk works as well, which run, rest or wait for a second person. Whichever comes to one first does it.", "うち{1}件は、実行中・一時停止中・承認待ちの別の一括処理にも含まれています。先に処理した方が有効になります。"
	case "works.elsewhere_too":
		return "In other bulk works as well", "別の一括処理にも含まれる件数"
	case "works.external.one":
		return "{1} of them is run by its caller and goes last. No worker gets it: tell its caller to try it again. The work does not wait for it.", "うち{1}件は呼び出し元が実行するジョブで、最後に戻されます。ワーカーには渡されないため、再実行するよう連絡してください。一括処理は完了を待ちません。"
	case "works.external.other":
		return "{1} of them are run by their callers and go last. No worker gets them: tell their callers to try them again. The work does not wait for them.", "うち{1}件は呼び出し元が実行するジョブで、最後に戻されます。ワーカーには渡されないため、再実行するよう連絡してください。一括処理は完了を待ちません。"

	case "works.rows":
		return "What came of each", "各行の結果"
	case "works.rows_order":
		return "In the order in which they are done, times in {1}", "処理順・時刻は{1}"
	case "works.no_rows":
		return "No row of this kind.", "該当する行はありません。"
	case "works.came":
		return "What came of it", "結果"
	case "works.why":
		return "Why", "理由"
	case "works.job_now":
		return "Job now", "ジョブの現在の状態"
	case "works.acted":
		return "Done at ({1})", "処理時刻（{1}）"
	case "works.export_say":
		return "{1}, times in {2}", "{1}・時刻は{2}"
	case "works.first":
		return "{1} was first, at {2}: {3}", "{1}が先に処理しました（{2}）：{3}"
	case "works.first_unknown":
		return "It was no open dead letter of this generation any more: {1}", "この世代の未処理デッドレターではなくなっていました：{1}"
	case "works.not_possible_why":
		return "It could not be done: {1}", "実行できませんでした：{1}"
	case "workshow.all":
		return "All", "すべて"
	case "workshow.pending":
		return "To do", "未処理"
	case "workshow.done":
		return "Done", "処理済み"
	case "workshow.out":
		return "Out", "結果待ち"
	case "workshow.with_caller":
		return "With their callers", "呼び出し元が実行"
	case "workshow.succeeded":
		return "Succeeded", "成功"
	case "workshow.failed":
		return "Failed again", "再び失敗"
	case "workshow.lost":
		return "Somebody was first", "先に処理された"
	case "workshow.excluded":
		return "Left out", "対象外"
	case "workshow.refused":
		return "Not possible", "実行不可"
	case "state.to_do":
		return "To do", "未処理"
	case "state.with_caller":
		return "With its caller", "呼び出し元が実行"
	case "state.out":
		return "Out", "結果待ち"
	case "state.failed_again":
		return "Failed again", "再び失敗"
	case "state.lost":
		return "Somebody was first", "先に処理された"
	case "state.excluded":
		return "Left out", "対象外"
	case "state.prepared":
		return "Not started", "未開始"
	case "state.proposed":
		return "Awaits approval", "承認待ち"
	case "state.stopped":
		return "Stopped by itself", "自動停止"
	case "state.aborted":
		return "Aborted", "中止"
	case "state.not_possible":
		return "Not possible", "実行不可"

	case "worksteptitle.pause":
		return "Pause: {1}", "一時停止：{1}"
	case "worksteptitle.resume":
		return "Resume: {1}", "再開：{1}"
	case "worksteptitle.abort":
		return "Abort: {1}", "中止：{1}"
	case "workstepsay.pause":
		return "Once it is paused no further row is done. It can be resumed.", "一時停止後は新しい行は処理されません。後で再開できます。"
	case "workstepsay.resume":
		return "The first few go first again, and only what is done from now on counts for the stop.", "再び最初の数件から始まり、失敗率は再開後の分だけで判断されます。"
	case "workstepsay.resume_plain":
		return "It goes on where it was, at the pace below.", "中断したところから、下の速度で再開します。"
	case "workstepsay.abort":
		return "It ends for good. What was done stays done, and the rest stays as it is.", "完全に終了します。処理済みの分はそのまま残り、残りは変更されません。"
	case "workstep.pause":
		return "Pause", "一時停止"
	case "workstep.resume":
		return "Resume", "再開"
	case "workstep.abort":
		return "Abort", "中止"

	case "done.bulk_start":
		return "The bulk work was started.", "一括処理を開始しました。"
	case "done.bulk_pause":
		return "The bulk work is paused.", "一括処理を一時停止しました。"
	case "done.bulk_resume":
		return "The bulk work goes on.", "一括処理を再開しました。"
	case "done.bulk_abort":
		return "The bulk work was aborted.", "一括処理を中止しました。"
	case "inbox.bulk_stopped":
		return "A bulk work of yours stopped by itself: {1}", "開始した一括処理が自動停止しました：{1}"
	case "inbox.bulk_stopped_why":
		return "{1} of {2} that came back had failed again, more than {3} %. Resume it or abort it.", "結果が出た{2}件のうち{1}件が再び失敗し、{3}%を超えました。再開するか中止してください。"
	case "done.bulk_undo":
		return "The bulk work is being undone, row by row. What somebody changed since stays as it is.", "一括処理を1件ずつ取り消しています。その後に変更されたものはそのまま残ります。"
	case "kind.bulk_undo":
		return "Undo a bulk work", "一括処理の取り消し"
	case "conflict.bulk_work":
		return "The bulk work was at another point by now.", "一括処理はすでに別の状態になっています。"
	case "conflict.bulk_expired":
		return "The set was prepared more than 24 hours ago and cannot be started any more. Select the dead letters again.", "対象の固定から24時間以上たったため、もう開始できません。対象を選び直してください。"
	case "conflict.bulk_undone":
		return "Somebody has undone it meanwhile.", "すでに取り消されています。"
	case "conflict.bulk_not_undoable":
		return "Nothing of it can be undone.", "取り消せるものがありません。"
	case "conflict.bulk_nothing":
		return "The set has nothing to do.", "この対象には処理するものがありません。"
	case "kind.bulk_prepare":
		return "Freeze a set", "対象の固定"
	case "kind.bulk_start":
		return "Start a bulk work", "一括処理の開始"
	case "kind.bulk_pause":
		return "Pause a bulk work", "一括処理の一時停止"
	case "kind.bulk_resume":
		return "Resume a bulk work", "一括処理の再開"
	case "kind.bulk_abort":
		return "Abort a bulk work", "一括処理の中止"
	case "kind.bulk_stop":
		return "A bulk work stopped by itself", "一括処理の自動停止"
	case "approval.kind.bulk_start":
		return "Bulk work on dead letters", "デッドレターの一括処理"
	case "problem.is more than was approved":
		return "Is more than a second person approved. Propose what is left as a new work.", "承認された値を超えています。残りは新しい一括処理として申請してください。"
	case "problem.is less than was approved":
		return "Is less than a second person approved. Propose what is left as a new work.", "承認された値を下回っています。残りは新しい一括処理として申請してください。"
	case "problem.is not the number of dead letters":
		return "That is not the number of dead letters in the set.", "対象の件数と一致しません。"
	case "problem.must be 0 to 1000":
		return "A whole number from 0 to 1,000.", "0から1,000の整数を入力してください。"
	case "problem.must be 1 to 60000":
		return "A whole number from 1 to 60,000.", "1から60,000の整数を入力してください。"
	case "problem.must be 0 to 100":
		return "A whole number from 0 to 100.", "0から100の整数を入力してください。"
	}
	return "", ""
}
