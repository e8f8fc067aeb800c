// Package api is the JSON interface for programs: strict decoding, problem documents, operation ids
// and, in files of their own, the handlers.
package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
)

// MaxDepth is how deep objects and arrays of a body may be nested, payloads included.
const MaxDepth = 64

// Decode reads the body of a request as one JSON object into dst, a pointer to a struct.
//
// It refuses with an Invalid fault that names the field by its path ("records[3].amount"; "body" for
// the whole): another Content-Type than application/json, an encoded or empty body, unknown fields,
// duplicate keys, data after the object, invalid UTF-8, NUL characters, numbers with a fraction or an
// exponent where a whole number is meant, numbers that do not fit, wrong types, nesting beyond
// MaxDepth. Names are case-sensitive. A body over the route's limit comes back as
// *http.MaxBytesError.
//
// null means absent. A field whose zero value is also a legal value is therefore declared as a
// pointer, and a required one is checked by Checks. A field of type jsontext.Value keeps the exact
// bytes that were sent; they obey the same rules, except that any JSON number is allowed in it.
func Decode(c echo.Context, dst any) error {
	return decodeBody(c.Request(), dst, false)
}

// DecodeOptional is Decode for requests whose body may be left out: dst then stays as it is.
func DecodeOptional(c echo.Context, dst any) error {
	return decodeBody(c.Request(), dst, true)
}

func decodeBody(r *http.Request, dst any, optional bool) error {
	if e := r.Header.Get(echo.HeaderContentEncoding); e != "" && !strings.EqualFold(e, "identity") {
		return fault.InvalidField("Content-Encoding", "must not be set: compressed bodies are not accepted")
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return readError(err)
	}
	if len(body) == 0 && optional {
		return nil
	}
	if err := checkContentType(r.Header.Values(echo.HeaderContentType)); err != nil {
		return err
	}
	return DecodeBytes(body, dst)
}

// readError keeps the error that says "too large" and makes every other failure to read the body
// the sender's.
func readError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return fmt.Errorf("%w (%w)", fault.InvalidField("body", "ended before it was complete"), err)
}

func checkContentType(values []string) error {
	refusal := fault.InvalidField("Content-Type", "must be application/json in UTF-8")
	if len(values) != 1 {
		return refusal
	}
	media, params, err := mime.ParseMediaType(values[0])
	if err != nil || media != echo.MIMEApplicationJSON {
		return refusal
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return refusal
		}
	}
	return nil
}

// DecodeBytes is Decode for a document that was already read.
func DecodeBytes(body []byte, dst any) error {
	if err := checkSyntax(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, dst, json.RejectUnknownMembers(true)); err != nil {
		return explain(err)
	}
	return nil
}

// checkSyntax walks the whole document once, so that what an unmarshaller skips or keeps raw is
// checked as well.
func checkSyntax(body []byte) error {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return fault.InvalidField("body", "must be a JSON object, not empty")
	}
	// A NUL can only hide behind an escape: the decoder refuses raw control characters.
	mayHoldNUL := bytes.Contains(body, []byte(`\u0000`))
	d := jsontext.NewDecoder(bytes.NewBuffer(body))
	if kind := d.PeekKind(); kind != '{' && kind != 0 {
		return fault.InvalidField("body", "must be a JSON object, not %s", kindName(kind))
	}
	for {
		token, err := d.ReadToken()
		if err != nil {
			return explain(err)
		}
		if d.StackDepth() > MaxDepth {
			return fault.InvalidField(fieldPath(d.StackPointer()), "is nested deeper than %d levels", MaxDepth)
		}
		if mayHoldNUL && token.Kind() == '"' && strings.ContainsRune(token.String(), 0) {
			return fault.InvalidField(fieldPath(d.StackPointer()), "must not hold a NUL character")
		}
		if d.StackDepth() == 0 {
			break
		}
	}
	if rest := bytes.TrimLeft(body[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return fault.InvalidField("body", "must end after the JSON object")
	}
	return nil
}

// explain turns an error of the JSON library into a fault that names the field.
func explain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.InvalidField("body", "is not complete JSON")
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		name := fieldPath(syntax.JSONPointer)
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return fault.InvalidField(name, "is given twice")
		case !utf8.ValidString(syntax.Err.Error()), strings.Contains(syntax.Err.Error(), "invalid UTF-8"):
			return fault.InvalidField(name, "is not valid UTF-8")
		}
		return fault.InvalidField(name, "is not valid JSON at byte %d: %s", syntax.ByteOffset, syntax.Err)
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		name := fieldPath(semantic.JSONPointer)
		if errors.Is(err, json.ErrUnknownName) {
			return fault.InvalidField(name, "is not a known field")
		}
		return fault.InvalidField(name, "%s", expectation(semantic))
	}
	return fmt.Errorf("decode: %w", err)
}

// expectation says what the field should have been.
func expectation(e *json.SemanticError) string {
	t := e.GoType
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "has the wrong type"
	}
	if t == reflect.TypeFor[time.Time]() {
		return "must be a time such as 2026-11-30T18:00:00Z (RFC 3339)"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		switch {
		case e.JSONKind != '0':
			return "must be a whole number, not " + kindName(e.JSONKind)
		case bytes.ContainsAny(e.JSONValue, ".eE"):
			return "must be a whole number, written without fraction or exponent"
		}
		return fmt.Sprintf("must fit %d bits", t.Bits())
	case reflect.String:
		return "must be a string, not " + kindName(e.JSONKind)
	case reflect.Bool:
		return "must be true or false, not " + kindName(e.JSONKind)
	case reflect.Slice, reflect.Array:
		return "must be an array, not " + kindName(e.JSONKind)
	case reflect.Struct, reflect.Map:
		return "must be an object, not " + kindName(e.JSONKind)
	}
	return "has the wrong type"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "this"
}

// Bounds of a path in an answer, which repeats names that the sender chose.
const (
	maxPathName   = 64
	maxPathTokens = 8
)

// fieldPath turns a JSON pointer into the path that faults use: records[3].amount; "body" for the
// whole document. Names that are not plain are quoted, long ones cut.
func fieldPath(p jsontext.Pointer) string {
	var b strings.Builder
	n := 0
	for token := range p.Tokens() {
		if n++; n > maxPathTokens {
			b.WriteString("…")
			break
		}
		if n > 1 && isIndex(token) {
			b.WriteString("[" + token + "]")
			continue
		}
		if n > 1 {
			b.WriteByte('.')
		}
		b.WriteString(plainName(token))
	}
	if b.Len() == 0 {
		return "body"
	}
	return b.String()
}

func isIndex(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 7
}

func plainName(s string) string {
	cut := false
	if len(s) > maxPathName {
		s, cut = s[:maxPathName], true
	}
	plain := s != ""
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c == '_' || c == '-' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if !plain {
		s = strconv.QuoteToASCII(strings.ToValidUTF8(s, ""))
	}
	if cut {
		s += "…"
	}
	return s
}
