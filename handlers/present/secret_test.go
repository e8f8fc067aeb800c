package present

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSecretsOfAPayload: what is secret by its name, by its shape or as the other half of a pair does not show, not even to those
// who may see the payload; what is none does.
func TestSecretsOfAPayload(t *testing.T) {
	for _, doc := range []string{
		`{"private_key":"SECRET"}`, `{"privateKey":"SECRET"}`, `{"passwd":"SECRET"}`, `{"db_pwd":"SECRET"}`, `{"passphrase":"SECRET"}`, `{"access_key":"SECRET"}`,
		`{"accessKeyId":"SECRET"}`, `{"x-api-key":"SECRET"}`, `{"bearer":"SECRET"}`, `{"jwt":"SECRET"}`, `{"cookie":"SECRET"}`, `{"session_id":"SECRET"}`,
		`{"auth":{"user":"SECRET"}}`, `{"otp":"SECRET"}`, `{"PIN":"SECRET"}`, `{"dsn":"SECRET"}`, `{"connection_string":"SECRET"}`, `{"sasUrl":"SECRET"}`, `{"パスワード":"SECRET"}`,
		`{"headers":["Authorization: Bearer SECRET"]}`, `{"headers":["X-Api-Key: SECRET"]}`, `["Bearer SECRET"]`, `"Basic SECRETSECRET"`,
		`{"headers":[{"name":"Authorization","value":"SECRET"}]}`, `{"h":[{"value":{"a":["SECRET"]},"key":"api-key"}]}`, `{"headers":[["Cookie","SECRET"]]}`,
		`{"source":"https://bucket.example/a.mp4?X-Amz-Date=1&X-Amz-Signature=SECRET"}`, `{"source":"https://x.example/?sig=SECRET&se=1"}`, `{"u":"https://x.example/a?access_token=SECRET"}`,
		`{"u":"https://user:SECRET@x.example/a"}`, `{"u":"postgres://u:SECRET@db/x"}`, `{"c":"host=db user=u password=SECRET"}`, `{"t":"eyJSECRETSECRET.eyJSECRETSECRET.x"}`,
		`{"k":"-----BEGIN PRIVATE KEY-----\nSECRET"}`, `{"k":"AKIASECRETSECRETSECR"}`, `{"x":"{\"password\":\"SECRET\"}"}`,
		`{"トークン":"SECRET"}`, `{"APIキー":"SECRET"}`, `{"秘密鍵":"SECRET"}`, `{"u":"https://ghp_SECRET@github.example/x"}`, `{"sentry":"https://SECRET@o1.ingest.example/1"}`,
		`{"key":"sk_live_SECRETSECRET"}`, `{"key":"ghp_SECRETSECRET"}`, `{"key":"glpat-SECRETSECRET"}`, `{"key":"xoxb-SECRET-SECRET"}`, `{"key":"AIzaSECRETSECRETSE"}`,
		`{"hook":"https://hooks.slack.com/services/SECRET"}`, `{"run":"curl -u admin:SECRET https://x.example"}`,
	} {
		lines, _, err := payloadLines(json.RawMessage(doc), true)
		if err != nil {
			t.Fatal(doc, err)
		}
		for _, l := range lines {
			if strings.Contains(l.Value, "SECRET") {
				t.Errorf("%s shows %s=%s", doc, l.Path, l.Value)
			}
		}
		edited, err := EditablePayload(json.RawMessage(doc))
		if err != nil || strings.Contains(edited, "SECRET") {
			t.Errorf("%s is edited as %s, %v", doc, edited, err)
		}
	}
	for _, doc := range []string{
		`{"source":"https://x.example:8080/a.mp4?width=640&codec=h264"}`, `{"name":"spinning wheel","value":"SHOWN"}`, `{"author":"SHOWN","compass":"SHOWN","opinion":"SHOWN","design":"SHOWN"}`,
		`{"text":"Meeting at 10:30: bring the basic slides"}`, `{"mail":"mailto:a@x.example"}`, `{"time":"2026-11-30T10:00:00Z"}`, `{"key":"SHOWN","value":"SHOWN"}`, `["title","SHOWN"]`,
		`{"max_tokens":100,"pass":2,"auth":true,"tokens":{"input":9007199254740993}}`,
	} {
		lines, _, err := payloadLines(json.RawMessage(doc), true)
		if err != nil {
			t.Fatal(doc, err)
		}
		for _, l := range lines {
			if l.Masked {
				t.Errorf("%s hides %s", doc, l.Path)
			}
		}
	}
	for _, doc := range []string{`{"pin":1234}`, `{"otp":123456}`, `{"access_token":123456}`} {
		if lines, _, err := payloadLines(json.RawMessage(doc), true); err != nil || !lines[0].Masked {
			t.Errorf("%s: %+v, %v", doc, lines, err)
		}
	}
}

// A payload of many values is shown by its first ones, and says how many more there are.
func TestAPayloadOfManyValues(t *testing.T) {
	doc := "[" + strings.Repeat("1,", 2000) + "2]"
	lines, more, err := payloadLines(json.RawMessage(doc), true)
	if err != nil || len(lines) != 500 || more != 1501 || lines[499].Path != "[499]" {
		t.Errorf("%d lines, %d more, %v", len(lines), more, err)
	}
}
