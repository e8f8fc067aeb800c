package console

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/export"
	"recoup/views/text"
)

func attachedTo(rec *httptest.ResponseRecorder) *attachment {
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), rec)
	r := request{Context: c, Now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), L: text.Locale{Zone: time.FixedZone("Asia/Tokyo", 9*3600)}}
	return attach(r, "audit_all", "rows", export.CSV)
}

// A file's name says how many rows it has: exactly where that was told or the file ends before it has to be sent, else
// how many it has more than.
func TestNameOfAFileSaysItsRows(t *testing.T) {
	line := []byte(strings.Repeat("x", 1023) + "\n")
	for _, c := range []struct {
		name string
		rows int
		told int64
		want string
	}{
		{"none", 0, -1, "0-rows"},
		{"few", 41, -1, "41-rows"},
		{"as many as are held back", holdBack / len(line), -1, "4096-rows"},
		{"one more", holdBack/len(line) + 1, -1, "over-4096-rows"},
		{"twice as many", 2 * holdBack / len(line), -1, "over-4096-rows"},
		{"told", 2 * holdBack / len(line), 8192, "8192-rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			a := attachedTo(rec)
			if c.told >= 0 {
				a.counted(c.told, false)
			}
			for range c.rows {
				a.row(nil)
				if _, err := a.Write(line); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.end(nil, func() error { return nil }); err != nil {
				t.Fatal(err)
			}
			if got, want := rec.Header().Get("Content-Disposition"), "attachment; filename=recoup_audit_all_Asia-Tokyo_"+c.want+"_at_20261130T180000+0900.csv"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if got := rec.Body.Len(); got != c.rows*len(line) {
				t.Errorf("%d bytes, want %d", got, c.rows*len(line))
			}
		})
	}
}

// A file that fails before anything was sent is none; one that fails later ends where it is.
func TestAFileThatFails(t *testing.T) {
	broken := errors.New("broken")
	for name, sent := range map[string]int{"before the first byte": 100, "after it": holdBack + 1} {
		rec := httptest.NewRecorder()
		a := attachedTo(rec)
		if _, err := a.Write(make([]byte, sent)); err != nil {
			t.Fatal(err)
		}
		err := a.end(broken, func() error {
			_, err := a.Write([]byte("the end"))
			return err
		})
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
		if begun := rec.Header().Get("Content-Disposition") != ""; begun != (sent > holdBack) || begun != (rec.Body.Len() > 0) || strings.Contains(rec.Body.String(), "end") {
			t.Errorf("%s: begun %v, %d bytes", name, begun, rec.Body.Len())
		}
	}
}

func TestNameOfAFileSaysItsDays(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		p        period
		filtered bool
		want     string
	}{
		{period{}, false, "costs_all"}, {period{}, true, "costs_filtered_all"},
		{period{First: day(1), Last: day(30)}, false, "costs_2026-11-01_2026-11-30"},
		{period{First: day(1)}, true, "costs_filtered_since_2026-11-01"}, {period{Last: day(2)}, false, "costs_until_2026-11-02"},
	} {
		if got := daysOf("costs", c.p, c.filtered); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
