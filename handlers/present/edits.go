package present

import (
	"encoding/json"
	"strconv"

	"recoup/models/job"
	"recoup/views/jobs"
)

// deliveries are all times that a result arrived, where it was more than once.
func (p Presenter) deliveries(d JobPage) ([]jobs.Delivery, error) {
	if d.Job.Deliveries < 2 {
		return nil, nil
	}
	var out []jobs.Delivery
	for _, e := range d.Events {
		if e.Kind != job.EventSucceeded && e.Kind != job.EventRecovered {
			continue
		}
		x, err := e.Details()
		if err != nil {
			return nil, err
		}
		out = append(out, jobs.Delivery{At: p.L.Stamp(e.At, p.Now), Result: x.Result, By: p.actor(e.Actor), First: len(out) == 0})
	}
	return out, nil
}

// edits are the differences that people made to the payload. Values are dots unless they are revealed, and those under
// names that sound like secrets always.
func (p Presenter) edits(d JobPage) ([]jobs.Edit, error) {
	var out []jobs.Edit
	for i, e := range d.Edits {
		after := d.Payload
		if i+1 < len(d.Edits) {
			after = d.Edits[i+1].Payload
		}
		was, err := secrets().In(e.Payload)
		if err != nil {
			return nil, err
		}
		is, err := secrets().In(after)
		if err != nil {
			return nil, err
		}
		changes, err := job.PayloadDiff(e.Payload, after)
		if err != nil {
			return nil, err
		}
		edit := jobs.Edit{At: p.L.Stamp(e.At, p.Now), By: p.actor(e.By), Generation: strconv.Itoa(e.Generation + 1)}
		for _, c := range changes {
			hide := !d.Revealed || was[c.Pointer] || is[c.Pointer]
			edit.Changes = append(edit.Changes, jobs.PayloadChange{Path: c.Path, Before: shown(c.Before, hide), After: shown(c.After, hide), Masked: hide})
		}
		out = append(out, edit)
	}
	return out, nil
}

// shown is a value as it stands in the document, or dots; "" stays "".
func shown(raw string, hide bool) string {
	if raw != "" && hide {
		return masked
	}
	return raw
}

// EditablePayload is a payload for a person to edit: what is secret of it is masked.
func EditablePayload(payload json.RawMessage) (string, error) {
	out, err := job.Mask(payload, secrets())
	return string(out), err
}
