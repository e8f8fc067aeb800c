package inbox_test

import (
	"context"
	"os"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/inbox"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/staff"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

type world struct {
	*modeltest.Models
	t *testing.T
	*inbox.Store
}

func newWorld(t *testing.T) world {
	t.Helper()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	return world{m, t, inbox.New(m.G)}
}

func (w world) person(name string) actor.Actor {
	w.t.Helper()
	s := staff.New(w.G, staff.Options{Hash: staff.HashParams{MemoryKiB: 64, Passes: 1, Lanes: 1}})
	p, err := s.CreateStaff(context.Background(), staff.By{Actor: actor.System()}, staff.NewPerson{Email: name + "@recoup.test", Name: name, Role: staff.Product, Password: "a password of tests"})
	if err != nil {
		w.t.Fatal(err)
	}
	return p.Actor()
}

// post posts a message in an operation of its own, which fails with err.
func (w world) post(m inbox.Message, err error) {
	w.t.Helper()
	_, got := w.Ops.Apply(context.Background(), operation.Request{Scope: operation.Named("test"), ID: ids.New(), Kind: "test", Actor: actor.System()},
		func(ctx context.Context, tx *operation.Tx) (any, error) {
			if err := inbox.Post(ctx, tx, m); err != nil {
				return nil, err
			}
			return "done", err
		})
	if (got == nil) != (err == nil) {
		w.t.Fatal(got)
	}
}

func (w world) unread(who actor.Actor) int64 {
	w.t.Helper()
	n, err := w.Unread(context.Background(), who, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestWhoIsTold(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	mei, ken, lena := w.person("mei"), w.person("ken"), w.person("lena")
	for _, who := range []actor.Actor{mei, ken, mei, actor.System(), actor.Key("k"), actor.Staff("nobody")} {
		if err := w.Follow(ctx, "rollout:a", who); err != nil {
			t.Fatal(err)
		}
	}
	w.post(inbox.Message{Topic: "rollout:a", Code: "x"}, nil)
	w.post(inbox.Message{Topic: "rollout:b", Code: "x"}, nil)
	w.post(inbox.Message{Topic: "rollout:a", Code: "x", Except: ken.String(), To: []string{lena.String(), mei.String(), "key:k", "system", "staff:nobody"}}, nil)
	// What is taken back tells nobody.
	w.post(inbox.Message{Topic: "rollout:a", Code: "x"}, fault.New(fault.Conflict, fault.CodeStateConflict, "no"))
	if a, b, c := w.unread(mei), w.unread(ken), w.unread(lena); a != 2 || b != 1 || c != 1 {
		t.Errorf("unread %d, %d, %d", a, b, c)
	}
	if err := w.Unfollow(ctx, "rollout:a", mei); err != nil {
		t.Fatal(err)
	}
	if yes, err := w.Follows(ctx, "rollout:a", mei); yes || err != nil {
		t.Errorf("follows %t %v", yes, err)
	}
	w.post(inbox.Message{Topic: "rollout:a", Code: "x"}, nil)
	if a, b := w.unread(mei), w.unread(ken); a != 2 || b != 2 {
		t.Errorf("after unfollowing: %d, %d", a, b)
	}
}

func TestReadingAndItsUndo(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	mei, ken := w.person("mei"), w.person("ken")
	for range 5 {
		w.post(inbox.Message{Topic: "t", Code: "x", Detail: map[string]any{"n": 9007199254740993}, To: []string{mei.String()}}, nil)
	}
	list, err := w.List(ctx, mei, false, nil, page.Older, 2)
	if err != nil || len(list.Rows) != 2 || list.Older == nil || list.Newer != nil || list.Rows[0].Detail != `{"n": 9007199254740993}` {
		t.Fatalf("%+v %v", list, err)
	}
	newest := list.Rows[0].Key
	if err := w.Mark(ctx, ken, newest, true); !fault.Is(err, inbox.CodeMessageNotFound) {
		t.Errorf("somebody else's message: %v", err)
	}
	for range 2 {
		if err := w.Mark(ctx, mei, newest, true); err != nil || w.unread(mei) != 4 {
			t.Errorf("%v, %d unread", err, w.unread(mei))
		}
	}
	// What came after the page was made stays unread; the undo brings back what this mark took, and no more.
	w.post(inbox.Message{Topic: "t", Code: "x", To: []string{mei.String()}}, nil)
	at, err := w.MarkAll(ctx, mei, newest)
	if err != nil || at.IsZero() || w.unread(mei) != 1 {
		t.Fatalf("%v %v, %d unread", at, err, w.unread(mei))
	}
	if again, err := w.MarkAll(ctx, mei, newest); err != nil || !again.IsZero() {
		t.Errorf("again: %v %v", again, err)
	}
	if err := w.Unmark(ctx, ken, at); err != nil || w.unread(mei) != 1 {
		t.Errorf("somebody else's undo: %v, %d unread", err, w.unread(mei))
	}
	if err := w.Unmark(ctx, mei, at); err != nil || w.unread(mei) != 5 {
		t.Errorf("%v, %d unread", err, w.unread(mei))
	}
	if err := w.Mark(ctx, mei, newest, false); err != nil || w.unread(mei) != 6 {
		t.Errorf("%v, %d unread", err, w.unread(mei))
	}
	unread, err := w.List(ctx, mei, true, &inbox.Position{Key: newest}, page.Older, 10)
	if err != nil || len(unread.Rows) != 4 {
		t.Errorf("%d older ones unread, %v", len(unread.Rows), err)
	}
	if n, err := w.DeleteOld(ctx, time.Hour); n != 0 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if err := w.G.Exec(`UPDATE inbox_messages SET posted_at = posted_at - interval '2 hours' WHERE key <= ?`, newest).Error; err != nil {
		t.Fatal(err)
	}
	if n, err := w.DeleteOld(ctx, time.Hour); n != 5 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
}
