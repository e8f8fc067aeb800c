package costimport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/modeltest"
)

// A line whose record is there with other content is named by its number: before the import, where it was already there,
// and by the import, where it came in between. Nothing is imported then.
func TestALineThatWasRecordedOtherwiseIsNamed(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	content := "external_id,amount,currency,time\nz,1,USD,2026-11-30T12:00:00Z\na,2,USD,2026-11-30T12:00:00Z\nm,3,USD,2026-11-30T12:00:00Z\n"
	f := read(t, content, own())
	early := w.upload(content, own())
	if f, err := w.imports.Preview(ctx, early); err != nil || !f.Sound() {
		t.Fatalf("%+v %v", f, err)
	}
	if _, err := w.start(early); err != nil {
		t.Fatal(err)
	}
	other := make([]cost.NewRecord, 2)
	copy(other, f.Records[:2])
	other[0].Amount, other[1].Amount = decimal.FromInt(7), decimal.FromInt(8)
	if _, err := w.costs.Record(ctx, cost.Batch{Envelope: modeltest.Envelope(), Source: "aws", Records: other}); err != nil {
		t.Fatal(err)
	}

	_, err := w.work(early)
	refused := fault.As(err)
	if refused == nil || refused.Code != cost.CodeConflict || !strings.Contains(refused.Message, "line 2 (z), line 3 (a). Nothing of the file was imported.") || refused.Detail["external_id"] != "z" {
		t.Errorf("%v", err)
	} else if lines := refused.Detail[costimport.DetailLines].([]costimport.LineConflict); len(lines) != 2 || lines[1].Line != 3 || lines[1].ExternalID != "a" {
		t.Errorf("%+v", lines)
	}
	const want = "line 2: external_id holds \"z\", which was recorded before with other content\nline 3: external_id holds \"a\", which was recorded before with other content"
	if f, err := w.imports.Preview(ctx, early); err != nil || problems(f) != want {
		t.Errorf("after it failed: %s %v", problems(f), err)
	}
	late := w.upload(content+"\n", own())
	if f, err := w.imports.Preview(ctx, late); err != nil || f.Sound() || f.Count != 3 || problems(f) != want {
		t.Errorf("%s %v", problems(f), err)
	}
	if _, err := w.start(late); !fault.Is(err, fault.CodeInvalid) || !strings.Contains(err.Error(), "line 2: external_id") {
		t.Errorf("%v", err)
	}
	if w.records() != 2 {
		t.Errorf("%d records", w.records())
	}
}

// A file without ids names a line by all of its cells: under another amount column it is the same line with other content.
func TestALineThatWasReadOtherwiseIsNamed(t *testing.T) {
	w := newWorld(t)
	content := focusFile(`1,2,USD,2024-09-18 22:00:00,a,,,,`, `1,1,USD,2024-09-18 22:00:00,b,,,,`)
	_, err := w.imports.Import(context.Background(), costimport.ImportRequest{Actor: actor.Key("test"), Source: "aws", ImportID: "x", Digest: "d", File: read(t, content, focus())})
	if err != nil {
		t.Fatal(err)
	}
	id := w.upload(content, focus(func(m *costimport.Mapping) { m.Amount = costimport.EffectiveCost }))
	if f, err := w.imports.Preview(context.Background(), id); err != nil || problems(f) != "line 2 was recorded before, read from other columns" {
		t.Errorf("%s %v", problems(f), err)
	}
}

// However many lines are in the way, the refusal stays readable.
func TestARefusedImportNamesSomeLines(t *testing.T) {
	w := newWorld(t)
	var b strings.Builder
	b.WriteString("external_id,amount,currency,time\n")
	for i := range 150 {
		fmt.Fprintf(&b, "%d,%s,USD,2026-11-30T12:00:00Z\n", i, "1")
	}
	content := b.String()
	in := func(content, digest string) error {
		_, err := w.imports.Import(context.Background(), costimport.ImportRequest{Actor: actor.Key("test"), Source: "aws", ImportID: "x", Digest: digest, File: read(t, content, own())})
		return err
	}
	if err := in(content, "d"); err != nil {
		t.Fatal(err)
	}
	err := in(strings.ReplaceAll(content, ",1,", ",2,"), "e")
	if f := fault.As(err); f == nil || !strings.Contains(f.Message, "line 11 (9) and 90 more.") {
		t.Errorf("%v", err)
	}
}
