package job_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/fault"
	"recoup/models/job"
)

func secret(name string) bool { return strings.Contains(name, "token") }

func TestMaskAndUnmask(t *testing.T) {
	const doc = `{ "source" : "s3://a" , "frames":9007199254740993, "token":{"a":"x","b":[1,{"c":null}]}, "list":[{"callback_token":"y"}], "none":[], "x":1.0 }`
	masked, err := job.Mask(json.RawMessage(doc), job.Secrets{Name: secret})
	if err != nil {
		t.Fatal(err)
	}
	want := `{ "source" : "s3://a" , "frames":9007199254740993, "token":{"a":"••••••••","b":["••••••••",{"c":"••••••••"}]}, "list":[{"callback_token":"••••••••"}], "none":[], "x":1.0 }`
	if string(masked) != want {
		t.Errorf("%s", masked)
	}
	if back, err := job.Unmask(json.RawMessage(doc), masked); err != nil || string(back) != doc {
		t.Errorf("%s, %v", back, err)
	}
	edited := strings.Replace(strings.Replace(want, "9007199254740993", "9007199254740992", 1), `"s3://a"`, `"s3://b"`, 1)
	after, err := job.Unmask(json.RawMessage(doc), json.RawMessage(edited))
	if err != nil {
		t.Fatal(err)
	}
	diff, err := job.PayloadDiff(json.RawMessage(doc), after)
	if got := fmt.Sprint(diff); err != nil || got != `[{source /source [source] "s3://a" "s3://b"} {frames /frames [frames] 9007199254740993 9007199254740992}]` {
		t.Errorf("%s, %v", got, err)
	}
	_, err = job.Unmask(json.RawMessage(doc), json.RawMessage(`{"other":"••••••••"}`))
	if !fault.Is(err, fault.CodeInvalid) {
		t.Errorf("a masked value from nowhere: %v", err)
	}
	diff, err = job.PayloadDiff(json.RawMessage(`{"a":1,"b":{},"c.d":2}`), json.RawMessage(`{"a":1.0,"c":{"d":2},"e":[]}`))
	if got := fmt.Sprint(diff); err != nil || got != `[{a /a [a] 1 1.0} {b /b [b] {} } {c.d /c.d [c.d] 2 } {c.d /c/d [c d]  2} {e /e [e]  []}]` {
		t.Errorf("%s, %v", got, err)
	}
	diff, err = job.PayloadDiff(json.RawMessage(`{"list":[1,{"a":[2]},[]],"0":3}`), json.RawMessage(`{"list":[0,{"a":[7]},[5]],"0":4}`))
	if got := fmt.Sprint(diff); err != nil || got != `[{list[0] /list/0 [list 0] 1 0} {list[1].a[0] /list/1/a/0 [list 1 a 0] 2 7} {list[2] /list/2 [list 2] [] } {0 /0 [0] 3 4} {list[2][0] /list/2/0 [list 2 0]  5}]` {
		t.Errorf("%s, %v", got, err)
	}
	if diff, err = job.PayloadDiff(nil, json.RawMessage(`7`)); err != nil || len(diff) != 1 || diff[0].After != "7" {
		t.Errorf("%v, %v", diff, err)
	}
}

// Whatever the document, masking hides every value under a secret name, unmasking brings every byte back, and a document
// differs from itself in nothing.
func TestMaskProperties(t *testing.T) {
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kind := rapid.IntRange(0, 5).Draw(t, "kind")
			if depth == 0 {
				kind %= 4
			}
			switch kind {
			case 0:
				b, _ := json.Marshal(rapid.StringMatching(`[a-z "\\{}\[\],:é]{0,6}`).Draw(t, "text"))
				return string(b)
			case 1:
				return rapid.SampledFrom([]string{"0", "-1", "9007199254740993", "1.50", "1e9"}).Draw(t, "number")
			case 2:
				return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
			case 3:
				return rapid.SampledFrom([]string{"[]", "{}", "[ ]"}).Draw(t, "empty")
			case 4:
				return "[" + strings.Join(rapid.SliceOfN(value(depth-1), 1, 3).Draw(t, "items"), " , ") + "]"
			}
			var members []string
			for i, v := range rapid.SliceOfN(value(depth-1), 1, 3).Draw(t, "members") {
				members = append(members, fmt.Sprintf("%q :%s", fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"token", "a", "b.c", "d/e"}).Draw(t, "name"), i), v))
			}
			return "{" + strings.Join(members, ",") + "\n}"
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := json.RawMessage(value(3).Draw(t, "doc"))
		masked, err := job.Mask(doc, job.Secrets{Name: secret})
		if err != nil || !json.Valid(masked) {
			t.Fatalf("%s: %s, %v", doc, masked, err)
		}
		back, err := job.Unmask(doc, masked)
		if err != nil || string(back) != string(doc) {
			t.Fatalf("%s came back as %s, %v", doc, back, err)
		}
		if diff, err := job.PayloadDiff(doc, back); err != nil || len(diff) > 0 {
			t.Fatalf("%v, %v", diff, err)
		}
		diff, err := job.PayloadDiff(doc, masked)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range diff {
			if c.After != `"`+job.Masked+`"` || !strings.Contains(strings.Join(c.Names, " "), "token") {
				t.Fatalf("masking changed %+v", c)
			}
		}
	})
}
