package deadletter_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// snoozes is a group of three dead letters; "both" is the one that is snoozed by itself as well.
type snoozes struct {
	*modeltest.Models
	t     *testing.T
	who   actor.Actor
	group string
}

func newSnoozes(t *testing.T) *snoozes {
	s := &snoozes{Models: modeltest.Ready(t, modeltest.Fast()), t: t}
	s.who = person(t, s.Models, 1)
	s.Account(t, "a", 10_000)
	for _, id := range []string{"both", "other", "third"} {
		die(t, s.Models, "a", id, 10, "codec", "frame is broken", "")
	}
	s.group = letter(t, s.Models, "a", "both").Fingerprint
	return s
}

// sees holds what needs review and what is snoozed against the lists, the count and each letter's own word.
func (s *snoozes) sees(step, review, snoozed string) {
	s.t.Helper()
	got, out := strings.Join(listed(s.t, s.Models, deadletter.Review, deadletter.Filter{}), " "), strings.Join(listed(s.t, s.Models, deadletter.Snoozed, deadletter.Filter{}), " ")
	if got != review || out != snoozed {
		s.t.Errorf("%s: %q need review and %q are snoozed, want %q and %q", step, got, out, review, snoozed)
	}
	n, err := s.Letters.CountWaiting(context.Background())
	if err != nil || n != int64(len(strings.Fields(review))) {
		s.t.Errorf("%s: %d counted, %v", step, n, err)
	}
	if n, _, err = s.Letters.CountMatching(context.Background(), deadletter.Review, deadletter.Filter{ErrorCode: "codec"}, 100); err != nil || n != int64(len(strings.Fields(review))) {
		s.t.Errorf("%s: %d match, %v", step, n, err)
	}
	for _, id := range strings.Fields(review) {
		if l := letter(s.t, s.Models, "a", id); l.WithGroup {
			s.t.Errorf("%s: %s is said to be snoozed with its group", step, id)
		}
	}
}

func (s *snoozes) snooze(id string, until *time.Time) string {
	s.t.Helper()
	r := of(s.who, "a", id)
	if _, err := s.Letters.Snooze(context.Background(), deadletter.SnoozeRequest{Request: r, Until: until}); err != nil {
		s.t.Fatal(err)
	}
	return r.OperationID
}

func (s *snoozes) undo(id, operation string) {
	s.t.Helper()
	if _, err := s.Letters.Undo(context.Background(), deadletter.UndoRequest{Request: of(s.who, "a", id), Undoes: operation}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *snoozes) snoozeGroup(until *time.Time, more int64) {
	s.t.Helper()
	_, err := s.Letters.SnoozeGroup(context.Background(), deadletter.GroupRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: s.who}, Fingerprint: s.group, Until: until, More: more})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *snoozes) wakeGroup() {
	s.t.Helper()
	_, err := s.Letters.ReopenGroup(context.Background(), deadletter.GroupRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: s.who}, Fingerprint: s.group})
	if err != nil {
		s.t.Fatal(err)
	}
}

// over moves the ends of snoozes into the past.
func (s *snoozes) over(table string) {
	s.t.Helper()
	if err := s.G.Exec(fmt.Sprintf(`UPDATE %s SET snoozed_until = clock_timestamp() - interval '1 second' WHERE snoozed_until IS NOT NULL`, table)).Error; err != nil {
		s.t.Fatal(err)
	}
}

// Whoever wakes one dead letter sees that one; whoever wakes the group sees all that are not snoozed by themselves.
func TestALetterSnoozedWithItsGroup(t *testing.T) {
	later := time.Now().Add(time.Hour)
	const all = "both other third"
	for name, wake := range map[string]func(*snoozes){
		"the letter by hand": func(s *snoozes) {
			op := s.snooze("both", nil)
			s.sees("woken", "both", "other third")
			s.undo("both", op)
			s.sees("undone", "", all)
			s.snooze("both", nil)
			// Snoozed anew it is out of sight until its time, and then back: it was taken out of the group.
			s.snooze("both", &later)
			s.sees("snoozed anew", "", all)
			s.over("dead_letters")
			s.sees("its time has come", "both", "other third")
			// The group is snoozed once more, the letter with it.
			s.snoozeGroup(&later, 0)
			s.sees("the group anew", "", all)
			s.wakeGroup()
			s.sees("the group by hand", all, "")
		},
		"another letter by hand": func(s *snoozes) {
			op := s.snooze("third", nil)
			s.sees("woken", "third", "both other")
			// What was snoozed after that is undone to what it was.
			again := s.snooze("third", &later)
			s.undo("third", again)
			s.sees("undone", "third", "both other")
			s.undo("third", op)
			s.sees("undone as well", "", all)
			s.wakeGroup()
			s.sees("the group by hand", "other third", "both")
		},
		"the letter by time": func(s *snoozes) {
			s.over("dead_letters")
			s.sees("its time has come", "", all)
			s.over("dead_letter_groups")
			s.sees("and that of the group", all, "")
		},
		"the group by hand": func(s *snoozes) {
			s.wakeGroup()
			s.sees("woken", "other third", "both")
			s.over("dead_letters")
			s.sees("and its time has come", all, "")
		},
		"the group by time": func(s *snoozes) {
			s.over("dead_letter_groups")
			s.sees("its time has come", "other third", "both")
			s.snooze("both", nil)
			s.sees("and the letter by hand", all, "")
		},
		"the group by one more": func(s *snoozes) {
			s.snoozeGroup(&later, 1)
			s.sees("snoozed until one more", "", all)
			die(s.t, s.Models, "a", "fourth", 10, "codec", "frame is broken", "")
			s.sees("one more", "other third fourth", "both")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSnoozes(t)
			s.snooze("both", &later)
			s.sees("the letter alone", "other third", "both")
			s.snoozeGroup(&later, 0)
			s.sees("with its group", "", all)
			wake(s)
		})
	}
}
