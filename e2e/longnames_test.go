package e2e

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A long name of a customer, or a long name of a payload's member, makes no page wider than the window.
func TestLongNamesFit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	account := strings.Repeat("customer-of-ours", 4)
	w.Account(t, account, 1000)
	w.named(account, strings.Repeat("Donaudampfschifffahrtsgesellschaft Medienproduktion ", 2)+"GmbH & Co. KG", "studio")
	payload := `{"` + strings.Repeat("member", 30) + `": 1}`
	_, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: "named", Action: modeltest.Action, Units: 1, Payload: []byte(payload)})
	if err != nil {
		t.Fatal(err)
	}
	w.failed(account, "open", 12, "gpu_lost", "GPU fell off the bus.")
	w.delivered(w.failed(account, "late", 40, "storage_timeout", "No answer."))
	gone := w.failed(account, "gone", 12, "bad_input", "The file is empty.")
	if _, err := w.Jobs.Discard(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: gone.AccountID, JobID: gone.JobID, Reason: "bad_input"}); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Admin, staff.Preferences{})
	for _, path := range []string{"/dead-letters", "/dead-letters?tab=late", "/dead-letters?tab=resolved", "/dead-letters/groups", "/accounts", "/jobs",
		"/accounts/" + url.PathEscape(account) + "/jobs/named"} {
		for _, width := range []int{1280, 390} {
			b.size(int64(width), 900)
			b.goTo(path)
			b.until("document.readyState === 'complete'")
			b.fits(path, width)
		}
	}
}

// A message without a blank makes the page of its job no wider than the window, nor does a time with its zone on a narrow phone.
func TestALongMessageFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.failed("acct_7", "wordy", 12, strings.Repeat("code", 25), strings.Repeat("x", 900))
	for _, lang := range []string{"en", "ja"} {
		b := w.as(staff.Admin, staff.Preferences{Language: lang, TimeZone: "Asia/Kathmandu"})
		for _, width := range []int{1280, 390, 320} {
			b.size(int64(width), 900)
			b.goTo("/accounts/acct_7/jobs/wordy")
			b.until("document.readyState === 'complete'")
			b.fits("the page in "+lang, width)
		}
	}
}
