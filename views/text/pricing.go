package text

// pricing holds the pages of actions and rule versions, and of rollouts.
func pricing(key string) (en, ja string) {
	switch key {
	case "nav.pricing_section":
		return "Pricing", "価格"
	case "nav.prices":
		return "Prices", "価格"
	case "nav.rollouts":
		return "Rollouts", "ロールアウト"

	case "prices.title":
		return "Prices", "価格"
	case "prices.say":
		return "What each action costs now, and every rule version it ever had.", "各アクションの現在の価格と、これまでのすべてのルール版です。"
	case "prices.none":
		return "There is no action yet.", "アクションはまだありません。"
	case "prices.new":
		return "New rule version", "新しいルール版"
	case "col.in_force":
		return "In force", "適用中"
	case "col.price":
		return "Price", "価格"
	case "col.since":
		return "Since ({1})", "開始（{1}）"
	case "col.example":
		return "Worked example", "計算例"
	case "col.made":
		return "Made ({1})", "作成（{1}）"
	case "col.why":
		return "Who and why", "作成者と理由"
	case "col.rollout":
		return "Rollout", "ロールアウト"
	case "state.in_force":
		return "In force", "適用中"
	case "state.not_in_force":
		return "Not in force", "未適用"
	case "state.retired":
		return "Retired", "廃止"

	case "price.none":
		return "No price in force", "適用中の価格なし"
	case "price.until_now":
		return "still in force", "適用中"
	case "price.below_cost":
		return "Below known cost. {1} Costs that are not billed yet come on top.", "既知の原価を下回ります。{1}未請求の原価は含まれていません。"
	case "price.loss.one":
		return "The newest delivered job with a known cost brings in {2} {4} at this price and cost {3} {4}.", "原価の分かっている最新の納品済みジョブ{1}件は、この価格では{2} {4}の収入に対し、原価は{3} {4}でした。"
	case "price.loss.other":
		return "The newest {1} delivered jobs with a known cost bring in {2} {4} at this price and cost {3} {4}.", "原価の分かっている最新の納品済みジョブ{1}件は、この価格では{2} {4}の収入に対し、原価は{3} {4}でした。"
	case "price.loss_part":
		return "There were more deliveries than are looked at, the newest {1} of all actions: this is of a part.", "納品が多いため、全アクションの最新{1}件の納品だけを対象としています。"
	case "price.unit":
		return "{1} {1|credit|credits} per {2}", "{2}あたり{1}クレジット"
	case "price.off":
		return "{1} % off", "{1} %引き"
	case "price.least":
		return "at least {1}", "最低 {1}"
	case "rounding.up":
		return "rounded up", "切り上げ"
	case "rounding.down":
		return "rounded down", "切り捨て"
	case "rounding.half_even":
		return "rounded half to even", "偶数丸め"
	case "price.example":
		return "{1} {2} = {3} {3|credit|credits}", "{1} {2} = {3}クレジット"
	case "price.example_was":
		return "{1} {2} = {3} {3|credit|credits}, was {4}", "{1} {2} = {3}クレジット（以前は{4}）"
	case "price.overflow":
		return "The cost does not fit a 64-bit number of credits", "費用が64ビットのクレジット数に収まりません"

	case "action.say":
		return "{1} is in force since {2}. Prices change by a new rule version; old ones stay as they are.", "{2}から{1}が適用されています。価格の変更は新しいルール版で行い、古い版はそのまま残ります。"
	case "action.say_retired":
		return "Retired: it is not charged any more. What was charged stays.", "廃止済み。今後は課金されません。課金済みのものはそのまま残ります。"
	case "action.say_none":
		return "No rule version is in force, so nothing of it is charged yet. Put one in force to begin.", "適用中のルール版がないため、まだ課金されません。ルール版を適用すると始まります。"
	case "action.periods":
		return "What was in force, and when", "適用の履歴"
	case "col.from":
		return "From ({1})", "開始（{1}）"
	case "col.until":
		return "Until ({1})", "終了（{1}）"
	case "col.forced_why":
		return "Put in force by, and why", "適用者と理由"
	case "fault.action_not_found":
		return "There is no such action.", "このアクションは存在しません。"
	case "fault.rule_not_found":
		return "There is no such rule version.", "このルール版は存在しません。"
	case "fault.rollout_not_found":
		return "There is no such rollout, or no such scheduled step of it.", "このロールアウト、またはその予約は存在しません。"
	case "action.versions":
		return "Rule versions", "ルール版"
	case "action.retire":
		return "Retire action", "アクションを廃止"
	case "action.retire_title":
		return "Retire {1}", "{1} を廃止"
	case "action.retire_say":
		return "No job of this action is charged any more, and it gets no new rule version. Jobs that were charged go on. This cannot be undone.", "このアクションのジョブは今後課金されず、新しいルール版も作れません。課金済みのジョブは続行します。元に戻せません。"

	case "rule.new_title":
		return "New rule version", "新しいルール版"
	case "rule.new_say":
		return "It changes no price until it is put in force or tried by a rollout. It can never be edited or deleted.", "適用するかロールアウトで試すまで価格は変わりません。編集も削除もできません。"
	case "rule.action":
		return "Action", "アクション"
	case "rule.action_hint":
		return "Small letters, digits and _; a new name makes a new action", "英小文字・数字・_。新しい名前は新しいアクションになります"
	case "rule.unit":
		return "Unit", "単位"
	case "rule.unit_hint":
		return "What is counted, e.g. second; fixed for the action", "数える単位（例：second）。アクションごとに固定"
	case "rule.other_unit":
		return "This action is counted in “{1}”, which cannot change.", "このアクションの単位は「{1}」で、変更できません。"
	case "rule.unit_price":
		return "Price of a unit, credits", "単価（クレジット）"
	case "rule.unit_price_hint":
		return "Up to three digits behind the point, e.g. 0.667", "小数点以下3桁まで（例：0.667）"
	case "rule.minimum":
		return "Least cost of a job, credits", "ジョブの最低費用（クレジット）"
	case "rule.discount":
		return "Discount, %", "割引（%）"
	case "rule.discount_hint":
		return "Up to two digits behind the point, e.g. 12.5", "小数点以下2桁まで（例：12.5）"
	case "rule.rounding":
		return "Rounding at the end", "端数処理"
	case "rule.example_units":
		return "Units of the worked example", "計算例の数量"
	case "rule.preview":
		return "Show the example", "計算例を表示"
	case "rule.preview_wait":
		return "The worked example appears here.", "ここに計算例が表示されます。"
	case "rule.submit":
		return "Make rule version", "ルール版を作成"
	case "rule.force":
		return "Put in force", "適用する"
	case "rule.force_title":
		return "Put {1} in force", "{1} を適用"
	case "rule.force_say":
		return "Every charge from now on costs this, for everybody at once. To try it on a share of accounts first, make a rollout.", "今後のすべての課金に、全員一斉に適用されます。一部のアカウントで試すにはロールアウトを作成してください。"
	case "rule.in_force":
		return "Price in force", "適用中の価格"
	case "rule.example":
		return "Worked example", "計算例"
	case "rule.retire":
		return "Retire", "廃止"
	case "rule.retire_title":
		return "Retire {1}", "{1} を廃止"
	case "rule.retire_say":
		return "It cannot be put in force or tried any more. What was charged under it stays, and its name is never used again. This cannot be undone.", "今後は適用も試用もできません。課金済みのものは残り、名前は再利用されません。元に戻せません。"

	case "done.create_rule":
		return "The rule version is made. It is not in force.", "ルール版を作成しました。まだ適用されていません。"
	case "done.set_price", "done.put_in_force":
		return "The rule version is in force.", "ルール版を適用しました。"
	case "done.retire_rule":
		return "The rule version is retired.", "ルール版を廃止しました。"
	case "done.retire_action":
		return "The action is retired.", "アクションを廃止しました。"
	case "conflict.price":
		return "The prices of this action are not as the form showed them, or do not allow this.", "このアクションの価格はフォームの表示時と異なるか、この操作を許しません。"
	}
	return "", ""
}
