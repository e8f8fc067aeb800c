package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"recoup/models/fault"
	"recoup/models/operation"
)

// Masked stands in the place of a secret where a person edits a payload. A value that is still Masked when it comes
// back keeps what it was.
const Masked = "••••••••"

// maxPayload bounds an edited payload in bytes, as the API bounds the request that charges.
const maxPayload = 1 << 20

// PayloadEdit is one time that a person replaced a job's payload.
type PayloadEdit struct {
	// Generation is the one that died with Payload, which is nil where there was none.
	Generation int
	Payload    json.RawMessage
	By         string
	At         time.Time
}

// PayloadEdits returns what a job's payload was before each edit, oldest first, at most 100. What follows the last is
// the payload now.
func (s *Service) PayloadEdits(ctx context.Context, accountKey, jobKey int64) ([]PayloadEdit, error) {
	var rows []struct {
		Generation int
		Payload    *string
		ReplacedBy string
		ReplacedAt time.Time
	}
	err := s.g.WithContext(ctx).Raw(`SELECT generation, payload::text AS payload, replaced_by, replaced_at FROM job_payloads
		WHERE account_key = ? AND job_key = ? ORDER BY generation LIMIT 100`, accountKey, jobKey).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("job: payload edits: %w", err)
	}
	out := make([]PayloadEdit, len(rows))
	for i, r := range rows {
		out[i] = PayloadEdit{Generation: r.Generation, By: r.ReplacedBy, At: r.ReplacedAt}
		if r.Payload != nil {
			out[i].Payload = json.RawMessage(*r.Payload)
		}
	}
	return out, nil
}

// checkPayload finds what is wrong with an edited payload.
func checkPayload(payload json.RawMessage) []fault.Field {
	switch {
	case payload == nil:
		return nil
	case len(payload) > maxPayload:
		return []fault.Field{{Name: "payload", Message: "has more than 1048576 bytes"}}
	case string(bytes.TrimSpace(payload)) == "null":
		return []fault.Field{{Name: "payload", Message: "must not be null"}}
	case bytes.Contains(payload, []byte(`\u0000`)) || !jsontext.Value(payload).IsValid():
		return []fault.Field{{Name: "payload", Message: "is not one valid JSON document"}}
	}
	return nil
}

// replacePayload keeps the payload that a job has and returns the one that it shall have: the edited one with what was
// masked in it put back. It returns nil, and keeps nothing, where the two are equal.
func replacePayload(ctx context.Context, tx *operation.Tx, r PersonRequest, at ref) (payload json.RawMessage, paths []string, err error) {
	var row struct {
		Key        int64
		Generation int
		Payload    *string
	}
	// The lock: nobody may put it back with another payload between this and the update.
	res := at.where(tx.DB.WithContext(ctx).Table("jobs").Select("key, generation, payload::text AS payload")).Clauses(forNoKeyUpdate()).Scan(&row)
	if res.Error != nil {
		return nil, nil, fmt.Errorf("job: payload: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil, nil // the update that follows finds out and says so
	}
	var before json.RawMessage
	if row.Payload != nil {
		before = json.RawMessage(*row.Payload)
	}
	after, err := Unmask(before, r.Payload)
	if err != nil {
		return nil, nil, err
	}
	changes, err := PayloadDiff(before, after)
	if err != nil || len(changes) == 0 {
		return nil, nil, err
	}
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	err = tx.DB.WithContext(ctx).Exec(`INSERT INTO job_payloads (account_key, job_key, generation, payload, replaced_by, operation_id)
		VALUES (?, ?, ?, ?::json, ?, ?) ON CONFLICT DO NOTHING`, tx.AccountKey, row.Key, row.Generation, row.Payload, r.Actor.String(), r.OperationID).Error
	if err != nil {
		return nil, nil, fmt.Errorf("job: payload: %w", err)
	}
	return after, paths[:min(len(paths), maxPaths)], nil
}

// maxPaths is how many changed paths an event names.
const maxPaths = 50

// setPayload adds the new payload to the update of a job.
func setPayload(set map[string]any, payload json.RawMessage) {
	if payload != nil {
		set["payload"] = gorm.Expr("?::json", string(payload))
	}
}

// leaf is a value of a document that holds no others, or an empty array or object.
type leaf struct {
	path       string // for people
	pointer    string // without doubt
	names      []string
	raw        string
	start, end int
}

// leaves are the values of a document in its order, with their place in it.
func leaves(doc json.RawMessage) ([]leaf, error) {
	if len(doc) == 0 {
		return nil, nil
	}
	var out []leaf
	dec := jsontext.NewDecoder(bytes.NewReader(doc))
	opened := -1 // offset of the bracket that the previous token opened
	for {
		before := int(dec.InputOffset())
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("job: payload: %w", err)
		}
		end := int(dec.InputOffset())
		switch kind := token.Kind(); kind {
		case '{', '[':
			opened = end - 1
			continue
		case '}', ']':
			if opened >= 0 {
				out = append(out, at(dec, doc, opened, end))
			}
		default:
			if in, n := dec.StackIndex(dec.StackDepth()); in == '{' && n%2 == 1 {
				break // the name of a member
			}
			start := before + len(doc[before:end]) - len(bytes.TrimLeft(doc[before:end], " \t\r\n,:"))
			out = append(out, at(dec, doc, start, end))
		}
		opened = -1
	}
}

func at(dec *jsontext.Decoder, doc json.RawMessage, start, end int) leaf {
	l := leaf{pointer: string(dec.StackPointer()), raw: string(doc[start:end]), start: start, end: end}
	var b strings.Builder
	for token := range dec.StackPointer().Tokens() {
		l.names = append(l.names, token)
		// The pointer's first token is a place in the outermost value, which the decoder has at level 1.
		switch in, _ := dec.StackIndex(len(l.names)); {
		case in == '[':
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	l.path = b.String()
	return l
}

// Mask is a document with what is secret of it replaced by Masked, and everything else byte for byte.
func Mask(doc json.RawMessage, s Secrets) (json.RawMessage, error) {
	all, err := leaves(doc)
	if err != nil {
		return nil, err
	}
	hidden := s.of(all)
	return splice(doc, all, func(l leaf) (string, bool) { return `"` + Masked + `"`, hidden[l.pointer] }), nil
}

// Unmask is an edited document with each value that is Masked replaced by what stands at the same path before. Fault:
// invalid_request where nothing does.
func Unmask(before, edited json.RawMessage) (json.RawMessage, error) {
	all, err := leaves(edited)
	if err != nil {
		return nil, fault.InvalidField("payload", "is not one valid JSON document")
	}
	old, err := leaves(before)
	if err != nil {
		return nil, err
	}
	was := map[string]string{}
	for _, l := range old {
		was[l.pointer] = l.raw
	}
	unknown := ""
	out := splice(edited, all, func(l leaf) (string, bool) {
		if l.raw != `"`+Masked+`"` {
			return "", false
		}
		raw, there := was[l.pointer]
		if !there {
			unknown = l.path
		}
		return raw, there
	})
	if unknown != "" {
		return nil, fault.InvalidField("payload", "has a masked value where there was none before")
	}
	return out, nil
}

func splice(doc json.RawMessage, all []leaf, with func(leaf) (string, bool)) json.RawMessage {
	var out []byte
	done := 0
	for _, l := range all {
		if raw, replace := with(l); replace {
			out = append(append(out, doc[done:l.start]...), raw...)
			done = l.end
		}
	}
	return append(out, doc[done:]...)
}

// PayloadChange is one value that differs between two payloads. Before and After are as they stand in the documents,
// "" where there is none.
type PayloadChange struct {
	Path string
	// Pointer is the same place as a JSON pointer.
	Pointer       string
	Names         []string
	Before, After string
}

// PayloadDiff lists the values that differ, those of before in its order and then the new ones. Numbers differ by their digits: 1 and 1.0
// are two values.
func PayloadDiff(before, after json.RawMessage) ([]PayloadChange, error) {
	old, err := leaves(before)
	if err != nil {
		return nil, err
	}
	now, err := leaves(after)
	if err != nil {
		return nil, err
	}
	is := map[string]string{}
	for _, l := range now {
		is[l.pointer] = l.raw
	}
	was := map[string]bool{}
	var out []PayloadChange
	for _, l := range old {
		was[l.pointer] = true
		if is[l.pointer] != l.raw {
			out = append(out, PayloadChange{Path: l.path, Pointer: l.pointer, Names: l.names, Before: l.raw, After: is[l.pointer]})
		}
	}
	for _, l := range now {
		if !was[l.pointer] {
			out = append(out, PayloadChange{Path: l.path, Pointer: l.pointer, Names: l.names, After: l.raw})
		}
	}
	return out, nil
}

// forNoKeyUpdate locks a row against updates; references to it by others do not wait.
func forNoKeyUpdate() clause.Locking { return clause.Locking{Strength: "NO KEY UPDATE"} }
