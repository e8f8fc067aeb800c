package present

import (
	"encoding/json"
	"net/url"
	"strconv"

	"recoup/models/bulkgrant"
	views "recoup/views/inbox"
)

// BulkProblem words the code of a problem of a file of grants; value is what the code has with it.
func (p Presenter) BulkProblem(code, value string) string {
	if p.L.Maybe("bulkline."+code, "") == "" {
		return p.L.Maybe("fault."+code, code)
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && (code == "balance_too_large" || code == "double_reference") {
		value = p.L.Credits(n)
	}
	return p.L.T("bulkline."+code, value)
}

// toldOfFile words the message that a file of grants could not be granted.
func (p Presenter) toldOfFile(v *views.Message, detail string) {
	var d bulkgrant.Told
	if json.Unmarshal([]byte(detail), &d) != nil {
		return
	}
	v.Title, v.URL = p.L.T("inbox.bulk_grant_failed", d.File), BulkGrantURL(d.BulkGrant)
	if v.Why = p.L.Maybe("fault."+d.Code, d.Code); d.Line > 0 {
		v.Why = p.L.T("bulk.failed_line", p.L.Credits(d.Line), p.BulkProblem(d.Problem, d.Value))
	}
}

// BulkGrantURL is the page of a file of grants.
func BulkGrantURL(id string) string { return "/grants/import/" + url.PathEscape(id) }
