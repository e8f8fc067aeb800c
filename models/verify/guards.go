package verify

import (
	"context"
	"fmt"
	"strings"

	"recoup/migrations"
)

// guards holds everything in the schema that keeps rows as they must be against what the migrations of this program make: tables, columns,
// constraints, unique indexes, triggers and the functions that they call, each to the letter. Whoever owns the tables can take one off or put a
// weaker one in its place; what was written meanwhile no other check may ever read back.
func (r *run) guards(ctx context.Context) error {
	want, err := migrations.Definitions()
	if err != nil {
		return err
	}
	have, err := r.v.DefinitionsNow(ctx)
	if err != nil {
		return err
	}
	found, tables := map[[2]string]string{}, map[string]bool{}
	for _, d := range have {
		found[[2]string{d.Kind, d.Name}] = d.Text
	}
	rules := reliedOn()
	for _, d := range want {
		at := [2]string{d.Kind, d.Name}
		tables[d.Name] = tables[d.Name] || d.Kind == "table"
		text, there := found[at]
		if delete(found, at); there && text == d.Text {
			continue
		}
		if err := r.problem(guardProblem(d, text, there, rules[d.Name])); err != nil {
			return err
		}
	}
	// What was added can keep nothing out that others let in, but a trigger can change or swallow what is written.
	for _, d := range have {
		table, _, _ := strings.Cut(d.Name, ".")
		if _, foreign := found[[2]string{d.Kind, d.Name}]; !foreign || d.Kind != "trigger" || !tables[table] {
			continue
		}
		err := r.problem(Problem{Check: CheckTriggers, Expected: d.Name + " no such trigger", Found: d.Text,
			Message: "There is a trigger " + d.Name + " that this program's schema does not have: it can change or swallow what is written."})
		if err != nil {
			return err
		}
	}
	return nil
}

// reliedOn names the first rule that relies on a guard, by the guard's name.
func reliedOn() map[string]string {
	rules := map[string]string{}
	for _, in := range Invariants() {
		for _, name := range in.Kept {
			if rules[name] == "" {
				rules[name] = in.Rule
			}
		}
	}
	return rules
}

// guardProblem says what of a guard is not as it should be. The name comes first in what was expected: NotInForce reads it there.
func guardProblem(want migrations.Definition, text string, there bool, rule string) Problem {
	p := Problem{Check: CheckKept, Expected: want.Name + " " + want.Text, Found: text, Message: "The " + want.Kind + " " + want.Name}
	if want.Kind == "trigger" || want.Kind == "function" {
		p.Check = CheckTriggers
	}
	if want.Kind == "function" {
		line := 0
		if line, p.Expected, p.Found = firstDifference(want.Text, text); line > 0 {
			p.Expected = fmt.Sprintf("line %d: %s", line, p.Expected)
			p.Found = fmt.Sprintf("line %d: %s", line, p.Found)
		}
		p.Expected = want.Name + " " + p.Expected
	}
	if there {
		p.Message += " does not say what this program's schema has it say."
	} else {
		p.Found = "not in force"
		p.Message += " is gone."
	}
	if rule != "" {
		p.Message += " Rule " + rule + " relies on it."
	}
	return p
}

// firstDifference returns the first line in which two texts differ, counted from 0, and what it is in each.
func firstDifference(a, b string) (line int, inA, inB string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	at := func(lines []string, i int) string {
		if i >= len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[i])
	}
	for line < max(len(as), len(bs))-1 && line < len(as) && line < len(bs) && as[line] == bs[line] {
		line++
	}
	return line, at(as, line), at(bs, line)
}

// NotInForce names what CheckKept and CheckTriggers of a recorded run found missing, off or changed, as Invariant.Kept does. With a function
// the triggers that call it are named.
func (v *Verifier) NotInForce(ctx context.Context, r Run) (map[string]bool, error) {
	if r.ByCheck[CheckKept]+r.ByCheck[CheckTriggers] == 0 {
		return nil, nil
	}
	var names []string
	err := v.g.WithContext(ctx).Raw(`SELECT split_part(expected, ' ', 1) FROM verify_problems WHERE run_id = ? AND check_name IN (?, ?)`, r.ID, string(CheckKept), string(CheckTriggers)).Scan(&names).Error
	if err != nil {
		return nil, fmt.Errorf("verify: not in force: %w", err)
	}
	missing := map[string]bool{}
	for _, n := range names {
		missing[n] = true
	}
	schema, err := migrations.Definitions()
	if err != nil {
		return nil, err
	}
	for _, d := range schema {
		if _, calls, _ := strings.Cut(d.Text, " EXECUTE FUNCTION "); d.Kind == "trigger" && missing[calls] {
			missing[d.Name] = true
		}
	}
	return missing, nil
}
