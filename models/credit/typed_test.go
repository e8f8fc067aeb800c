package credit_test

import (
	"testing"

	"recoup/models/credit"
)

func TestPlainDigits(t *testing.T) {
	for typed, want := range map[string]string{"１０": "10", "－１，２３４": "-1,234", "＋0９": "+09", "\u22125": "-5", "1\u3000000": "1 000",
		"12": "12", "": "", "１０．５": "10．5", "一": "一"} {
		if got := credit.PlainDigits(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}
