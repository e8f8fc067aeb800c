package verify

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"recoup/migrations"
)

// guards looks whether the triggers that refuse changes are there, fire always and do what this program's schema
// says. Whoever owns the tables can switch one off; nobody may do so unseen. What they must be comes from the
// program, not from the database.
func (r *run) guards(ctx context.Context) error {
	want, err := migrations.ReadGuards()
	if err != nil {
		return err
	}
	type found struct{ enabled, function, when string }
	triggers, bodies := map[[2]string]found{}, map[string]string{}
	err = r.v.native(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT c.relname, t.tgname, t.tgenabled::text, p.proname, p.prosrc,
				t.tgtype::int, t.tgattr::text <> '', t.tgqual IS NOT NULL
			FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
			WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace`, pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		var table, name, enabled, function, body string
		var kind int32
		var columns, condition bool
		_, err = pgx.ForEachRow(rows, []any{&table, &name, &enabled, &function, &body, &kind, &columns, &condition}, func() error {
			triggers[[2]string{table, name}], bodies[function] = found{enabled, function, fires(kind, columns, condition)}, body
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("triggers: %w", err)
	}
	told := map[string]bool{}
	for _, t := range want.Triggers {
		at := t.Table + "." + t.Name
		p := Problem{Check: CheckTriggers, Expected: at + " fires always and calls " + t.Function}
		switch is, there := triggers[[2]string{t.Table, t.Name}]; {
		case !there:
			p.Found, p.Message = "no such trigger", "A trigger that protects rows is gone."
		case is.enabled != "A":
			p.Found, p.Message = at+" "+enabledWord(is.enabled), "A trigger that protects rows does not fire always."
		case is.function != t.Function:
			p.Found, p.Message = at+" calls "+is.function, "A trigger that protects rows calls another function."
		case is.when != t.When:
			p.Expected, p.Found = at+" fires "+t.When, at+" fires "+is.when
			p.Message = "A trigger that protects rows was replaced by one that does not fire for all of them."
		case bodies[t.Function] != want.Functions[t.Function] && !told[t.Function]:
			told[t.Function] = true
			p.Expected, p.Found = t.Function+" as this program's schema has it", t.Function+" with another body"
			p.Message = "The function of a trigger that protects rows was replaced."
		default:
			continue
		}
		if err := r.problem(p); err != nil {
			return err
		}
	}
	return nil
}

// fires says when a trigger fires, by pg_trigger.tgtype.
func fires(kind int32, columns, condition bool) string {
	timing, level := "after", "statement"
	switch {
	case kind&(1<<1) != 0:
		timing = "before"
	case kind&(1<<6) != 0:
		timing = "instead"
	}
	if kind&1 != 0 {
		level = "row"
	}
	var events []string
	for _, e := range []struct {
		bit  int32
		name string
	}{{1 << 3, "delete"}, {1 << 2, "insert"}, {1 << 5, "truncate"}, {1 << 4, "update"}} {
		if kind&e.bit != 0 {
			events = append(events, e.name)
		}
	}
	return migrations.When(timing, events, level, columns, condition)
}

// enabledWord names pg_trigger.tgenabled.
func enabledWord(code string) string {
	switch code {
	case "D":
		return "is disabled"
	case "O":
		return "is silent in replica sessions"
	case "R":
		return "fires in replica sessions only"
	}
	return "is in state " + code
}
