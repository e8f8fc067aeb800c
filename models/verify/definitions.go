package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"recoup/migrations"
)

// The file of definitions is written anew from a freshly migrated database; a test fails while it is not the same.
//
//go:generate env RECOUP_WRITE_DEFINITIONS=1 go test -count=1 -run ^TestDefinitionsAreThoseOfTheSchema$ .

// definitionsNow says of everything in the schema that keeps rows as they must be what the server itself says of it, one text
// each. Everything is told as seen from the schema, so that its name does not matter. Left out is what majors of PostgreSQL tell differently:
// NOT NULL is told of the column, and not as the constraint that PostgreSQL 18 makes of it. A foreign key that is there but whose
// triggers are off says so, a trigger says when it fires.
const definitionsNow = `SELECT kind, name, text FROM (
		SELECT 'table' AS kind, r.relname::text AS name, CASE r.relpersistence WHEN 'p' THEN 'logged' WHEN 'u' THEN 'unlogged' ELSE 'temporary' END
				|| COALESCE((SELECT string_agg(', ' || pg_get_ruledef(w.oid, true), '' ORDER BY w.rulename) FROM pg_rewrite w WHERE w.ev_class = r.oid), '') AS text
			FROM pg_class r WHERE r.relkind IN ('r', 'p') AND r.relnamespace = current_schema()::regnamespace
		UNION ALL SELECT 'column', r.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
				|| CASE WHEN a.attcollation IN (0, (SELECT typcollation FROM pg_type WHERE oid = a.atttypid)) THEN '' ELSE ' COLLATE ' || quote_ident(l.collname) END
				|| CASE a.attgenerated WHEN '' THEN '' ELSE ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid, true) || ')' END
				|| CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
			FROM pg_attribute a JOIN pg_class r ON r.oid = a.attrelid LEFT JOIN pg_collation l ON l.oid = a.attcollation
				LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
			WHERE a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p') AND r.relnamespace = current_schema()::regnamespace
		UNION ALL SELECT 'constraint', r.relname || '.' || c.conname, pg_get_constraintdef(c.oid, true) || CASE WHEN EXISTS (SELECT 1 FROM pg_trigger t
				WHERE t.tgconstraint = c.oid AND t.tgisinternal AND t.tgenabled NOT IN ('O', 'A')) THEN ' with its triggers off' ELSE '' END
			FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid WHERE c.connamespace = current_schema()::regnamespace AND c.contype IN ('c', 'f', 'p', 'u', 'x')
		UNION ALL SELECT 'index', r.relname || '.' || i.relname, pg_get_indexdef(x.indexrelid, 0, true)
				|| CASE WHEN x.indisvalid AND x.indisready THEN '' ELSE ' not valid' END
			FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class r ON r.oid = x.indrelid
			WHERE r.relnamespace = current_schema()::regnamespace AND x.indisunique
				AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = x.indexrelid AND c.contype IN ('p', 'u', 'x'))
		UNION ALL SELECT 'trigger', r.relname || '.' || t.tgname, CASE t.tgenabled WHEN 'A' THEN 'always' WHEN 'D' THEN 'disabled' WHEN 'R' THEN 'in replica sessions only'
				ELSE 'not in replica sessions' END || ': ' || pg_get_triggerdef(t.oid, true)
			FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid WHERE NOT t.tgisinternal AND r.relnamespace = current_schema()::regnamespace
		UNION ALL SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', 'RETURNS ' || pg_get_function_result(p.oid) || ' LANGUAGE ' || l.lanname
				|| CASE p.provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE '' END || CASE WHEN p.proisstrict THEN ' STRICT' ELSE '' END
				|| CASE WHEN p.prosecdef THEN ' SECURITY DEFINER' ELSE '' END || COALESCE(' SET ' || array_to_string(p.proconfig, ', '), '')
				|| E'\n' || COALESCE(pg_get_function_sqlbody(p.oid), p.prosrc)
			FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind = 'f'
				AND NOT EXISTS (SELECT 1 FROM pg_depend e WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e')
	) s WHERE split_part(name, '.', 1) <> 'goose_db_version' ORDER BY kind COLLATE "C", name COLLATE "C"`

// DefinitionsNow reads the database's definitions in the form of migrations.Definitions, by kind and name. The table in which
// migrations are counted is not among them: no rule is about it.
func (v *Verifier) DefinitionsNow(ctx context.Context) ([]migrations.Definition, error) {
	var list []migrations.Definition
	err := v.native(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, definitionsNow, pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		var d migrations.Definition
		_, err = pgx.ForEachRow(rows, []any{&d.Kind, &d.Name, &d.Text}, func() error {
			if d.Kind != "function" {
				// Where lines are broken is a matter of looks.
				d.Text = strings.Join(strings.Fields(d.Text), " ")
			}
			list = append(list, d)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("verify: definitions: %w", err)
	}
	return list, nil
}
