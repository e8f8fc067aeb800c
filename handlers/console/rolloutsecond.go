package console

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"recoup/handlers/present"
	"recoup/models/approval"
	"recoup/models/rollout"
	"recoup/models/staff"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// kind is the kind of the operation that a step is, which is also that of its change request.
func (m rolloutMove) kind() string { return m.name + "_rollout" }

// askSecond adds to the form of a step that a second person has to agree, and what waits already.
func (h *Console) askSecond(r request, m rolloutMove, o rollout.Rollout, pr present.Presenter, f *views.Move) error {
	if !o.NeedsSecond(m.kind()) {
		return nil
	}
	if f.Blocked == "" {
		// What cannot be made needs nobody: the form says what stands in the way alone.
		f.Second.Say = r.L.T("second.needed")
	}
	waits, own, err := h.waiting(r, m, o)
	if err != nil || waits == nil {
		return err
	}
	if own {
		if f.Blocked == "" {
			f.Second.Say = r.L.T("second.replaces", r.L.Stamp(waits.RequestedAt, r.Now).Full)
		}
		f.Second.Replaces, f.Second.Version, f.Second.Digest = waits.ID, strconv.Itoa(waits.Version), waits.DigestHex()
		return nil
	}
	f.Blocked, f.Second.Waits, f.Second.Say = r.L.T("second.waits_already", pr.ApprovalTitle(*waits)), true, ""
	return nil
}

// blocked says why a step of a rollout cannot be made by this person now, though its state allows it: a draft that cannot
// start, or a change request that waits. Empty where nothing is in the way that a page can know; the step's form says more.
func (h *Console) blocked(r request, pr present.Presenter, m rolloutMove, o rollout.Rollout) (string, error) {
	if m.name == "start" {
		if why, err := h.unstartable(r, pr, o); err != nil || why != "" {
			return why, err
		}
	}
	waits, own, err := h.waiting(r, m, o)
	if err != nil || waits == nil || own {
		return "", err
	}
	return r.L.T("second.waits_already", pr.ApprovalTitle(*waits)), nil
}

// unstartable says why a draft cannot be started now; empty where it can, and for what is no draft.
func (h *Console) unstartable(r request, pr present.Presenter, o rollout.Rollout) (string, error) {
	f, err := h.Rollouts.Startable(r.Request().Context(), o)
	if err != nil || f == nil {
		return "", err
	}
	say, _, _ := pr.Refusal(f.Detail)
	return say, nil
}

// waiting is the change request about a rollout that waits, where the step needs one, too; own is true where it is of
// this step and of this person, whose form takes its place. Nil where none does.
func (h *Console) waiting(r request, m rolloutMove, o rollout.Rollout) (waits *approval.Request, own bool, err error) {
	if !o.NeedsSecond(m.kind()) {
		return nil, false, nil
	}
	if waits, err = h.Rollouts.Waiting(r.Request().Context(), o.ID); err != nil || waits == nil {
		return nil, false, err
	}
	return waits, waits.RequestedBy == r.Who.Actor().String() && string(waits.Kind) == m.kind(), nil
}

// replaced is the proposal that the form of a step takes the place of; nil where it names none.
func (r request) replaced() *approval.Replaced {
	id := r.FormValue("replaces")
	if id == "" {
		return nil
	}
	version, err := strconv.Atoi(r.FormValue("replaces_version"))
	if err != nil {
		version = 0 // of no request: it is refused as not what was seen
	}
	digest, err := hex.DecodeString(r.FormValue("replaces_digest"))
	if err != nil {
		digest = nil
	}
	return &approval.Replaced{ID: id, Version: version, Digest: digest}
}

// terms adds to a rollout's page what it was made to keep to, and what waits.
func (h *Console) terms(r request, pr present.Presenter, o rollout.Rollout, m *views.Rollout) error {
	ctx := r.Request().Context()
	if o.State == rollout.Draft || o.State.Live() {
		// Of one that has ended nothing is asked any more.
		today, err := h.Rollouts.Today(ctx, o)
		if err != nil {
			return err
		}
		m.Terms.Second, m.Terms.Cap = pr.SecondSteps(o.Second), pr.DayCap(o, today)
	}
	var err error
	m.Follow.Action = r.link(staff.RolloutView, present.RolloutURL(o.ID)+"/follow")
	if m.Follow.Follows, err = h.Inbox.Follows(ctx, rollout.Topic(o.ID), r.Who.Actor()); err != nil {
		return err
	}
	waits, err := h.Rollouts.Waiting(ctx, o.ID)
	if err != nil || waits == nil {
		return err
	}
	m.Terms.Waiting = pr.WaitingStep(*waits)
	return nil
}

// draftTerms reads what the form of a draft says about second persons and the cap.
func (r request) draftTerms(read *numbers) (*rollout.Second, *int64) {
	// The form was parsed with the first value that was read of it.
	steps := r.Request().Form["second"]
	s := &rollout.Second{Start: slices.Contains(steps, "start"), Complete: slices.Contains(steps, "complete")}
	if strings.TrimSpace(r.FormValue("approve_above")) != "" {
		n := int(read.share("approve_above", stagePlaces, 0))
		s.Above = &n
	}
	if strings.TrimSpace(r.FormValue("cap_per_day")) == "" {
		return s, nil
	}
	most := read.whole("cap_per_day", 0)
	return s, &most
}

// termsForm are the fields of a draft about second persons and the cap: as typed, at first as the installation says.
func (h *Console) termsForm(r request, err error) views.NewTerms {
	t := views.NewTerms{Above: field(r, "approve_above", err), Cap: field(r, "cap_per_day", err)}
	s := h.Rollouts.DefaultSecond()
	if r.FormValue("operation_id") != "" {
		typed := r.Request().Form["second"]
		s.Start, s.Complete = slices.Contains(typed, "start"), slices.Contains(typed, "complete")
	} else if s.Above != nil {
		t.Above.Value = plain(int64(*s.Above), stagePlaces)
	}
	t.Second = []ui.Option{
		{Value: "start", Label: r.L.T("second.start"), Selected: s.Start},
		{Value: "complete", Label: r.L.T("second.complete"), Selected: s.Complete},
	}
	return t
}
