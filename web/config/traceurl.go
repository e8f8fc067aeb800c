package config

import (
	"net/url"
	"strings"
)

// TraceID is what stands for the id of a trace, 32 hexadecimal digits, in RECOUP_TRACE_URL.
const TraceID = "{trace_id}"

// traceURL reads a template of http or https addresses. It becomes a link on pages of staff, so that whose host it names must
// not hang on an id, and it holds no password.
func (r *reader) traceURL(name string) string {
	text, set := r.get(name)
	if !set {
		return ""
	}
	sample := strings.Repeat("0", 32)
	u, err := url.Parse(strings.ReplaceAll(text, TraceID, sample))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || strings.Contains(u.Host, sample) {
		r.fault(name, "must be an http or https address without a user, such as https://traces.example/trace/{trace_id}")
		return ""
	}
	if !strings.Contains(text, TraceID) {
		r.fault(name, "must have {trace_id} where the id of the trace belongs")
		return ""
	}
	return text
}
