package console

import (
	"context"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/staff"
	views "recoup/views/accounts"
	"recoup/views/layout"
)

// shortNotes is how many notes an account's page shows.
const shortNotes = 5

func notesURL(account string) string { return accountURL(account) + "/notes" }

// notes lists everything that was ever noted on an account.
func (h *Console) notes(c echo.Context) error {
	r := h.of(c)
	id, err := param(c, "account")
	if err != nil {
		return err
	}
	a, err := h.Ledger.Account(c.Request().Context(), id)
	if err != nil {
		return err
	}
	q := newQuery(r, notesURL(a.ID))
	m := views.Notes{Account: h.subjectOf(r, a), Zone: r.L.ZoneLabel(r.Now), List: list(nil, q.path), AddURL: r.link(staff.AccountNote, q.path+"/new")}
	page := func(f layout.Frame) component { return views.NotesPage(f, m) }
	part := func() component { return views.NotesList(r.L, m) }
	from, dir := position[ledger.NotePosition](r, q)
	rows, err := h.Ledger.Notes(c.Request().Context(), a.Key, from, dir, pageSize)
	if err != nil {
		return h.unreadable(r, err, &m.List, q.url(), page, part)
	}
	if m.List.Pager, err = pager(q, rows); err != nil {
		return err
	}
	pr, err := h.presenter(r)
	if err != nil {
		return err
	}
	m.Rows = noteRows(r, pr, a.ID, rows.Rows)
	return fragment(r, h, http.StatusOK, page, part)
}

func noteRows(r request, pr present.Presenter, account string, notes []ledger.Note) []views.Note {
	var rows []views.Note
	for _, n := range notes {
		row := pr.Note(n)
		if n.StruckAt == nil {
			row.StrikeURL = r.link(staff.AccountNote, notesURL(account)+"/"+strconv.FormatInt(n.Key, 10)+"/strike")
		}
		rows = append(rows, row)
	}
	return rows
}

// statementNotes fills in the newest notes of an account's page.
func (h *Console) statementNotes(ctx context.Context, r request, pr present.Presenter, a ledger.Account, m *views.Statement) error {
	rows, err := h.Ledger.Notes(ctx, a.Key, nil, page.Older, shortNotes)
	if err != nil {
		return err
	}
	m.Notes = noteRows(r, pr, a.ID, rows.Rows)
	m.NotesURL, m.NoteURL = notesURL(a.ID), r.link(staff.AccountNote, notesURL(a.ID)+"/new")
	return nil
}

func (h *Console) noteForm(c echo.Context) error {
	return h.accountForm(c, func(r request, s views.Subject) templ.Component {
		return views.AddNotePage(h.frame(r), views.AddNote{Act: act(r, s.URL), Account: s})
	})
}

func (h *Console) addNote(c echo.Context) error {
	return h.accountAct(c, func(r request, s views.Subject) (operation.Outcome, error) {
		return h.Ledger.AddNote(c.Request().Context(), ledger.NoteRequest{Envelope: r.by(), AccountID: s.ID, Text: r.FormValue("text")})
	}, func(r request, s views.Subject, err error) templ.Component {
		return views.AddNotePage(h.frame(r), views.AddNote{Act: again(r, s.URL, err), Account: s, Text: field(r, "text", err)})
	})
}

// note reads the note of the URL.
func (h *Console) note(r request) (ledger.Account, ledger.Note, error) {
	id, err := param(r, "account")
	if err != nil {
		return ledger.Account{}, ledger.Note{}, err
	}
	a, err := h.Ledger.Account(r.Request().Context(), id)
	if err != nil {
		return a, ledger.Note{}, err
	}
	key, err := strconv.ParseInt(r.Param("note"), 10, 64)
	if err != nil {
		return a, ledger.Note{}, fault.New(fault.NotFound, fault.CodeNotFound, "There is no such note on this account.")
	}
	n, err := h.Ledger.Note(r.Request().Context(), a.Key, key)
	return a, n, err
}

func (h *Console) strikeForm(c echo.Context) error {
	r := h.of(c)
	a, n, err := h.note(r)
	if err != nil {
		return err
	}
	return formPage(c, views.StrikeNotePage(h.frame(r), views.StrikeNote{Act: act(r, accountURL(a.ID)), Account: h.subjectOf(r, a), Text: n.Text}))
}

func (h *Console) strike(c echo.Context) error {
	r := h.of(c)
	a, n, err := h.note(r)
	if err != nil {
		return err
	}
	out, err := h.Ledger.StrikeNote(c.Request().Context(), ledger.StrikeRequest{Envelope: r.by(), AccountID: a.ID, Note: n.Key, Reason: r.FormValue("reason")})
	return h.conclude(r, accountURL(a.ID), operation.Account(a.ID), out, err, func(err error) component {
		return views.StrikeNotePage(h.frame(r), views.StrikeNote{Act: again(r, accountURL(a.ID), err), Account: h.subjectOf(r, a), Text: n.Text,
			Reason: field(r, "reason", err)})
	})
}
