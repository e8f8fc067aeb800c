package operation

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func digestsOf(t rapid.TB, in Input) map[string]string {
	t.Helper()
	d, err := in.digests("charge")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func raw(s string) Input { return Input{"payload": json.RawMessage(s)} }

func TestSameInput(t *testing.T) {
	one, text := int64(1), "a"
	for name, pair := range map[string][2]Input{
		"key order":             {raw(`{"a":1,"b":{"c":2,"d":3}}`), raw(`{"b":{"d":3,"c":2},"a":1}`)},
		"blanks":                {raw(`{"a":[1,2]}`), raw(" {\n\t\"a\" : [ 1 , 2 ] } ")},
		"escapes of characters": {raw(`{"a":"\u0041\/"}`), raw(`{"a":"A/"}`)},
		"absent and nil":        {Input{}, Input{"reason": nil}},
		"absent and nil string": {Input{}, Input{"reason": (*string)(nil)}},
		"absent and nil number": {Input{}, Input{"deadline_s": (*int64)(nil)}},
		"absent and nil list":   {Input{}, Input{"actions": []string(nil)}},
		"absent and nil map":    {Input{}, Input{"attributes": map[string]string(nil)}},
		"absent and JSON null":  {Input{}, raw(`null`)},
		"JSON null with blanks": {Input{}, raw(" null\n")},
		"a number by pointer":   {Input{"units": int64(1)}, Input{"units": &one}},
		"a text by pointer":     {Input{"plan": "a"}, Input{"plan": &text}},
	} {
		if d := differing(digestsOf(t, pair[0]), digestsOf(t, pair[1])); len(d) != 0 {
			t.Errorf("%s: differs in %v", name, d)
		}
	}
}

func TestOtherInput(t *testing.T) {
	for name, c := range map[string]struct {
		a, b Input
		want []string
	}{
		"large whole numbers": {raw(`9007199254740993`), raw(`9007199254740992`), []string{"payload"}},
		"the same inside":     {raw(`{"seed":9007199254740993}`), raw(`{"seed":9007199254740992}`), []string{"payload"}},
		"element order":       {raw(`[1,2]`), raw(`[2,1]`), []string{"payload"}},
		"null inside":         {raw(`{"a":null}`), raw(`{}`), []string{"payload"}},
		"empty and absent":    {Input{"name": ""}, Input{}, []string{"name"}},
		"text and number":     {Input{"v": "1"}, Input{"v": int64(1)}, []string{"v"}},
		"text and JSON":       {Input{"v": `"1"`}, Input{"v": json.RawMessage(`"1"`)}, []string{"v"}},
		"false and absent":    {Input{"v": false}, Input{}, []string{"v"}},
		"0 and absent":        {Input{"v": int64(0)}, Input{}, []string{"v"}},
		"empty list":          {Input{"v": []string{}}, Input{}, []string{"v"}},
		"borders in a list":   {Input{"v": []string{"ab", "c"}}, Input{"v": []string{"a", "bc"}}, []string{"v"}},
		"borders in a map":    {Input{"v": map[string]string{"ab": "c"}}, Input{"v": map[string]string{"a": "bc"}}, []string{"v"}},
		"several, sorted": {Input{"units": int64(1), "action": "a", "mode": "managed"}, Input{"units": int64(2), "action": "b", "dependency": "d"},
			[]string{"action", "dependency", "mode", "units"}},
		"upper and lower case": {Input{"job_id": "J"}, Input{"job_id": "j"}, []string{"job_id"}},
	} {
		if d := differing(digestsOf(t, c.a), digestsOf(t, c.b)); !slices.Equal(d, c.want) {
			t.Errorf("%s: differs in %v, want %v", name, d, c.want)
		}
	}
}

func TestKindIsInput(t *testing.T) {
	a, err1 := Input{}.digests("freeze")
	b, err2 := Input{}.digests("unfreeze")
	if d := differing(a, b); err1 != nil || err2 != nil || !slices.Equal(d, []string{"kind"}) {
		t.Errorf("differs in %v", d)
	}
}

func TestInputThatHasNoForm(t *testing.T) {
	for name, v := range map[string]any{"a float": 1.5, "an int": 1, "broken JSON": json.RawMessage(`{"a":`), "two documents": json.RawMessage(`1 2`),
		"a name twice": json.RawMessage(`{"a":1,"a":2}`), "not UTF-8": json.RawMessage("\"\xff\"")} {
		if d, err := (Input{"v": v}).digests("x"); err == nil {
			t.Errorf("%s has digests %v", name, d)
		}
	}
}

// TestReorderedPayloadIsTheSame draws documents, writes each in two orders and one changed value.
func TestReorderedPayloadIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé_]{1,6}`), 1, 6, rapid.ID[string]).Draw(t, "names")
		values := make([]string, len(names))
		for i := range names {
			values[i] = rapid.SampledFrom([]string{`1`, `-0.5`, `9007199254740993`, `"x"`, `null`, `{"b":1,"a":[2,{"d":1,"c":2}]}`, `[]`, `true`}).Draw(t, "value")
		}
		write := func(order []int) string {
			var members []string
			for _, i := range order {
				name, err := json.Marshal(names[i])
				if err != nil {
					t.Fatal(err)
				}
				members = append(members, string(name)+":"+values[i])
			}
			return "{" + strings.Join(members, ",") + "}"
		}
		order := make([]int, len(names))
		for i := range order {
			order[i] = i
		}
		first := write(order)
		second := write(rapid.Permutation(order).Draw(t, "order"))
		if d := differing(digestsOf(t, raw(first)), digestsOf(t, raw(second))); len(d) != 0 {
			t.Fatalf("%s and %s differ", first, second)
		}
		values[0] = `"changed"`
		if d := differing(digestsOf(t, raw(first)), digestsOf(t, raw(write(order)))); len(d) != 1 {
			t.Fatalf("%s and %s do not differ", first, write(order))
		}
	})
}
