package views_test

import (
	"time"

	"recoup/views/ui"
)

// heldNotice has a line of each kind of hold.
func (s sample) heldNotice(title, say string) *ui.HeldNotice {
	since := s.at(90 * time.Minute).Full
	return &ui.HeldNotice{Title: title, Say: say, Lines: []ui.Held{
		{Name: ui.Link{Text: "video_upscale", URL: "/q"}, State: "held", Say: s.l.T("held.by_person", "Alexandra Papadopoulou", s.l.T("held.action", "video_upscale"), since, "The new model writes green frames.")},
		{Name: ui.Link{Text: "gpu-pool", URL: "/d"}, State: "breaker_open", Count: s.l.N("deps.jobs", 9_800),
			Say: s.l.T("held.breaker_open", "gpu-pool", since, s.at(-time.Minute).Full, s.l.N("deps.jobs", 3), "600")},
		{Name: ui.Link{Text: "storage", URL: "/d"}, State: "half_open", Say: s.l.T("held.probing", "storage", since, "600")},
		{Name: ui.Link{Text: "speech-api", URL: "/d"}, State: "releasing", Say: s.l.T("held.releasing", "speech-api", since, "600")},
	}}
}
