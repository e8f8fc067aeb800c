package console

import (
	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	views "recoup/views/jobs"
)

func (h *Console) revealForm(c echo.Context) error {
	return h.jobForm(c, func(r request, j job.Listed, a ledger.Account) templ.Component {
		return views.RevealPage(h.frame(r), views.Reveal{Act: act(r, jobURL(a.ID, j.ID)), JobID: j.ID, JobURL: jobURL(a.ID, j.ID)})
	})
}

// reveal answers with the job's page and the values of its payload, which no cache keeps and no address leads to.
func (h *Console) reveal(c echo.Context) error {
	r := h.of(c)
	ctx := c.Request().Context()
	j, a, err := h.find(r)
	if err != nil {
		return err
	}
	payload, err := h.Jobs.Reveal(ctx, job.PersonRequest{Envelope: r.by(), AccountID: a.ID, JobID: j.ID, Reason: r.FormValue("reason")})
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return render(r, status(f), views.RevealPage(h.frame(r), views.Reveal{Act: again(r, jobURL(a.ID, j.ID), err), JobID: j.ID,
			JobURL: jobURL(a.ID, j.ID), Reason: field(r, "reason", err)}))
	}
	if err != nil {
		return err
	}
	d, err := h.jobPage(ctx, j, a)
	if err != nil {
		return err
	}
	d.Payload, d.Revealed = payload, true
	return h.showJob(r, d)
}
