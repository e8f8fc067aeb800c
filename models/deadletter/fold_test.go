package deadletter_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode"

	"recoup/models/deadletter"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// Text and names are found in any case of any script, also in a database whose locale knows none but A to Z.
func TestCaseOfEveryScript(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	for id, name := range map[string]string{"a1": "ＡＢＣ映像株式会社", "a2": "Über Ärzte", "a3": "Северный Ветер"} {
		m.Account(t, id, 10)
		if _, err := m.Ledger.PutAccount(context.Background(), ledger.Profile{Envelope: modeltest.Envelope(), AccountID: id, Name: &name}); err != nil {
			t.Fatal(err)
		}
	}
	die(t, m, "a1", "j1", 1, "codec", "コーデックＡＶ１は未対応です", "1.0")
	die(t, m, "a2", "j2", 1, "rage", "Ärger ÜBER Ｃｏｄｅｃ СБОЙ", "1.0")
	for text, want := range map[string]string{"ＡＶ１": "j1", "ａｖ１": "j1", "Ärger": "j2", "ÄRGER über": "j2", "ｃＯＤＥＣ": "j2", "сбой": "j2", "СБОЙ": "j2"} {
		if got := listed(t, m, deadletter.Open, deadletter.Filter{ErrorText: text}); !slices.Equal(got, []string{want}) {
			t.Errorf("text %q: %v, want %s", text, got, want)
		}
		p, err := m.Jobs.List(context.Background(), job.Filter{ErrorText: text}, job.ByCharge, nil, page.Older, 10)
		if err != nil || len(p.Rows) != 1 || p.Rows[0].ID != want {
			t.Errorf("jobs with text %q: %+v, %v", text, p.Rows, err)
		}
	}
	for name, want := range map[string]string{"ＡＢＣ": "a1", "ａｂｃ映像": "a1", "Über": "a2", "ÜBER ÄRZTE": "a2", "über": "a2", "СЕВЕРНЫЙ": "a3", "северный в": "a3"} {
		keys, err := deadletter.New(m.Ops).AccountKeys(context.Background(), name)
		if err != nil || len(keys) != 1 {
			t.Errorf("account %q: %v, %v", name, keys, err)
		}
		p, err := m.Ledger.Accounts(context.Background(), ledger.AccountFilter{Search: name}, nil, page.Older, 10)
		if err != nil || len(p.Rows) != 1 || p.Rows[0].ID != want {
			t.Errorf("search %q: %+v, %v", name, p.Rows, err)
		}
	}
}

// fold() knows every capital letter that Go knows, and leaves what belongs to patterns alone.
func TestFoldKnowsEveryCapital(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	var capitals, small strings.Builder
	for r := rune(1); r <= unicode.MaxRune; r++ {
		// The dotted I has no small letter of its own, but one of two characters.
		if lower := unicode.ToLower(r); lower != r && r != 'İ' {
			capitals.WriteRune(r)
			small.WriteRune(lower)
		}
	}
	var got string
	if err := m.G.Raw(`SELECT fold(?)`, capitals.String()).Scan(&got).Error; err != nil {
		t.Fatal(err)
	}
	if want := []rune(small.String()); !slices.Equal([]rune(got), want) {
		for i, r := range []rune(got) {
			if r != want[i] {
				t.Errorf("%c, want %c", r, want[i])
			}
		}
	}
	const same = `ａ％ 映像 \%_' ` + "\U0010FFFF"
	if err := m.G.Raw(`SELECT fold(?)`, same).Scan(&got).Error; err != nil || got != same {
		t.Errorf("%q became %q, %v", same, got, err)
	}
}
