package menu_test

import (
	"context"
	"os"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/menu"
	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// Each number is the one that its own model counts, none is counted beyond the most that is asked for, and what is not wanted is 0.
func TestCountsAreThoseOfTheirModels(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	for _, sql := range []string{
		`INSERT INTO staff (id, email, name, role) VALUES ('st_0000000000000001', 'a@recoup.test', 'A', 'lead'), ('st_0000000000000002', 'b@recoup.test', 'B', 'lead')`,
		`INSERT INTO inbox_messages (staff_id, topic, code, scope, operation_id) SELECT 'st_0000000000000001', 'rollout:ro_1', 'x', 'rollouts', 'o' FROM generate_series(1, 3)`,
		`INSERT INTO inbox_messages (staff_id, topic, code, scope, operation_id) VALUES ('st_0000000000000002', 'rollout:ro_1', 'x', 'rollouts', 'o')`,
	} {
		if err := m.G.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	who := actor.Staff("st_0000000000000001")
	counts := menu.New(m.Ops)
	for _, c := range []struct {
		want menu.Wanted
		most int
		got  menu.Counts
	}{
		{menu.Wanted{}, 10, menu.Counts{}},
		{menu.Wanted{Unread: &who}, 10, menu.Counts{Unread: 3}},
		{menu.Wanted{DeadLetters: true, Halted: true, Unread: &who, Requests: &approval.Filter{NotKinds: []approval.Kind{"grant"}}}, 2, menu.Counts{Unread: 2}},
	} {
		got, err := counts.Count(ctx, c.want, c.most)
		if err != nil || got != c.got {
			t.Errorf("%+v: %+v, %v, want %+v", c.want, got, err, c.got)
		}
	}
}
