package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/models/approval"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/pricing"
)

// schemas turns Go types into JSON Schema (2020-12, as OpenAPI 3.1 has it) and collects the named
// ones. Types of requests say with a tag which members are required; members of answers are there
// unless they have omitempty or omitzero. The tags doc and enum are passed on.
type schemas struct {
	named map[string]any
	// request is true while the schema of a request body is made.
	request bool
}

// enums are the values of named string types.
func enums(t reflect.Type) []string {
	var out []string
	switch t {
	case reflect.TypeFor[job.State]():
		for _, s := range job.States() {
			out = append(out, string(s))
		}
	case reflect.TypeFor[discardReason]():
		out = job.DiscardReasons()
	case reflect.TypeFor[job.Mode]():
		out = []string{string(job.Managed), string(job.External)}
	case reflect.TypeFor[approval.State]():
		for _, s := range approval.States() {
			out = append(out, string(s))
		}
	case reflect.TypeFor[pricing.Reason]():
		for _, r := range pricing.Reasons() {
			out = append(out, string(r))
		}
	case reflect.TypeFor[ledger.Type]():
		for _, s := range ledger.Types() {
			out = append(out, string(s))
		}
	}
	return out
}

// schemaName is how the document names a struct.
func schemaName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[job.View]():
		return "Job"
	case reflect.TypeFor[job.Beat]():
		return "Heartbeat"
	case reflect.TypeFor[ledger.Posted]():
		return "PostedEntry"
	case reflect.TypeFor[approval.View]():
		return "ChangeRequest"
	case reflect.TypeFor[approval.Required]():
		return "ApprovalRequired"
	}
	name := strings.TrimSuffix(t.Name(), "View")
	return strings.ToUpper(name[:1]) + name[1:]
}

func (s *schemas) of(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case reflect.TypeFor[jsontext.Value](), reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		out := map[string]any{"type": "string"}
		if values := enums(t); values != nil {
			out["enum"] = values
		}
		return out
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer", "format": "int64"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		name := schemaName(t)
		if _, known := s.named[name]; !known {
			s.named[name] = nil // ends recursion
			s.named[name] = s.object(t)
		}
		return map[string]any{"$ref": "#/components/schemas/" + name}
	}
	panic("api: no schema for " + t.String())
}

func (s *schemas) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	s.members(t, properties, &required)
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	if s.request {
		// Unknown fields are refused. Answers may get more members with time.
		out["additionalProperties"] = false
	}
	return out
}

func (s *schemas) members(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			s.members(f.Type, properties, required)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		optional := options == "omitempty" || options == "omitzero"
		schema := s.of(f.Type)
		if values := f.Tag.Get("enum"); values != "" {
			schema["enum"] = strings.Split(values, ",")
		}
		if text := f.Tag.Get("doc"); text != "" {
			schema["description"] = text
		}
		switch {
		case s.request && f.Tag.Get("required") != "true":
			schema = nullable(schema)
		case !s.request && f.Type.Kind() == reflect.Pointer && !optional:
			schema = nullable(schema)
		}
		properties[name] = schema
		if s.request && f.Tag.Get("required") == "true" || !s.request && !optional {
			*required = append(*required, name)
		}
	}
}

// nullable lets a schema be null as well.
func nullable(schema map[string]any) map[string]any {
	switch kind := schema["type"].(type) {
	case string:
		schema["type"] = []string{kind, "null"}
		if values, ok := schema["enum"].([]string); ok {
			withNull := make([]any, 0, len(values)+1)
			for _, v := range values {
				withNull = append(withNull, v)
			}
			schema["enum"] = append(withNull, nil)
		}
	default:
		if schema["$ref"] != nil {
			return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
		}
	}
	return schema
}
