package staff_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

const password = "correct horse battery"

// quick is a hash that costs next to nothing: these tests are about the rules around it.
var quick = staff.HashParams{MemoryKiB: 64, Passes: 1, Lanes: 1}

// world is a fresh database with its service.
type world struct {
	*staff.Service
	t  *testing.T
	db *gorm.DB
}

func newWorld(t *testing.T, o staff.Options) *world {
	t.Helper()
	t.Parallel()
	if o.Hash == (staff.HashParams{}) {
		o.Hash = quick
	}
	g := modeltest.DB(t)
	return &world{Service: staff.New(g, o), t: t, db: g}
}

var boss = staff.By{Actor: actor.Staff("st_boss"), RequestID: "req-1"}

func (w *world) person(email string, role staff.Role) staff.Person {
	w.t.Helper()
	p, err := w.CreateStaff(context.Background(), boss, staff.NewPerson{Email: email, Name: "N. N.", Role: role, Password: password})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) signIn(email, pw string) (staff.SignedIn, error) {
	return w.SignIn(context.Background(), email, pw, staff.Client{IP: "192.0.2.7", UserAgent: "test"})
}

func (w *world) mustSignIn(email string) staff.SignedIn {
	w.t.Helper()
	in, err := w.signIn(email, password)
	if err != nil {
		w.t.Fatal(err)
	}
	return in
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if err := w.db.Exec(sql, args...).Error; err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) count(sql string, args ...any) int {
	w.t.Helper()
	var n int
	if err := w.db.Raw(sql, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

// newest returns the newest audit row about an object.
func (w *world) newest(object string) audit.Stored {
	w.t.Helper()
	rows, err := audit.Of(context.Background(), w.db, object, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(rows) == 0 {
		w.t.Fatalf("no audit row about %s", object)
	}
	return rows[0]
}

func wantAudit(t *testing.T, got audit.Stored, action, outcome, code string) {
	t.Helper()
	if got.Action != action || got.Outcome != outcome || got.Code != code {
		t.Errorf("audit row is %s %s %q, want %s %s %q", got.Action, got.Outcome, got.Code, action, outcome, code)
	}
}

// wantFault checks kind, code and, of field faults, the names (in order, joined by commas).
func wantFault(t *testing.T, err error, kind fault.Kind, code, fields string) *fault.Error {
	t.Helper()
	f := fault.As(err)
	if f == nil {
		t.Fatalf("got %v, want a fault %s", err, code)
	}
	var names []string
	for _, n := range f.Fields {
		names = append(names, n.Name)
	}
	if got := strings.Join(names, ","); f.Kind != kind || f.Code != code || got != fields {
		t.Fatalf("got %v (kind %d, fields %q), want code %s, kind %d, fields %q", err, f.Kind, got, code, kind, fields)
	}
	return f
}
