package present

import (
	"testing"

	"recoup/models/verify"
	"recoup/views/text"
)

// What the verifier expected and found is Japanese on a Japanese page; the values stay as they are.
func TestCheckedValues(t *testing.T) {
	for value, want := range map[string]string{
		"balance 60": "残高 60", "seq 5, type charge, amount -10": "番号 5、種類 charge、金額 -10", "no entry": "記帳なし",
		"amount as it was asked for": "金額 依頼どおり", "another reason": "異なる理由", "entries up to 7": "記帳の最終番号 7",
		"rollout none, cohort none, rule version video_render@v1": "ロールアウト なし、コホート なし、ルール版 video_render@v1",
		"entries.entries_chain is disabled":                       "entries.entries_chain は無効", "entries.entries_chain fires always and calls refuse_change": "entries.entries_chain 常に実行され、次を呼び出す： refuse_change",
		"1 entries of 3": "1 件の記帳、合計 3", "opening 5; grant 12 / 480": "月初残高 5、付与 12 / 480", "0198c3f2": "0198c3f2",
		"payments 2": "支払い件数 2", "type adjustment, amount 7, operation op-1, rollout ro_1": "種類 adjustment、金額 7、操作 op-1、ロールアウト ro_1",
		"an approved settlement, rollout ro_1, amount none":     "承認済みの精算、ロールアウト ro_1、金額 なし",
		"settlement st_1, not approved, rollout none, amount 7": "精算 st_1、未承認、ロールアウト なし、金額 7",
		"delivered, charge 40, rollout ro_1, cohort candidate":  "納品済み、課金 40、ロールアウト ro_1、コホート candidate",
		"no settlement": "精算なし", "not delivered": "未納品", "no job": "ジョブなし", "a payment of a settlement": "精算の支払い", "": "",
	} {
		if got := (Presenter{L: text.Locale{Lang: text.Japanese}}).checkedValue(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
		if got := (Presenter{L: text.Locale{Lang: text.English}}).checkedValue(value); got != value {
			t.Errorf("%q in English: %q", value, got)
		}
	}
}

// What PostgreSQL says of a guard stays as it is in every language; what stands in its place is worded.
func TestDefinitionsOfGuards(t *testing.T) {
	for value, want := range map[string]string{
		"jobs.jobs_check3 CHECK (NOT is_reclaimed, a; b)": "jobs.jobs_check3 CHECK (NOT is_reclaimed, a; b)",
		"not in force": "有効でない", "audit_log.a_first no such trigger": "audit_log.a_first 該当するトリガーなし",
		"entries.entries_chain is disabled": "entries.entries_chain は無効",
	} {
		p := Presenter{L: text.Locale{Lang: text.Japanese}}.Problem(verify.Problem{Check: verify.CheckKept, Expected: value, Found: value})
		if p.Expected != want || p.Found != want {
			t.Errorf("%q: %q and %q, want %q", value, p.Expected, p.Found, want)
		}
	}
}
