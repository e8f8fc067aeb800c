package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"recoup/models/db"
)

// Instrument makes every statement of g a child span of the span in its context, with the SQL text
// and without its values. It does nothing when spans are not exported. Call it once a handle.
func (t *Telemetry) Instrument(g *gorm.DB) error {
	if !t.exporting {
		return nil
	}
	if err := g.Use(statements{tracer: t.Tracer("recoup/sql")}); err != nil {
		return fmt.Errorf("telemetry: instrument statements: %w", err)
	}
	return nil
}

// statements is a GORM plugin.
type statements struct{ tracer trace.Tracer }

// running is what the callback before a statement leaves for the one after it.
type running struct {
	span   trace.Span
	parent context.Context
}

const runningKey = "recoup:span"

// Name is GORM's name for the plugin.
func (s statements) Name() string { return "recoup:statements" }

// Initialize registers the callbacks around each kind of statement.
func (s statements) Initialize(g *gorm.DB) error {
	c := g.Callback()
	return errors.Join(
		c.Create().Before("gorm:create").Register("recoup:before_create", s.before("INSERT")),
		c.Create().After("gorm:create").Register("recoup:after_create", s.after),
		c.Query().Before("gorm:query").Register("recoup:before_query", s.before("SELECT")),
		c.Query().After("gorm:query").Register("recoup:after_query", s.after),
		c.Update().Before("gorm:update").Register("recoup:before_update", s.before("UPDATE")),
		c.Update().After("gorm:update").Register("recoup:after_update", s.after),
		c.Delete().Before("gorm:delete").Register("recoup:before_delete", s.before("DELETE")),
		c.Delete().After("gorm:delete").Register("recoup:after_delete", s.after),
		c.Row().Before("gorm:row").Register("recoup:before_row", s.before("SELECT")),
		c.Row().After("gorm:row").Register("recoup:after_row", s.after),
		c.Raw().Before("gorm:raw").Register("recoup:before_raw", s.before("SQL")),
		c.Raw().After("gorm:raw").Register("recoup:after_raw", s.after),
	)
}

func (s statements) before(operation string) func(*gorm.DB) {
	return func(tx *gorm.DB) {
		parent := tx.Statement.Context
		if sp := trace.SpanFromContext(parent); !sp.IsRecording() || !sp.SpanContext().IsSampled() {
			return
		}
		name := operation
		if tx.Statement.Table != "" {
			name += " " + tx.Statement.Table
		}
		ctx, span := s.tracer.Start(parent, name, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String("db.system.name", "postgresql")))
		tx.Statement.Context = ctx
		tx.InstanceSet(runningKey, running{span: span, parent: parent})
	}
}

func (s statements) after(tx *gorm.DB) {
	v, found := tx.InstanceGet(runningKey)
	if !found {
		return
	}
	r, ok := v.(running)
	if !ok {
		return
	}
	// The statement may be used again: its next span is not to be a child of this one.
	tx.Statement.Context = r.parent
	r.span.SetAttributes(attribute.String("db.query.text", tx.Statement.SQL.String()))
	if tx.Statement.RowsAffected >= 0 {
		r.span.SetAttributes(attribute.Int64("db.response.returned_rows", tx.Statement.RowsAffected))
	}
	if err := tx.Error; err != nil && !db.IsNoRows(err) {
		// PostgreSQL's message may repeat a value; its code does not.
		code := db.Code(err)
		if code == "" {
			code = "error"
		}
		r.span.SetAttributes(attribute.String("db.response.status_code", code))
		r.span.SetStatus(codes.Error, code)
	}
	r.span.End()
}
