package console

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/pricing"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// formStages is how many stages the form of a draft has room for.
const formStages = 6

// draft reads what the form of a rollout says. The fault names each field that is not understood; a stage of which
// nothing is filled in is left out.
func (r request) draft() (rollout.NewRollout, error) {
	n := rollout.NewRollout{Envelope: r.by(), ID: r.FormValue("id"), Title: r.FormValue("title"), Candidate: r.FormValue("candidate"), Reason: r.FormValue("reason")}
	n.Action, _, _ = strings.Cut(n.Candidate, "@")
	read := &numbers{r: r}
	for i := 1; i <= formStages; i++ {
		s, filled := r.stage(strconv.Itoa(i), read)
		if filled {
			n.Stages = append(n.Stages, s)
		}
	}
	charges, costs := read.whole("min_charges", rollout.DefaultMinCharges), read.share("min_costs", sharePlaces, rollout.DefaultMinCostsBps)
	n.MinCharges, n.MinCostsBps = &charges, &costs
	n.Second, n.CapPerDay = r.draftTerms(read)
	return n, read.err()
}

// stage reads one stage of the form; filled is false where nothing was typed.
func (r request) stage(n string, read *numbers) (s pricing.Stage, filled bool) {
	for _, name := range []string{"threshold_", "dwell_", "accounts_", "plans_", "regions_", "attributes_"} {
		filled = filled || strings.TrimSpace(r.FormValue(name+n)) != ""
	}
	if !filled {
		return s, false
	}
	s.Threshold, s.MinDwellS = int(read.share("threshold_"+n, stagePlaces, 0)), inSeconds(read.whole("dwell_"+n, 0))
	s.Segment = pricing.Segment{Accounts: items(r.FormValue("accounts_" + n)), Plans: items(r.FormValue("plans_" + n)), Regions: items(r.FormValue("regions_" + n))}
	for _, pair := range items(r.FormValue("attributes_" + n)) {
		name, value, named := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if !named || name == "" {
			read.refuse("attributes_"+n, errors.New("must be pairs such as beta=yes"))
			break
		}
		if _, twice := s.Segment.Attributes[name]; twice {
			read.refuse("attributes_"+n, errors.New("must name each attribute once: an account has one value of it"))
			break
		}
		if s.Segment.Attributes == nil {
			s.Segment.Attributes = map[string]string{}
		}
		s.Segment.Attributes[name] = strings.TrimSpace(value)
	}
	return s, true
}

// inSeconds is so many hours in seconds; what no number holds stays longer, or shorter, than anything that is allowed.
func inSeconds(hours int64) int64 {
	const most = math.MaxInt64 / 3600
	return min(max(hours, -most), most) * 3600
}

// items are the parts of a list that was typed with commas.
func items(typed string) (out []string) {
	for _, part := range strings.Split(typed, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// shownMissing is how many of the accounts that a stage names and that there are not are shown.
const shownMissing = 5

// missingAccounts are those that the stage of that number names though there are none, as its field tells; "" for none.
func missingAccounts(r request, err error, stage int) string {
	f := fault.As(err)
	if f == nil {
		return ""
	}
	named, _ := f.Detail[rollout.DetailMissing].(map[string][]string)
	return noSuchAccounts(r, named[strconv.Itoa(stage)])
}

// noSuchAccounts says that there are no accounts of these ids; "" for none.
func noSuchAccounts(r request, missing []string) string {
	if len(missing) == 0 {
		return ""
	}
	return r.L.T("rollout.missing_accounts", strings.Join(missing[:min(len(missing), shownMissing)], ", "))
}

// candidatePrice is what a candidate costs beside the price in force, and that it falls below known cost where it does;
// nothing for a rule version that there is not.
func (h *Console) candidatePrice(r request, id string) (views.CandidatePrice, error) {
	ctx := r.Request().Context()
	v, err := h.Pricing.Version(ctx, id)
	if fault.Is(err, fault.CodeRuleNotFound) {
		return views.CandidatePrice{}, nil
	}
	if err != nil {
		return views.CandidatePrice{}, err
	}
	a, err := h.Pricing.Action(ctx, v.Action)
	if err != nil {
		return views.CandidatePrice{}, err
	}
	var was *pricing.Rule
	if a.Priced() {
		was = &a.Rule
	}
	pr := present.Presenter{L: r.L, Now: r.Now}
	m := views.CandidatePrice{Example: pr.Example(v.Rule, was, a.Unit), Price: pr.Price(v.Rule, a.Unit)}
	m.Loss, err = h.loss(r, v.Rule)
	return m, err
}

func (h *Console) candidatePart(c echo.Context) error {
	r := h.of(c)
	m, err := h.candidatePrice(r, readable(r.QueryParam("candidate")))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.CandidatePart(m))
}

// newRolloutForm is the form of a draft with what was typed and what is wrong with it.
func (h *Console) newRolloutForm(r request, form ui.Act, err error) (views.New, error) {
	m := views.New{Act: form, ID: field(r, "id", err), Title: field(r, "title", err), MinCharges: field(r, "min_charges", err),
		MinCosts: field(r, "min_costs", err), Reason: field(r, "reason", err)}
	if m.MinCharges.Value == "" {
		m.MinCharges.Value = strconv.Itoa(rollout.DefaultMinCharges)
	}
	if m.MinCosts.Value == "" {
		m.MinCosts.Value = plain(rollout.DefaultMinCostsBps, sharePlaces)
	}
	m.Terms = h.termsForm(r, err)
	var listErr error
	if m.Candidates, listErr = h.candidates(r.Request().Context(), r.FormValue("candidate")); listErr != nil {
		return m, listErr
	}
	chosen := r.FormValue("candidate")
	if chosen == "" && len(m.Candidates) > 0 {
		chosen = m.Candidates[0].Value // what the form would send if nobody chose another
	}
	if m.Price, listErr = h.candidatePrice(r, readable(chosen)); listErr != nil {
		return m, listErr
	}
	m.CandidateError, m.StagesError = field(r, "candidate", err).Error, field(r, "stages", err).Error
	if m.CandidateError == "" {
		m.CandidateError = field(r, "action", err).Error
	}
	at := 0 // the number that the stage has among those that are filled in, under which faults name it
	for i := 1; i <= formStages; i++ {
		n := strconv.Itoa(i)
		_, filled := r.stage(n, &numbers{r: r})
		if filled {
			at++
		}
		typed := func(name, of string) ui.Field {
			f := field(r, name+n, err)
			if other := field(r, fmt.Sprintf("stages[%d].%s", at, of), err); f.Error == "" && at > 0 && f.Value != "" {
				f.Error = other.Error
			}
			return f
		}
		named := typed("accounts_", "segment")
		if missing := missingAccounts(r, err, at); filled && missing != "" {
			named.Error = missing
		}
		m.Stages = append(m.Stages, views.NewStage{Number: n, Threshold: typed("threshold_", "threshold"), DwellH: typed("dwell_", "min_dwell_s"),
			Accounts: named, Plans: typed("plans_", "segment"), Regions: typed("regions_", "segment"), Attributes: typed("attributes_", "segment")})
	}
	return m, nil
}
