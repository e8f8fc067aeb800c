package console_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A slip of the pen in whom a stage looks at is said, and no draft is made of it: one that admits nobody would not tell.
func TestSlipsInASegmentAreSaid(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Product)
	const at = "/new/rollout"
	for field, slip := range map[string][2]string{"dwell_1": {"5124095576030432", "A stage may be asked to last 0 hours to a year."}, "attributes_3": {"foo", "It must be pairs such as beta=yes"}, "attributes_2": {"tier=gold, tier=std", "Each attribute can be named once: an account has one value of it."}, "accounts_3": {"acct_7, acct_70, no such", "There is no such account: acct_70, no such"}} {
		rec := b.post(at, b.form(at, "id", "ro_slip", "candidate", modeltest.Action+"@v2", "threshold_1", "1", field, slip[0], "reason", "x"))
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", field, rec.Code)
		}
		w.says(rec.Body.String(), slip[1])
	}
	if list, err := w.Rollouts.List(context.Background(), 10); err != nil || len(list) != 1 {
		t.Errorf("%d rollouts, %v", len(list), err)
	}
}

// Whoever reads Japanese reads in Japanese what is wrong with a price, and with which field.
func TestAProblemOfAPriceInJapanese(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn(w.person(staff.Product, staff.Preferences{Language: "ja"}))
	q := url.Values{"action": {modeltest.Action}, "unit": {"second"}, "rounding": {"up"}, "unit_price": {"1"}, "discount": {"101"}}
	w.says(b.page("/pricing/preview?"+q.Encode()), "割引（%）：", "100 %以下にしてください。")
	q.Set("discount", "0.123")
	w.says(b.page("/pricing/preview?"+q.Encode()), "小数点以下は2桁までです。")
	q.Set("discount", "")
	q.Set("minimum", "-1")
	w.says(b.page("/pricing/preview?"+q.Encode()), "負の数は指定できません。")
}
