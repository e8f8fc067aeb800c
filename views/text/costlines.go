package text

// costLines holds what can be wrong with a line of a bill: what is wrong, and what to do about it.
func costLines(key string) (en, ja string) {
	switch key {
	case "costline.at":
		return "Line {1}: {2}", "{1}行目：{2}"
	case "costline.at_column":
		return "Line {1}, {2}: {3}", "{1}行目の{2}：{3}"
	case "costline.too_large":
		return "The file is larger than {1} bytes. Divide it.", "ファイルが{1}バイトを超えています。分割してください。"
	case "costline.too_many_lines":
		return "The file has more than {1} {1|line|lines}. Divide it.", "ファイルが{1}行を超えています。分割してください。"
	case "costline.no_header":
		return "There is no header of a CSV file.", "CSVの見出し行がありません。"
	case "costline.no_lines":
		return "The file holds no lines below its header.", "ファイルには見出し行のほかに行がありません。"
	case "costline.column_twice":
		return "This column is there twice. Take one out or rename it.", "同じ列が2つあります。どちらかを削除するか、名前を変えてください。"
	case "costline.column_missing":
		return "The file has no such column. Add it, or name another one.", "この列がファイルにありません。列を追加するか、別の列を指定してください。"
	case "costline.column_unknown":
		return "There is no such column in this format. There are {1}. Take it out, or name it dimension:… to keep it.", "この形式にない列です（使える列：{1}）。削除するか、残す場合は dimension:… という名前にしてください。"
	case "costline.column_near":
		return "There is no such column in this format. Name it {1}, or dimension:… if it is something else.", "この形式にない列です。{1} という名前に変えてください。別の内容であれば dimension:… という名前にしてください。"
	case "costline.separator":
		return "The columns are separated by {1}. Save the file as CSV with commas.", "列が{1}で区切られています。カンマ区切りのCSVで保存してください。"
	case "costline.encoding":
		return "The file is not encoded in UTF-8. Save it as “CSV UTF-8”.", "文字コードがUTF-8ではありません。「CSV UTF-8」形式で保存してください。"
	case "costline.bad_quotes":
		return "Its quotes do not match. A quote within a value is written twice.", "引用符が対応していません。値の中の引用符は2つ重ねて書きます。"
	case "costline.other_cells":
		return "It has another number of cells than the header: {1} and not {2}.", "セルの数が見出し行と異なります（{2}のところ{1}）。"
	case "costline.unknown_action":
		return "There is no action {1} here. Correct it, or leave it empty.", "アクション{1}は存在しません。修正するか、空欄にしてください。"
	case "costline.same_id":
		return "Line {1} has the same id. Each line needs one of its own.", "{1}行目と同じIDです。行ごとに別のIDが必要です。"
	case "costline.recorded":
		return "{1} was recorded before with other content, and what is recorded is never changed. Take the line out, or give it an id of its own.", "{1}は異なる内容で登録済みで、登録済みの明細は変更できません。この行を削除するか、別のIDにしてください。"
	case "costline.read_otherwise":
		return "This very line was recorded before, read from other columns, and what is recorded is never changed. Take it out, or choose the columns of that time.", "この行は別の列の指定で登録済みで、登録済みの明細は変更できません。この行を削除するか、前回と同じ列を指定してください。"

	case "problem.must have at most 48 characters":
		return "It must have at most 48 characters.", "48文字以内にしてください。"
	case "problem.must have at most 200 characters":
		return "It must have at most 200 characters.", "200文字以内にしてください。"
	case "problem.must have at most 500 characters":
		return "It must have at most 500 characters.", "500文字以内にしてください。"
	case "problem.must have at most 20 digits before and 60 after the point":
		return "It must have at most 20 digits before the point and 60 after it.", "小数点の前は20桁、後は60桁までです。"
	case "problem.must be a time such as 2026-11-30T18:00:00Z":
		return "It must be a time such as 2026-11-30T18:00:00Z.", "2026-11-30T18:00:00Zのような時刻にしてください。"
	case "problem.must lie after the time":
		return "It must lie after the time.", "time より後にしてください。"
	case "problem.must be a JSON object":
		return "It must be a JSON object, such as {\"job\": \"acct_7/j1\"}.", "{\"job\": \"acct_7/j1\"}のようなJSONオブジェクトにしてください。"
	case "problem.is required with a job or an operation":
		return "A job or an operation needs the account that it is of.", "ジョブや操作には、そのアカウントの指定が必要です。"
	case "problem.or an operation is required with an account":
		return "An account needs a job or an operation beside it.", "アカウントには、ジョブか操作の指定が必要です。"
	case "problem.may hold only visible ASCII characters":
		return "It may hold only visible ASCII characters.", "使えるのは表示可能なASCII文字だけです。"
	case "problem.must have at most 50 names":
		return "There may be at most 50 dimensions.", "属性は50個までです。"
	case "problem.must have at most 8000 bytes of names and values":
		return "Dimensions may have at most 8,000 bytes, names and values together.", "属性は名前と値を合わせて8,000バイトまでです。"
	case "problem.must not have an empty name":
		return "A dimension needs a name.", "属性には名前が必要です。"
	case "problem.has a name that must have at most 100 characters":
		return "The name of a dimension must have at most 100 characters.", "属性の名前は100文字以内にしてください。"
	case "problem.has a name that is not valid UTF-8", "problem.has a value that is not valid UTF-8":
		return "A dimension is not valid UTF-8.", "属性に正しくないUTF-8文字があります。"
	case "problem.has a name that holds control characters", "problem.has a value that holds control characters":
		return "A dimension holds control characters.", "属性に制御文字が含まれています。"
	case "problem.has a value that must have at most 500 characters":
		return "The value of a dimension must have at most 500 characters.", "属性の値は500文字以内にしてください。"

	case "problem.must be recoup or focus":
		return "Choose one of the formats.", "列の形式を選択してください。"
	case "problem.with own columns takes no mapping":
		return "With own columns the fields of FOCUS stay empty.", "独自の列では、FOCUSの項目は空欄にしてください。"
	case "problem.must be BilledCost or EffectiveCost":
		return "Choose BilledCost or EffectiveCost.", "BilledCostかEffectiveCostを選択してください。"
	case "problem.must be the name of a column, or Tags.<key>, of at most 100 characters":
		return "It must be the name of a column, or a tag as Tags.key, of at most 100 characters.", "列名、またはタグを Tags.key の形で100文字以内で指定してください。"
	case "problem.needs a job or an operation":
		return "It needs a job or an operation beside it.", "ジョブか操作の指定が必要です。"
	}
	return "", ""
}
