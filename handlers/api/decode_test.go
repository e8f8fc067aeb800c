package api

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
)

type record struct {
	Amount int64     `json:"amount"`
	At     time.Time `json:"at"`
}

type body struct {
	JobID    string             `json:"job_id"`
	Units    *int64             `json:"units"`
	Small    int32              `json:"small"`
	Dry      *bool              `json:"dry"`
	Tags     map[string]string  `json:"tags"`
	Records  []record           `json:"records"`
	Nested   struct{ A string } `json:"nested"`
	Payload  jsontext.Value     `json:"payload"`
	Deadline *time.Time         `json:"deadline"`
}

func TestDecodeRefuses(t *testing.T) {
	for name, c := range map[string]struct{ in, field, message string }{
		"empty":             {``, "body", "not empty"},
		"blank":             {" \n\t", "body", "not empty"},
		"null":              {`null`, "body", "not null"},
		"array":             {`[]`, "body", "not an array"},
		"string":            {`"x"`, "body", "not a string"},
		"number":            {`1`, "body", "not a number"},
		"open":              {`{"job_id":"a"`, "body", "not complete"},
		"open string":       {`{"job_id":"a`, "body", "not complete"},
		"garbage":           {`{job_id:1}`, "body", "not valid JSON"},
		"comma":             {`{"job_id":"a",}`, "body", "not valid JSON"},
		"comment":           {`{"job_id":"a"/* */}`, "body", "not valid JSON"},
		"BOM":               {"\ufeff{}", "body", "not valid JSON"},
		"trailing object":   {`{"job_id":"a"}{"job_id":"b"}`, "body", "must end"},
		"trailing text":     {`{"job_id":"a"} x`, "body", "must end"},
		"unknown":           {`{"jobid":"a"}`, "jobid", "not a known"},
		"other case":        {`{"JOB_ID":"a"}`, "JOB_ID", "not a known"},
		"unknown in list":   {`{"records":[{"amount":1},{"amount":1,"x":2}]}`, "records[1].x", "not a known"},
		"strange name":      {"{\"a\\n\\u2028b\":1}", `"a\n\u2028b"`, "not a known"},
		"duplicate":         {`{"job_id":"a","job_id":"a"}`, "job_id", "twice"},
		"duplicate escaped": {`{"job_id":"a","job\u005fid":"a"}`, "job_id", "twice"},
		"duplicate nested":  {`{"tags":{"k":"1","k":"2"}}`, "tags.k", "twice"},
		"duplicate in raw":  {`{"payload":{"a":[{"k":1,"k":2}]}}`, "payload.a[0].k", "twice"},
		"1.0":               {`{"units":1.0}`, "units", "without fraction"},
		"1e3":               {`{"units":1e3}`, "units", "without fraction"},
		"1E0":               {`{"records":[{"amount":1E0}]}`, "records[0].amount", "without fraction"},
		"12.5":              {`{"units":12.5}`, "units", "without fraction"},
		"beyond int64":      {`{"units":9223372036854775808}`, "units", "must fit 64 bits"},
		"below int64":       {`{"units":-9223372036854775809}`, "units", "must fit 64 bits"},
		"beyond int32":      {`{"small":2147483648}`, "small", "must fit 32 bits"},
		"leading zero":      {`{"units":01}`, "body", "not valid JSON"},
		"plus":              {`{"units":+1}`, "units", "not valid JSON"},
		"NaN":               {`{"units":NaN}`, "units", "not valid JSON"},
		"number as string":  {`{"units":"1"}`, "units", "not a string"},
		"string as number":  {`{"job_id":7}`, "job_id", "must be a string, not a number"},
		"string as object":  {`{"job_id":{}}`, "job_id", "must be a string, not an object"},
		"bool as number":    {`{"dry":1}`, "dry", "must be true or false"},
		"list as object":    {`{"records":{}}`, "records", "must be an array"},
		"object as list":    {`{"tags":[]}`, "tags", "must be an object"},
		"time":              {`{"deadline":"tomorrow"}`, "deadline", "RFC 3339"},
		"time as number":    {`{"deadline":1764525600}`, "deadline", "RFC 3339"},
		"UTF-8":             {"{\"job_id\":\"a\xff\"}", "job_id", "UTF-8"},
		"UTF-8 in raw":      {"{\"payload\":{\"x\":\"\xc3\x28\"}}", "payload.x", "UTF-8"},
		"lone surrogate":    {`{"job_id":"\ud800"}`, "job_id", "not valid"},
		"NUL escaped":       {`{"job_id":"a\u0000b"}`, "job_id", "NUL"},
		"NUL in raw":        {`{"payload":["\u0000"]}`, "payload[0]", "NUL"},
		"NUL in name":       {`{"payload":{"a\u0000":1}}`, `payload."a\x00"`, "NUL"},
		"NUL raw":           {"{\"job_id\":\"a\x00\"}", "job_id", "not valid JSON"},
		"NUL after":         {"{}\x00", "body", "must end"},
		"NUL unknown field": {`{"x":"\u0000"}`, "x", "NUL"},
		"tab in string":     {"{\"job_id\":\"a\tb\"}", "job_id", "not valid JSON"},
		"deep array":        {`{"payload":` + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth) + `}`, "payload[0][0][0][0][0][0][0]…", "deeper"},
		"deep object":       {strings.Repeat(`{"payload":`, 100_000), "payload.payload.payload.payload.payload.payload.payload.payload…", "deeper"},
		"long name":         {`{"` + strings.Repeat("n", 5000) + `":1}`, strings.Repeat("n", 64) + "…", "not a known"},
	} {
		t.Run(name, func(t *testing.T) {
			var b body
			err := DecodeBytes([]byte(c.in), &b)
			f := fault.As(err)
			if f == nil || f.Kind != fault.Invalid || len(f.Fields) != 1 {
				t.Fatalf("got %v", err)
			}
			if f.Fields[0].Name != c.field || !strings.Contains(f.Fields[0].Message, c.message) {
				t.Errorf("got %q %q, want %q %q", f.Fields[0].Name, f.Fields[0].Message, c.field, c.message)
			}
		})
	}
}

func TestDecodeAccepts(t *testing.T) {
	raw := `{ "n":9007199254740993, "f":1.50e+2,"big":123456789012345678901234567890, "s":"\u00e9\\u0000" }`
	in := ` {"job_id":"j\u00f6b","units":9223372036854775807,"dry":false,"tags":{"a":"b"},
		"records":[{"amount":-9223372036854775808,"at":"2026-11-30T19:00:00.123456+09:00"}],"payload":` + raw + `}` + "\r\n"
	var b body
	if err := DecodeBytes([]byte(in), &b); err != nil {
		t.Fatal(err)
	}
	if b.JobID != "jöb" || *b.Units != 9223372036854775807 || b.Dry == nil || *b.Dry || b.Tags["a"] != "b" || b.Records[0].Amount != -9223372036854775808 {
		t.Errorf("%+v", b)
	}
	if string(b.Payload) != raw {
		t.Errorf("payload %s, want %s", b.Payload, raw)
	}
	if want := time.Date(2026, 11, 30, 10, 0, 0, 123456000, time.UTC); !b.Records[0].At.Equal(want) {
		t.Errorf("at %v", b.Records[0].At)
	}
}

// Absent and null are the same, zero is neither.
func TestDecodeNull(t *testing.T) {
	for in, want := range map[string]string{`{}`: "nil", `{"units":null}`: "nil", `{"units":0}`: "0", `{"units":-0}`: "0"} {
		var b body
		if err := DecodeBytes([]byte(in), &b); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		got := "nil"
		if b.Units != nil {
			got = itoa(*b.Units)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestDecodeDepthLimitItself(t *testing.T) {
	in := `{"payload":` + strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1) + `}`
	var b body
	if err := DecodeBytes([]byte(in), &b); err != nil {
		t.Fatal(err)
	}
}

func request(contentType []string, encoding, content string) echo.Context {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(content))
	r.Header["Content-Type"] = contentType
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	return echo.New().NewContext(r, httptest.NewRecorder())
}

func TestDecodeHeaders(t *testing.T) {
	ok := `{"job_id":"a"}`
	for _, c := range []struct {
		types    []string
		encoding string
		field    string
	}{
		{[]string{"application/json"}, "", ""},
		{[]string{"application/json; charset=utf-8"}, "", ""},
		{[]string{"Application/JSON;charset=UTF-8"}, "identity", ""},
		{nil, "", "Content-Type"},
		{[]string{"text/plain"}, "", "Content-Type"},
		{[]string{"application/x-www-form-urlencoded"}, "", "Content-Type"},
		{[]string{"application/json; charset=latin1"}, "", "Content-Type"},
		{[]string{"application/json; boundary=x"}, "", "Content-Type"},
		{[]string{"application/json", "application/json"}, "", "Content-Type"},
		{[]string{"application/json, text/plain"}, "", "Content-Type"},
		{[]string{"application/json"}, "gzip", "Content-Encoding"},
	} {
		var b body
		err := Decode(request(c.types, c.encoding, ok), &b)
		switch f := fault.As(err); {
		case c.field == "" && err != nil, c.field != "" && (f == nil || f.Fields[0].Name != c.field):
			t.Errorf("%v %q: got %v, want field %q", c.types, c.encoding, err, c.field)
		case c.field == "" && b.JobID != "a":
			t.Errorf("%v: not decoded", c.types)
		}
	}
}

func TestDecodeOptional(t *testing.T) {
	var b body
	if err := DecodeOptional(request(nil, "", ""), &b); err != nil {
		t.Error(err)
	}
	if err := DecodeOptional(request([]string{"application/json"}, "", "x"), &b); err == nil {
		t.Error("a body that is there must be right")
	}
	if err := Decode(request([]string{"application/json"}, "", ""), &b); err == nil {
		t.Error("an empty body was accepted")
	}
}

func TestDecodeTooLarge(t *testing.T) {
	c := request([]string{"application/json"}, "", `{"job_id":"aaaaaaaaaaaaaaaaaaaaaaa"}`)
	c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, 10)
	var b body
	var tooLarge *http.MaxBytesError
	if err := Decode(c, &b); !errors.As(err, &tooLarge) || fault.As(err) != nil {
		t.Errorf("got %v", err)
	}
}

// FuzzDecode holds three promises for any input: no panic; every refusal is a fault with a named
// field; whatever is accepted is JSON for the standard library too, holds no NUL, and keeps its raw
// payload byte for byte.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `null`, `{"job_id":"a","units":1,"payload":{"a":[1,2.5,null]}}`, `{"units":1.0}`, `{"a":1,"a":2}`,
		`{"payload":"\u0000"}`, "{\"job_id\":\"\xff\"}", `{"records":[{"amount":1,"at":"2026-11-30T19:00:00Z"}]}`,
		`{"job_id":"\ud83d\ude00"}`, `{"units":9223372036854775808}`, strings.Repeat(`{"payload":`, 80), `{"payload":01}`, `{} {}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		sent := bytes.Clone(in)
		var b body
		err := DecodeBytes(in, &b)
		if !bytes.Equal(in, sent) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if f := fault.As(err); f == nil || len(f.Fields) == 0 || f.Fields[0].Name == "" || f.Fields[0].Message == "" {
				t.Fatalf("%q: not a fault with a field: %v", in, err)
			} else if _, perr := problem(400, f, "r"); perr != nil {
				t.Fatalf("%q: cannot be told: %v", in, perr)
			}
			return
		}
		if !stdjson.Valid(in) {
			t.Fatalf("%q was accepted and is not JSON", in)
		}
		if strings.ContainsRune(b.JobID, 0) {
			t.Fatalf("%q: NUL came through", in)
		}
		if b.Payload != nil && !bytes.Contains(in, b.Payload) {
			t.Fatalf("%q: payload became %q", in, b.Payload)
		}
	})
}
