package operation

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/models/fault"
)

// inputVersion names the canonical form below. A new form gets a new number; stored operations keep
// the one they were written with.
const inputVersion = 1

// Input is what an operation was asked to do, field by field. Absent fields and nil values are the
// same; defaults are not filled in; attempt, trace and time are not input.
//
// Values may be string, int64, bool, []string, map[string]string or json.RawMessage.
type Input map[string]any

// errNotJSON refuses a document that has no one meaning: broken, not UTF-8, or with a name twice.
var errNotJSON = errors.New("is not one valid JSON document")

// digests maps each present field to a digest of its canonical form. Fault: invalid_request for a
// document that has none.
func (in Input) digests(kind string) (map[string]string, error) {
	out := make(map[string]string, len(in)+1)
	out["kind"] = digest('s', []byte(kind))
	for name, value := range in {
		tag, form, present, err := canonical(value)
		if errors.Is(err, errNotJSON) {
			return nil, fault.InvalidField(name, "%s", err)
		}
		if err != nil {
			return nil, fmt.Errorf("operation: field %s: %w", name, err)
		}
		if present {
			out[name] = digest(tag, form)
		}
	}
	return out, nil
}

func digest(tag byte, value []byte) string {
	h := sha256.New()
	h.Write([]byte{tag})
	h.Write(value)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func canonical(value any) (tag byte, form []byte, present bool, err error) {
	switch v := value.(type) {
	case nil:
		return 0, nil, false, nil
	case string:
		return 's', []byte(v), true, nil
	case *string:
		if v == nil {
			return 0, nil, false, nil
		}
		return 's', []byte(*v), true, nil
	case int64:
		return 'i', binary.BigEndian.AppendUint64(nil, uint64(v)), true, nil
	case *int64:
		if v == nil {
			return 0, nil, false, nil
		}
		return 'i', binary.BigEndian.AppendUint64(nil, uint64(*v)), true, nil
	case bool:
		if v {
			return 'b', []byte{1}, true, nil
		}
		return 'b', []byte{0}, true, nil
	case []string:
		if v == nil {
			return 0, nil, false, nil
		}
		for _, s := range v {
			form = binary.BigEndian.AppendUint32(form, uint32(len(s)))
			form = append(form, s...)
		}
		return 'l', form, true, nil
	case map[string]string:
		if v == nil {
			return 0, nil, false, nil
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			for _, s := range []string{k, v[k]} {
				form = binary.BigEndian.AppendUint32(form, uint32(len(s)))
				form = append(form, s...)
			}
		}
		return 'm', form, true, nil
	case json.RawMessage:
		doc := jsontext.Value(bytes.Clone(bytes.TrimSpace(v)))
		if len(doc) == 0 || string(doc) == "null" {
			return 0, nil, false, nil
		}
		// Members in one order, no blanks, numbers and their digits as they were sent: a float in
		// between would make 9007199254740993 and …992 the same input.
		err := doc.Format(jsontext.ReorderRawObjects(true), jsontext.Multiline(false),
			jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
		if err != nil {
			return 0, nil, false, errNotJSON
		}
		return 'j', doc, true, nil
	}
	return 0, nil, false, fmt.Errorf("values of type %T have no canonical form", value)
}

// differing returns the names of the fields whose digests differ, sorted.
func differing(a, b map[string]string) []string {
	var names []string
	for name, d := range a {
		if b[name] != d {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
