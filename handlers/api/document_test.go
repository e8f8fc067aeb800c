package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recoup/handlers/api"
)

// document is the OpenAPI document as a caller reads it.
type document struct {
	root map[string]any
	ops  []documented
}

// documented is one operation of the document.
type documented struct {
	method, template, id string
	path                 *regexp.Regexp
	node                 map[string]any
}

func readDocument(t testing.TB, a *api.API) document {
	t.Helper()
	body, err := a.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(body, &d.root); err != nil {
		t.Fatal(err)
	}
	for template, item := range d.root["paths"].(map[string]any) {
		for method, node := range item.(map[string]any) {
			n := node.(map[string]any)
			pattern := regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(template, `[^/]*`)
			d.ops = append(d.ops, documented{method: strings.ToUpper(method), template: template, id: n["operationId"].(string),
				path: regexp.MustCompile("^" + strings.ReplaceAll(pattern, ".", `\.`) + "$"), node: n})
		}
	}
	slices.SortFunc(d.ops, func(a, b documented) int { return strings.Compare(a.id, b.id) })
	return d
}

// find returns the operation of a request.
func (d document) find(method, path string) (documented, bool) {
	path, _, _ = strings.Cut(path, "?")
	var found documented
	for _, op := range d.ops {
		if op.method == method && op.path.MatchString(path) && len(op.template) > len(found.template) {
			found = op
		}
	}
	return found, found.id != ""
}

// check fails the test when an answer is not as the document says.
func (d document) check(t testing.TB, r request, res response) {
	t.Helper()
	op, ok := d.find(r.method, r.path)
	if !ok {
		t.Fatalf("%s %s is not in the document", r.method, r.path)
	}
	where := fmt.Sprintf("%s answered %d", op.id, res.status)
	declared, ok := op.node["responses"].(map[string]any)[strconv.Itoa(res.status)].(map[string]any)
	if !ok {
		t.Errorf("%s, which the document does not have: %s", where, res.body)
		return
	}
	for media, content := range declared["content"].(map[string]any) {
		if got := res.header.Get("Content-Type"); got != media {
			t.Errorf("%s with %s, documented is %s", where, got, media)
		}
		dec := json.NewDecoder(bytes.NewReader(res.body))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Errorf("%s: %v in %s", where, err, res.body)
			return
		}
		for _, fault := range d.faults(content.(map[string]any)["schema"].(map[string]any), v, "$") {
			t.Errorf("%s, not as documented: %s in %s", where, fault, res.body)
		}
	}
	if res.status >= 400 {
		var p struct{ Code string }
		if err := json.Unmarshal(res.body, &p); err == nil && p.Code != "" && !strings.Contains(declared["description"].(string), p.Code) {
			t.Errorf("%s with code %s; documented: %s", where, p.Code, declared["description"])
		}
	}
}

// faults checks a value against a schema, and more strictly than JSON Schema does: a member that an
// object's schema does not have is a fault, problems apart.
func (d document) faults(schema map[string]any, v any, at string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		target, ok := d.root["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
		if !ok {
			return []string{at + ": there is no schema " + name}
		}
		out := d.faults(target, v, at)
		if name == "Problem" {
			out = slices.DeleteFunc(out, func(s string) bool { return strings.HasSuffix(s, "is not documented") })
		}
		return out
	}
	if choices, ok := schema["anyOf"].([]any); ok {
		var all []string
		for _, one := range choices {
			faults := d.faults(one.(map[string]any), v, at)
			if len(faults) == 0 {
				return nil
			}
			all = append(all, faults...)
		}
		return all
	}
	var out []string
	if types := texts(schema["type"]); types != nil && !slices.ContainsFunc(types, func(name string) bool { return isType(name, v) }) {
		return []string{fmt.Sprintf("%s is %T, not %v", at, v, types)}
	}
	if values, ok := schema["enum"].([]any); ok && !slices.Contains(values, v) {
		out = append(out, fmt.Sprintf("%s is %v, not one of %v", at, v, values))
	}
	switch v := v.(type) {
	case string:
		if schema["format"] == "date-time" {
			if at1, err := time.Parse(time.RFC3339Nano, v); err != nil || at1.Location() != time.UTC {
				out = append(out, fmt.Sprintf("%s is no time in UTC: %s", at, v))
			}
		}
	case []any:
		if items, ok := schema["items"].(map[string]any); ok {
			for i, item := range v {
				out = append(out, d.faults(items, item, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	case map[string]any:
		properties, known := schema["properties"].(map[string]any)
		for _, name := range texts(schema["required"]) {
			if _, ok := v[name]; !ok {
				out = append(out, at+"."+name+" is missing")
			}
		}
		for name, member := range v {
			if p, ok := properties[name].(map[string]any); ok {
				out = append(out, d.faults(p, member, at+"."+name)...)
			} else if more, ok := schema["additionalProperties"].(map[string]any); ok {
				out = append(out, d.faults(more, member, at+"."+name)...)
			} else if known {
				out = append(out, at+"."+name+" is not documented")
			}
		}
	}
	return out
}

func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		return name == "number" || name == "integer" && !strings.ContainsAny(v.String(), ".eE")
	}
	return false
}

func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, s := range v {
			out = append(out, s.(string))
		}
		return out
	}
	return nil
}

// parameters lists the parameters of one place, e.g. "query".
func (o documented) parameters(in string) []string {
	var out []string
	list, _ := o.node["parameters"].([]any)
	for _, p := range list {
		if m := p.(map[string]any); m["in"] == in {
			out = append(out, m["name"].(string))
		}
	}
	return out
}

// bodySchema returns the schema of the request's body, nil when there is none.
func (d document) bodySchema(o documented) map[string]any {
	body, ok := o.node["requestBody"].(map[string]any)
	if !ok {
		return nil
	}
	schema := body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
	name := strings.TrimPrefix(schema["$ref"].(string), "#/components/schemas/")
	return d.root["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
}
