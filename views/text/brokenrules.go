package text

// brokenRules says, for each check of the verifier, what a row is that fails it: "wrong." and the check's name. The values
// that differ stand beside it; the program's own sentence, which names them in English, is its detail.
func brokenRules(key string) (en, ja string) {
	switch key {
	case "wrong.seq":
		return "The account’s entries are not numbered without a gap.", "アカウントの記帳番号に欠番があります。"
	case "wrong.time":
		return "The entry is not later than the one before.", "記帳の時刻が直前の記帳より後ではありません。"
	case "wrong.balance":
		return "The balance after the entry is not the one before plus the amount.", "記帳後の残高が、直前の残高に金額を加えた値ではありません。"
	case "wrong.covered":
		return "The charge ends below zero: the balance did not cover it.", "課金後の残高がマイナスです。残高が不足していました。"
	case "wrong.price":
		return "The price of the decision is not that of its units under its rule version.", "決定の価格が、その数量とルール版から計算した価格と一致しません。"
	case "wrong.bucket":
		return "The decision names another bucket than the account has in this rollout.", "決定に記されたバケットが、このロールアウトでのアカウントのバケットと一致しません。"
	case "wrong.approval":
		return "What was approved was not applied, or what was not approved was.", "承認されたものが適用されていないか、承認されていないものが適用されています。"
	case "wrong.hash":
		return "The hash is not that of the entry’s fields and the hash before it.", "ハッシュが、記帳の内容と直前のハッシュから計算した値と一致しません。"
	case "wrong.head":
		return "The account row does not repeat the newest entry.", "アカウントの写しが最新の記帳と一致しません。"
	case "wrong.negative_since":
		return "The time since when the balance is below zero is not that of its entry.", "残高がマイナスになった時刻が、その記帳の時刻と一致しません。"
	case "wrong.job":
		return "The entry names a job that does not exist.", "記帳が存在しないジョブを示しています。"
	case "wrong.once":
		return "The job has more than one charge, refund or reclaim.", "ジョブに課金・返金・回収のいずれかが2件以上あります。"
	case "wrong.flags":
		return "What the job says of its money and its entries differ.", "ジョブに記された金額の状態と記帳が一致しません。"
	case "wrong.amount":
		return "The entry does not move exactly the job’s cost.", "記帳の金額がジョブの費用と一致しません。"
	case "wrong.order":
		return "Charge, refund and reclaim are not in this order.", "課金・返金・回収の順になっていません。"
	case "wrong.attribution":
		return "The entry is attributed to another price than its job.", "記帳とジョブで価格の帰属が異なります。"
	case "wrong.decision":
		return "The job’s price is not the one that was decided for its operation.", "ジョブの価格が、その操作に記録された決定と一致しません。"
	case "wrong.settlement":
		return "A delivered job is not paid for, or a failed one is.", "納品されたジョブが未払いか、失敗したジョブが支払い済みです。"
	case "wrong.payment":
		return "A settlement’s payment is not what was approved, or not what its entry says.", "精算の支払いが、承認された内容または記帳と一致しません。"
	case "wrong.line":
		return "The job does not stand in the waiting line as it should.", "ジョブが待ち行列に正しく並んでいません。"
	case "wrong.stuck":
		return "The job waits past its time.", "ジョブが期限を過ぎて待っています。"
	case "wrong.letter":
		return "The dead letter is not what its job says.", "デッドレターがジョブの状態と一致しません。"
	case "wrong.tally":
		return "The count of a group is not that of its open dead letters.", "グループの件数が、未処理のデッドレターと一致しません。"
	case "wrong.operation":
		return "The operation has no result, or the charge belongs to another operation.", "操作に結果がないか、課金が別の操作によるものです。"
	case "wrong.result":
		return "The entry is not what its operation answered.", "記帳が操作の回答と一致しません。"
	case "wrong.triggers":
		return "A guard of the database is missing, off or changed.", "データベースの保護がないか、無効か、変更されています。"
	case "wrong.kept":
		return "A table, column, constraint or index of the database is missing or does not say what it must.", "データベースのテーブル、列、制約、インデックスのいずれかがないか、本来の定義と異なります。"
	case "wrong.cost":
		return "A cost is not attributed to what its newest attribution says.", "費用の帰属が最新の帰属の記録と一致しません。"
	case "wrong.finding":
		return "A check of a rollout found an operation that is still to be put right.", "ロールアウトの確認で見つかった操作がまだ解決されていません。"
	case "wrong.checkpoint":
		return "The kept sum is not that of the entries up to it.", "保存された合計が、その時点までの記帳の合計と一致しません。"
	case "wrong.cut":
		return "An entry that the account or an operation knows of is not there.", "アカウントまたは操作の記録が示す記帳が存在しません。"
	case "wrong.anchor", "wrong.anchor_file":
		return "The newest entries of a past moment are no longer the same.", "過去の時点の最新記帳が変わっています。"
	case "wrong.rollup":
		return "A derived sum is not that of its entries.", "集計値が記帳の合計と一致しません。"
	case "wrong.month":
		return "A closed month is no longer what it was closed with.", "締めた月が、締めたときの内容と一致しません。"
	}
	return "", ""
}
