package text

// held holds the words about work that waits although it could run: who or what holds it, and what happens next.
func held(key string) (en, ja string) {
	switch key {
	case "held.action":
		return "the action {1}", "アクション {1}"
	case "held.by_person":
		return "{1} holds {2} since {3}: “{4}”. No worker gets its jobs, and they use up no attempt, until somebody releases it.", "{1}が {3} から{2}を保留しています：「{4}」。解放されるまでワーカーに割り当てられず、試行回数も消費しません。"
	case "held.breaker_open":
		return "The breaker of {1} is open since {2}. No worker gets its jobs, and they use up no attempt. At {3} it lets {4} through to try. If they succeed, the others follow, oldest first, at most {5} a minute.", "{1}のブレーカーは {2} から遮断中です。ワーカーに割り当てられず、試行回数も消費しません。{3} に{4}を試行として通し、成功すれば残りを古い順に1分あたり最大{5}件で解放します。"
	case "held.probing":
		return "The breaker of {1} is trying since {2}: a few jobs go through. If they succeed, the others follow, oldest first, at most {3} a minute. If they fail, it opens again.", "{1}のブレーカーは {2} から試行中で、数件だけ通しています。成功すれば残りを古い順に1分あたり最大{3}件で解放し、失敗すれば再び遮断します。"
	case "held.releasing":
		return "What waited for {1} is being released since {2}, oldest first, at most {3} a minute.", "{1}を待っていたジョブを {2} から古い順に1分あたり最大{3}件で解放しています。"

	case "held.now":
		return "This job is held", "このジョブは保留中です"
	case "held.next":
		return "Its next try will be held", "次の試行は保留されます"
	case "held.turn":
		return "This job waits for its turn", "このジョブは順番を待っています"
	case "held.expires":
		return "If it still waits at {1}, it expires: it becomes a dead letter and is refunded.", "{1} までに実行されなければ期限切れとなり、返金されてデッドレターになります。"
	case "held.expires_refunded":
		return "If it still waits at {1}, it expires: it becomes a dead letter. It is refunded already.", "{1} までに実行されなければ期限切れとなり、デッドレターになります。返金はすでに済んでいます。"

	case "works.held.one":
		return "{1} job of this set would not run at once", "対象のうち{1}件はすぐには実行されません"
	case "works.held.other":
		return "{1} jobs of this set would not run at once", "対象のうち{1}件はすぐには実行されません"
	case "works.behind.one":
		return "{1} job that is out waits behind a hold", "結果待ちのうち{1}件は保留により待機中です"
	case "works.behind.other":
		return "{1} jobs that are out wait behind a hold", "結果待ちのうち{1}件は保留により待機中です"
	case "works.behind_say":
		return "They come back only when they have been released and have run.", "保留が解除されて実行されるまで、結果は出ません。"
	case "works.held_say":
		return "Jobs that are put back now wait there with the others. The first few come back only when they have run, and the rest waits for them.", "今再投入したジョブも他のジョブと一緒に待機します。最初の数件は実行されるまで結果が出ず、残りもそれを待ちます。"
	}
	return "", ""
}
