package views_test

import (
	"slices"
	"testing"

	"recoup/views/auditlog"
	"recoup/views/text"
)

// Two actions of the same words are told apart in the filter, and every one has words.
func TestActionsOfTheAuditLogAreToldApart(t *testing.T) {
	for _, lang := range []text.Lang{text.English, text.Japanese} {
		var labels []string
		for _, o := range auditlog.ActionOptions(text.Locale{Lang: lang}, []string{"charge", "cost.attribute", "cost_attribute", "cost_import", "cost_import_start"}, "") {
			if o.Label == o.Value || slices.Contains(labels, o.Label) {
				t.Errorf("%q stands for %q", o.Label, o.Value)
			}
			labels = append(labels, o.Label)
		}
		if !slices.Contains(labels, text.Locale{Lang: lang}.T("kind.charge")) {
			t.Errorf("what is unique needs no name: %v", labels)
		}
	}
}
