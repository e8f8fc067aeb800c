package console_test

import (
	"testing"

	"recoup/models/staff"
)

// TestBulkUndo takes a bulk assign back from its page, once.
func TestBulkUndo(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no room")
	w.dead("acct_7", "j2", 40, "no room")
	b := w.as(staff.Support)
	page := b.page("/dead-letters")
	form := formOf(t, page, worksAt)
	form.Set("kind", "assign")
	for _, m := range box.FindAllStringSubmatch(page, -1) {
		form.Add("row", m[1])
	}
	id := b.prepared(w, form)
	at := worksAt + "/" + id
	w.saysNot(b.page(at), "Undone by")
	w.says(b.sent(at+"/start", b.form(at+"/start", "assignee", w.text(`SELECT id FROM staff WHERE name = 'Pat support'`), "count", "2")), "The bulk work was started.", "Undo")
	w.turns(id)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE assignee <> ''`); n != 2 {
		t.Fatalf("%d of 2 are assigned", n)
	}
	stale, undo := formOf(t, b.page(at), at+"/undo"), formOf(t, b.page(at), at+"/undo")
	w.says(b.sent(at+"/undo", undo), "The bulk work is being undone, row by row.", "Undo for 2 dead letters", "Takes back "+id)
	w.says(b.sent(at+"/undo", undo), "Already done.")
	var by string
	if err := w.G.Raw(`SELECT id FROM bulk_works WHERE undoes = ?`, id).Scan(&by).Error; err != nil {
		t.Fatal(err)
	}
	w.turns(by)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE assignee <> ''`); n != 0 {
		t.Errorf("%d are still assigned", n)
	}
	w.says(b.page(at), "Undone by "+by)
	// Whoever comes too late is told of who undid it, not of who brought the work to its end.
	if err := w.G.Exec(`UPDATE bulk_works SET changed_by = 'system' WHERE id = ?`, id).Error; err != nil {
		t.Fatal(err)
	}
	told := b.sent(at+"/undo", stale)
	w.says(told, "Somebody has undone it meanwhile. By Pat support,", "Undone by "+by)
	w.saysNot(told, "By System,")
}
