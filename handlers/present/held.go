package present

import (
	"net/url"

	"recoup/models/bulk"
	"recoup/models/dependency"
	"recoup/models/job"
	"recoup/views/bulkworks"
	"recoup/views/ui"
)

// DependencyURL is the page of a dependency.
func DependencyURL(name string) string { return "/dependencies/" + url.PathEscape(name) }

// heldURL leads to what is held.
func heldURL(s dependency.Standing) string {
	if s.Kind == dependency.OfAction {
		return "/queue?action=" + url.QueryEscape(s.Name)
	}
	return DependencyURL(s.Name)
}

// HeldSay says what keeps work from workers, since when, and what happens next.
func (p Presenter) HeldSay(s dependency.Standing) string {
	name := s.Name
	if s.Kind == dependency.OfAction {
		name = p.L.T("held.action", s.Name)
	}
	since := p.L.Stamp(s.Since, p.Now).Full
	switch s.Health() {
	case dependency.Held:
		if s.HeldAt != nil {
			since = p.L.Stamp(*s.HeldAt, p.Now).Full
		}
		return p.L.T("held.by_person", p.actor(s.HeldBy), name, since, s.Reason)
	case dependency.Opened:
		return p.L.T("held.breaker_open", name, p.Stamp(s.ChangedAt).Full, p.Stamp(s.Tries()).Full, p.L.N("deps.jobs", s.Probes), p.L.Credits(s.ReleasePerMinute))
	case dependency.Probing:
		return p.L.T("held.probing", name, p.Stamp(s.ChangedAt).Full, p.L.Credits(s.ReleasePerMinute))
	case dependency.Releasing, dependency.Healthy:
	}
	return p.L.T("held.releasing", name, since, p.L.Credits(s.PerMinute))
}

// HeldLines are holds with what they say, the first with most to say.
func (p Presenter) HeldLines(all []dependency.Standing) []ui.Held {
	out := make([]ui.Held, 0, len(all))
	for _, s := range all {
		out = append(out, ui.Held{Name: ui.Link{Text: s.Name, URL: heldURL(s)}, State: dependencyState(s.Health()), Say: p.HeldSay(s)})
	}
	return out
}

// RequeueHeld says what would keep a dead letter from workers if it were put back; nil where nothing does.
func (p Presenter) RequeueHeld(all []dependency.Standing) *ui.HeldNotice {
	if len(all) == 0 {
		return nil
	}
	return &ui.HeldNotice{Title: p.L.T("requeue.held"), Lines: p.HeldLines(all)}
}

// JobHeld says what keeps a job from workers, or will when its next try is due; nil where nothing does.
func (p Presenter) JobHeld(j job.Job, all []dependency.Standing) *ui.HeldNotice {
	if len(all) == 0 {
		return nil
	}
	n := &ui.HeldNotice{Title: p.L.T("held.turn"), Lines: p.HeldLines(all)}
	for _, s := range all {
		if h := s.Health(); h == dependency.Held || h == dependency.Opened || h == dependency.Probing {
			n.Title = p.L.T("held.now")
			if j.State == job.Retrying {
				n.Title = p.L.T("held.next")
			}
		}
	}
	until := p.L.Stamp(j.ExpiresAt, p.Now).Full
	n.Say = p.L.T("held.expires", until)
	if j.IsRefunded {
		n.Say = p.L.T("held.expires_refunded", until)
	}
	return n
}

// BulkNeeds lists what the rows of a work depend on, for the form that starts it.
func (p Presenter) BulkNeeds(n bulk.Needs) []bulkworks.Left {
	var out []bulkworks.Left
	for _, d := range n.Dependencies {
		if d.Name == "" {
			d.Name = p.L.T("works.no_dependency")
		}
		out = append(out, bulkworks.Left{Label: d.Name, Count: p.L.Credits(d.Count)})
	}
	return out
}

// BulkHeld warns of what would keep the rows of a work from workers; nil where nothing does.
func (p Presenter) BulkHeld(n bulk.Needs, all []dependency.Standing) *ui.HeldNotice {
	if len(all) == 0 {
		return nil
	}
	return p.heldNeeds(n, all, ui.HeldNotice{Title: p.L.N("works.held", n.Held), Say: p.L.T("works.held_say")})
}

// BulkBehind tells what keeps from workers what a work has put back; nil where nothing does.
func (p Presenter) BulkBehind(n bulk.Needs, all []dependency.Standing) *ui.HeldNotice {
	if len(all) == 0 {
		return nil
	}
	return p.heldNeeds(n, all, ui.HeldNotice{Title: p.L.N("works.behind", n.Held), Say: p.L.T("works.behind_say")})
}

// heldNeeds are the holds with how many jobs each concerns.
func (p Presenter) heldNeeds(n bulk.Needs, all []dependency.Standing, m ui.HeldNotice) *ui.HeldNotice {
	m.Lines = p.HeldLines(all)
	for i, s := range all {
		of := n.Dependencies
		if s.Kind == dependency.OfAction {
			of = n.Actions
		}
		for _, x := range of {
			if x.Name == s.Name {
				m.Lines[i].Count = p.L.N("deps.jobs", x.Count)
			}
		}
	}
	return &m
}

// HeldActionLines say of a held action who holds it since when and why, and how many of its jobs wait.
func (p Presenter) HeldActionLines(h dependency.ActionHold) []ui.Change {
	var out []ui.Change
	if h.HeldBy != "" && h.HeldAt != nil {
		out = append(out, ui.Change{Label: p.L.T("holds.held_by"), After: p.actor(h.HeldBy) + ", " + p.L.Stamp(*h.HeldAt, p.Now).Full},
			ui.Change{Label: p.L.T("holds.held_why"), After: h.Reason})
	}
	return append(out, ui.Change{Label: p.L.T("holds.waiting"), After: p.JobsWaiting(h.Waiting)})
}
