package config

import (
	"strings"
	"testing"
)

// A trace viewer's address is a link on pages of staff: only http and https, only one host, no password, and a place for the id.
func TestTraceURL(t *testing.T) {
	for _, good := range []string{
		"https://traces.example/trace/{trace_id}", "http://localhost:16686/trace/{trace_id}?ui=1",
		"https://grafana.example/explore?left=%7B%22query%22:%22{trace_id}%22%7D", "https://x.example/#/{trace_id}",
	} {
		if c, err := Load(env("RECOUP_TRACE_URL", good)); err != nil || c.TraceURL != good {
			t.Errorf("%s: %q, %v", good, c.TraceURL, err)
		}
	}
	for _, bad := range []string{
		"https://traces.example/trace/", "javascript:alert('{trace_id}')", "ftp://traces.example/{trace_id}", "//traces.example/{trace_id}",
		"https://{trace_id}.example/", "https://traces.example:{trace_id}/", "https://u:p@traces.example/{trace_id}", "traces.example/{trace_id}", "https:///{trace_id}",
	} {
		if _, err := Load(env("RECOUP_TRACE_URL", bad)); err == nil || !strings.Contains(err.Error(), "RECOUP_TRACE_URL") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if c, err := Load(env()); err != nil || c.TraceURL != "" {
		t.Errorf("unset: %q, %v", c.TraceURL, err)
	}
}
