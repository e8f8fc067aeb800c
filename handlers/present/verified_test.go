package present

import (
	"testing"

	"recoup/views/text"
)

// What the verifier expected and found is Japanese on a Japanese page; the values stay as they are.
func TestCheckedValues(t *testing.T) {
	for value, want := range map[string]string{
		"balance 60": "残高 60", "seq 5, type charge, amount -10": "番号 5、種類 charge、金額 -10", "no entry": "記帳なし",
		"amount as it was asked for": "金額 依頼どおり", "another reason": "異なる理由", "entries up to 7": "記帳の最終番号 7",
		"rollout none, cohort none, rule version video_render@v1": "ロールアウト なし、コホート なし、ルール版 video_render@v1",
		"entries.entries_chain is disabled":                       "entries.entries_chain は無効", "entries.entries_chain fires always and calls refuse_change": "entries.entries_chain 常に実行され、次を呼び出す： refuse_change",
		"1 entries of 3": "1 件の記帳、合計 3", "opening 5; grant 12 / 480": "月初残高 5、付与 12 / 480", "0198c3f2": "0198c3f2", "": "",
	} {
		if got := (Presenter{L: text.Locale{Lang: text.Japanese}}).checkedValue(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
		if got := (Presenter{L: text.Locale{Lang: text.English}}).checkedValue(value); got != value {
			t.Errorf("%q in English: %q", value, got)
		}
	}
}
