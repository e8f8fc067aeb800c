package costimport

import (
	"slices"
	"strings"

	"recoup/models/cost"
	"recoup/models/fault"
)

const dimensionPrefix = "dimension:"

// OwnColumns are the columns of a file in Recoup's own format, beside dimension:<name>; the first NeededColumns must be there.
func OwnColumns() []string {
	return []string{"external_id", "amount", "currency", "time", "until", "account_id", "job_id", "operation_id", "action", "description"}
}

// NeededColumns is how many of OwnColumns must be there, the first ones.
const NeededColumns = 4

func ownColumn(name string) bool {
	return slices.Contains(OwnColumns(), name) || strings.HasPrefix(name, dimensionPrefix) && name != dimensionPrefix
}

// nearColumn is the own column that a name means that is none: written with other letters, without its "_id", or as one word; "" for none.
func nearColumn(name string) string {
	plain := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
	for _, own := range OwnColumns() {
		if bare := strings.ReplaceAll(own, "_", ""); plain == bare || plain != "" && plain+"id" == bare {
			return own
		}
	}
	return ""
}

// own makes a record of a row with own columns.
func (r *reader) own(cells []string) (cost.NewRecord, []fault.Field) {
	get := func(name string) string {
		if i, there := r.at[name]; there {
			return cells[i]
		}
		return ""
	}
	var bad []fault.Field
	n := cost.NewRecord{ExternalID: get("external_id"), Amount: amountOf(get("amount"), &bad), Currency: get("currency"), Time: timeOf("time", get("time"), false, &bad),
		AccountID: get("account_id"), JobID: get("job_id"), OperationID: get("operation_id"), Action: get("action"), Description: get("description")}
	if until := get("until"); until != "" {
		n.Until = timeOf("until", until, false, &bad)
	}
	for i, name := range r.names {
		if key, is := strings.CutPrefix(name, dimensionPrefix); is && cells[i] != "" {
			if n.Dimensions == nil {
				n.Dimensions = map[string]string{}
			}
			n.Dimensions[key] = cells[i]
		}
	}
	return n, bad
}
