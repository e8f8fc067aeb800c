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
	} {
		lines, err := payloadLines(json.RawMessage(doc), true)
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
	} {
		lines, err := payloadLines(json.RawMessage(doc), true)
		if err != nil {
			t.Fatal(doc, err)
		}
		for _, l := range lines {
			if l.Masked {
				t.Errorf("%s hides %s", doc, l.Path)
			}
		}
	}
}
