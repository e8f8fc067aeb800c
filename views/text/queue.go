package text

// queue holds the words of the page of jobs that wait or run.
func queue(key string) (en, ja string) {
	switch key {
	case "nav.queue":
		return "Queue", "キュー"
	case "queue.say":
		return "What waits until when and why, and what runs where. Read from PostgreSQL: Redis only rings for it.", "待機中のジョブとその理由、実行中のジョブとワーカーです。PostgreSQLの内容を表示します（Redisは通知のみ）。"
	case "queue.redis_away":
		return "Redis cannot be reached.", "Redisに接続できません。"
	case "queue.redis_away_more":
		return "The queue is not empty because of that: this page shows what PostgreSQL holds. Retries wake by the sweeper, a few seconds late.", "キューが空になったわけではありません。このページはPostgreSQLの内容を表示しています。再試行は巡回処理により数秒遅れで始まります。"
	case "queue.tabs":
		return "Which jobs", "表示するジョブ"
	case "queue.waiting":
		return "Waiting for a worker", "ワーカー待ち"
	case "queue.retrying":
		return "Waiting for the next try", "再試行待ち"
	case "queue.running":
		return "Running", "実行中"
	case "queue.worker":
		return "Worker", "ワーカー"
	case "queue.held":
		return "Held", "保留"
	case "queue.held_only":
		return "Held only", "保留中のみ"
	case "queue.why":
		return "Why", "理由"
	case "queue.run_now":
		return "Try now", "今すぐ試行"
	case "queue.beat":
		return "heard of {1}", "応答 {1}"
	case "queue.order":
		return "What is due first, first. Times in {1}.", "期限の早い順、時刻は {1}。"
	case "queue.none_waiting":
		return "No job waits for a worker.", "ワーカー待ちのジョブはありません。"
	case "queue.none_retrying":
		return "No job waits for its next try.", "再試行待ちのジョブはありません。"
	case "queue.none_running":
		return "No job runs.", "実行中のジョブはありません。"
	case "queue.at_waiting":
		return "Since ({1})", "待機開始（{1}）"
	case "queue.at_retrying":
		return "Until ({1})", "次の試行（{1}）"
	case "queue.at_running":
		return "Lease or deadline ends ({1})", "リース・期限の終了（{1}）"
	case "queue.run_title":
		return "Try {1} now", "{1} を今すぐ試行"
	case "queue.run_say":
		return "The try that was to come begins as soon as a worker takes it. No further attempt is used up. The customer pays only if it succeeds.", "予定されていた試行を、ワーカーが受け取り次第始めます。追加の試行回数は消費しません。成功した場合のみ課金されます。"
	case "queue.next_try":
		return "Next try", "次の試行"
	case "queue.now":
		return "now", "今すぐ"
	case "queue.why_first":
		return "first try of generation {1}", "世代 {1} の最初の試行"
	case "queue.why_attempt":
		return "attempt {1} is next", "次は試行 {1}"
	case "queue.why_dependency":
		return "held: {1}", "保留：{1}"
	case "queue.why_action":
		return "held: the action {1}", "保留：アクション {1}"
	case "queue.why_failed":
		return "attempt {1} failed: {2}", "試行 {1} が失敗：{2} 待機"
	case "queue.why_jittered":
		return "attempt {1} failed: {2}, jittered to {3}", "試行 {1} が失敗：{2}、ゆらぎ適用後 {3}"
	case "did.run_now":
		return "Tried now", "今すぐ試行"
	case "queue.why_put_back":
		return "put back by a person", "担当者が再投入"
	case "queue.why_running":
		return "attempt {1} since {2}", "試行 {1}、{2} から"
	case "queue.why_over":
		return "attempt {1}: the lease is over, the sweeper ends it", "試行 {1}：リース切れ、巡回処理が終了させます"
	case "queue.by_caller":
		return "run by its caller", "呼び出し元が実行"
	case "count.attempts.one":
		return "{1} attempt", "試行 {1}件"
	case "count.attempts.other":
		return "{1} attempts", "試行 {1}件"
	case "queue.throughput":
		return "Handed out to workers", "ワーカーへの割り当て"
	case "queue.throughput_say":
		return "By the minute, last hour: {1} {1|attempt|attempts} began, {2} of them failed.", "直近1時間、1分ごと：開始した試行 {1}件、うち失敗 {2}件。"
	case "queue.throughput_none":
		return "No attempt began in the last hour.", "直近1時間に開始した試行はありません。"
	case "queue.not_failed":
		return "Not failed", "失敗以外"
	case "queue.failed":
		return "Failed", "失敗"
	case "queue.lag":
		return "Wait in the line", "待ち時間"
	case "queue.lag_say":
		return "Half of the attempts of the newest minute with any had waited {1} or less since they could be claimed.", "最新の1分間では、半数の試行が割り当て可能になってから {1} 以内に始まりました。"
	case "queue.median":
		return "Median, ms", "中央値（ミリ秒）"
	case "conflict.tried_now":
		return "It was brought forward already.", "すでに前倒しされています。"
	case "queue.run_held":
		return "Its next try would be held all the same", "次の試行は前倒ししても保留されます"
	case "done.run_now":
		return "The job waits for no time any more: it is tried as soon as a worker gets it.", "待機時間がなくなり、ワーカーが受け取り次第、試行します。"
	}
	return "", ""
}
