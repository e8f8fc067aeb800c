package costimport

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"recoup/models/cost"
	"recoup/models/fault"
	"recoup/models/ids"
)

// focusDimensions are the columns that become dimensions of a record; tags follow as Tags.<key>.
func focusDimensions() []string {
	return []string{"ProviderName", "ServiceCategory", "ServiceName", "ChargeCategory", "SubAccountId", "SubAccountName", "RegionId", "ResourceId", "ResourceType", "SkuId"}
}

// focus makes a record of a FOCUS row. NULL and an empty cell are the same.
func (r *reader) focus(cells []string) (cost.NewRecord, []fault.Field) {
	var bad []fault.Field
	column := func(name string) string {
		if i, there := r.at[name]; there && cells[i] != "NULL" {
			return cells[i]
		}
		return ""
	}
	tags, err := tagsOf(column("Tags"))
	if err != nil {
		bad = append(bad, fault.Field{Name: "tags", Message: err.Error()})
	}
	get := func(name string) string {
		if key, is := strings.CutPrefix(name, tagPrefix); is {
			return tags[key]
		}
		if name == "" {
			return ""
		}
		return column(name)
	}
	r.measure(column)
	m := r.mapping
	n := cost.NewRecord{Amount: amountOf(column(m.Amount), &bad), Currency: column("BillingCurrency"), Time: timeOf("time", column("ChargePeriodStart"), true, &bad),
		Action: get(m.Action), Description: cut(column("ChargeDescription"), cost.MaxDescription), Dimensions: dimensions(column, tags)}
	if end := column("ChargePeriodEnd"); end != "" {
		// A one-time charge may have a period that ends where it begins: it is of that moment.
		if until := timeOf("until", end, true, &bad); until.After(n.Time) {
			n.Until = until
		}
	}
	if m.LineID != "" {
		n.ExternalID = get(m.LineID)
	} else {
		n.ExternalID = r.rowID(cells)
	}
	target := get(m.Job)
	if m.Operation != "" {
		target = get(m.Operation)
	}
	account := get(m.Account)
	if m.Account == "" {
		account, target, _ = strings.Cut(target, "/")
	}
	// A tag is free text: what can name nothing of ours names nothing, and the record is unattributed.
	switch {
	case account == "" || target == "" || ids.CheckCallerID(account) != nil:
	case m.Operation != "" && ids.CheckOperationID(target) == nil:
		n.AccountID, n.OperationID = account, target
	case m.Job != "" && ids.CheckCallerID(target) == nil:
		n.AccountID, n.JobID = account, target
	}
	return n, bad
}

// rowID is the external id of a row in a file without ids: a digest over the names and values of all cells, in the
// order of the names, and how often the very same row came before. So the same file gives the same ids, in whatever
// order its columns and rows are, and a file that repeats rows of an earlier one gives those rows the ids they have.
func (r *reader) rowID(cells []string) string {
	order := make([]int, len(r.names))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return r.names[order[a]] < r.names[order[b]] })
	h := sha256.New()
	for _, i := range order {
		for _, s := range []string{r.names[i], cells[i]} {
			h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(s))))
			h.Write([]byte(s))
		}
	}
	digest := hex.EncodeToString(h.Sum(nil)[:16])
	r.rows[digest]++
	return fmt.Sprintf("row:%s:%d", digest, r.rows[digest])
}

// tagsOf reads the column Tags: a JSON object. Values that are no text are kept as they are written.
func tagsOf(cell string) (map[string]string, error) {
	if cell == "" {
		return nil, nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(cell), &raw); err != nil {
		return nil, fmt.Errorf("must be a JSON object")
	}
	tags := make(map[string]string, len(raw))
	for key, value := range raw {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		tags[key] = text
	}
	return tags, nil
}

// dimensions are those that fit the bounds of a record; the others are left out, columns before tags.
func dimensions(column func(string) string, tags map[string]string) map[string]string {
	out, total := map[string]string{}, 0
	add := func(name, value string) {
		if value == "" || len(out) == cost.MaxDimensions || total+len(name)+len(value) > cost.MaxDimensionBytes ||
			utf8.RuneCountInString(name) > cost.MaxDimensionName || utf8.RuneCountInString(value) > cost.MaxDimensionValue {
			return
		}
		out[name], total = value, total+len(name)+len(value)
	}
	for _, name := range focusDimensions() {
		add(name, column(name))
	}
	keys := make([]string, 0, len(tags))
	for key := range tags {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		add(tagPrefix+key, tags[key])
	}
	return out
}

// cut shortens a text to a number of characters, the last of them an ellipsis.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
