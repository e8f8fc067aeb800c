package verify

import (
	"context"
	"encoding/json"
	"fmt"
)

// EntryName names an entry.
type EntryName struct {
	Account string `json:"account"`
	Seq     int64  `json:"seq"`
}

// Broken are those of the named entries with which the newest run over all accounts found something wrong. A run keeps
// the first problems of each check only.
func (v *Verifier) Broken(ctx context.Context, names []EntryName) (map[EntryName]bool, error) {
	out := map[EntryName]bool{}
	if len(names) == 0 {
		return out, nil
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	var rows []EntryName
	err = v.g.WithContext(ctx).Raw(`SELECT DISTINCT n.account, n.seq FROM json_to_recordset(?::json) AS n (account text, seq bigint)
		JOIN verify_problems p ON p.account_id = n.account AND p.seq = n.seq
		WHERE p.run_id = (SELECT id FROM verify_runs WHERE NOT partial ORDER BY id DESC LIMIT 1) AND p.check_name <> ?`, string(list), string(CheckLine)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("verify: broken entries: %w", err)
	}
	for _, r := range rows {
		out[r] = true
	}
	return out, nil
}
