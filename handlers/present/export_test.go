package present

import (
	"reflect"
	"testing"
	"time"

	"recoup/models/export"
	"recoup/models/ledger"
	"recoup/models/task"
)

// The page of a file names every condition that its entries were selected by: a field that a filter gets later too.
func TestAFileNamesEachConditionOfItsFilter(t *testing.T) {
	p := english()
	words := func(f ledger.Filter) any {
		return p.ExportView(export.File{Task: task.Task{State: task.Waiting}, Input: export.Input{Filter: f, Format: export.CSV, Zone: "UTC"}}).Filters
	}
	least := int64(5)
	fields := reflect.TypeFor[ledger.Filter]()
	for i := range fields.NumField() {
		// The one that only says how another is meant goes with that.
		without := ledger.Filter{}
		if fields.Field(i).Name == "AnySign" {
			without.MinAmount = &least
		}
		with := without
		switch v := reflect.ValueOf(&with).Elem().Field(i); v.Interface().(type) {
		case string:
			v.SetString("condition")
		case bool:
			v.SetBool(true)
		case []ledger.Type:
			v.Set(reflect.ValueOf([]ledger.Type{ledger.Grant}))
		case *int64:
			v.Set(reflect.ValueOf(&least))
		case *time.Time:
			at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
			v.Set(reflect.ValueOf(&at))
		default:
			t.Fatalf("%s is of a kind that this test does not know", fields.Field(i).Name)
		}
		if reflect.DeepEqual(words(with), words(without)) {
			t.Errorf("the page of a file does not say that %s was a condition", fields.Field(i).Name)
		}
	}
}
