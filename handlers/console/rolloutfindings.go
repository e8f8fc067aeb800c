package console

import (
	"recoup/handlers/present"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// shownFindings is how many findings stand on a rollout's page at a time.
const shownFindings = 20

// findings are a page of what the checks of a rollout have found, of the check that the URL names or of all; none where nothing was ever
// found.
func (h *Console) findings(r request, pr present.Presenter, id string) (views.Findings, error) {
	ctx := r.Request().Context()
	const place = "#findings"
	var m views.Findings
	q := newQuery(r, present.RolloutURL(id), "account", "check")
	of := rollout.CheckName(q.get("check"))
	from, dir := position[rollout.FindingPosition](r, q)
	rows, err := h.Rollouts.Findings(ctx, id, of, from, dir, shownFindings)
	if err != nil {
		return m, err
	}
	if len(rows.Rows) == 0 && of == "" && from == nil {
		return m, nil
	}
	for _, f := range rows.Rows {
		m.Rows = append(m.Rows, pr.Finding(f))
	}
	m.Tabs = []ui.Choice{{Text: r.L.T("checks.all"), URL: q.without("check") + place, Current: of == ""}}
	for _, c := range rollout.CheckNames() {
		m.Tabs = append(m.Tabs, ui.Choice{Text: r.L.T("checks." + string(c)), URL: q.with("check", string(c)) + place, Current: of == c})
	}
	m.Pager, err = pager(q, rows)
	for _, to := range []*string{&m.Pager.NewerURL, &m.Pager.OlderURL} {
		if *to != "" {
			*to += place
		}
	}
	return m, err
}
