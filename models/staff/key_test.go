package staff_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/staff"
)

func TestCreateKey(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	scopes := []staff.Scope{staff.LedgerRead, staff.JobsWrite, staff.LedgerRead}
	k, token, err := w.CreateKey(ctx, boss, staff.NewKey{Name: "render farm", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(k.Scopes, []staff.Scope{staff.JobsWrite, staff.LedgerRead}) || k.CreatedBy != "staff:st_boss" || k.LastUsedAt != nil {
		t.Errorf("key %+v", k)
	}
	if parts := strings.SplitN(token, "_", 3); len(parts) != 3 || parts[0] != "rk" || parts[1] != k.ID || len(parts[2]) != 43 || !strings.HasPrefix(token, k.Prefix()+"_") {
		t.Errorf("token %q of key %s", token, k.ID)
	}
	row := w.newest("key:" + k.ID)
	wantAudit(t, row, staff.ActionKeyCreate, "done", "")
	secret := strings.TrimPrefix(token, k.Prefix()+"_")
	if strings.Contains(*row.After, secret) || w.count(`SELECT count(*) FROM api_keys WHERE api_keys::text LIKE '%' || ? || '%'`, secret) != 0 {
		t.Error("the secret is stored")
	}

	got, err := w.KeyByToken(ctx, token)
	if err != nil || got.ID != k.ID || !got.Allows(staff.JobCharge) || !got.Allows(staff.LedgerView) || got.Allows(staff.AccountGrant) {
		t.Errorf("by token %+v, %v", got, err)
	}
	list, err := w.ListKeys(ctx)
	if err != nil || len(list) != 1 || list[0].LastUsedAt == nil {
		t.Errorf("list %+v, %v", list, err)
	}
}

func TestCreateKeyRefusesBadInput(t *testing.T) {
	w := newWorld(t, staff.Options{})
	past := time.Now().Add(-time.Hour)
	all := staff.Scopes()
	for _, c := range []struct {
		in     staff.NewKey
		fields string
	}{
		{staff.NewKey{Name: "", Scopes: all}, "name"},
		{staff.NewKey{Name: "k"}, "scopes"},
		{staff.NewKey{Name: "k", Scopes: []staff.Scope{staff.JobsWork, "jobs:all"}}, "scopes"},
		{staff.NewKey{}, "name,scopes"},
		{staff.NewKey{Name: "k", Scopes: all, ExpiresAt: &past}, "expires_at"},
	} {
		_, token, err := w.CreateKey(context.Background(), boss, c.in)
		wantFault(t, err, fault.Invalid, fault.CodeInvalid, c.fields)
		if token != "" {
			t.Error("a refused key has a token")
		}
	}
}

func TestRepeatedCreationMakesOneKey(t *testing.T) {
	w := newWorld(t, staff.Options{})
	by := boss
	by.OperationID = "op-1"
	n := staff.NewKey{Name: "k", Scopes: staff.Scopes()}
	if _, _, err := w.CreateKey(context.Background(), by, n); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.CreateKey(context.Background(), by, n)
	wantFault(t, err, fault.Conflict, fault.CodeOperationConflict, "")
	if n := w.count(`SELECT count(*) FROM api_keys`); n != 1 {
		t.Errorf("there are %d keys", n)
	}
}

func TestKeyByTokenRefusesWhatIsNoKey(t *testing.T) {
	w := newWorld(t, staff.Options{})
	ctx := context.Background()
	k, token, err := w.CreateKey(ctx, boss, staff.NewKey{Name: "k", Scopes: staff.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "rk_", "rk__", "rk_" + k.ID, "rk_" + k.ID + "_", token + "x", token[:len(token)-1], strings.ToUpper(token),
		"xx" + token[2:], "rk_0000000000000000_" + token[20:], "rk_a\x00b_c", "rk_\xff_c", "rk_%_c", "rk_" + strings.Repeat("a", 10_000) + "_b",
	} {
		if _, err := w.KeyByToken(ctx, bad); !fault.Is(err, fault.CodeUnauthenticated) {
			t.Errorf("%.40q: got %v", bad, err)
		}
	}
}

func TestRevokedKeyIsRefusedAtOnceHereAndSoonElsewhere(t *testing.T) {
	w := newWorld(t, staff.Options{KeyCacheTTL: time.Hour})
	ctx := context.Background()
	const ttl = 300 * time.Millisecond
	elsewhere := staff.New(w.db, staff.Options{Hash: quick, KeyCacheTTL: ttl})
	k, token, err := w.CreateKey(ctx, boss, staff.NewKey{Name: "k", Scopes: staff.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*staff.Service{w.Service, elsewhere} {
		if _, err := s.KeyByToken(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.RevokeKey(ctx, boss, k.ID, "leaked"); err != nil {
		t.Fatal(err)
	}
	row := w.newest("key:" + k.ID)
	wantAudit(t, row, staff.ActionKeyRevoke, "done", "")
	if row.Reason != "leaked" {
		t.Errorf("reason %q", row.Reason)
	}
	_, err = w.KeyByToken(ctx, token)
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
	time.Sleep(ttl)
	_, err = elsewhere.KeyByToken(ctx, token)
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")

	wantFault(t, w.RevokeKey(ctx, boss, k.ID, ""), fault.Conflict, fault.CodeStateConflict, "")
	for _, id := range []string{"", "nosuchkey", "\x00"} {
		wantFault(t, w.RevokeKey(ctx, boss, id, ""), fault.NotFound, fault.CodeNotFound, "")
	}
}

func TestKeyExpiresInTheMiddleOfTheCacheTime(t *testing.T) {
	w := newWorld(t, staff.Options{KeyCacheTTL: time.Hour})
	ctx := context.Background()
	soon := time.Now().Add(2 * time.Second)
	_, token, err := w.CreateKey(ctx, boss, staff.NewKey{Name: "k", Scopes: staff.Scopes(), ExpiresAt: &soon})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.KeyByToken(ctx, token); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(soon) + 50*time.Millisecond)
	_, err = w.KeyByToken(ctx, token)
	wantFault(t, err, fault.Unauthenticated, fault.CodeUnauthenticated, "")
}

func TestLastUseMovesOnceAMinute(t *testing.T) {
	w := newWorld(t, staff.Options{KeyCacheTTL: time.Nanosecond})
	ctx := context.Background()
	_, token, err := w.CreateKey(ctx, boss, staff.NewKey{Name: "k", Scopes: staff.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	used := func() string {
		if _, err := w.KeyByToken(ctx, token); err != nil {
			t.Fatal(err)
		}
		var s string
		w.db.Raw(`SELECT last_used_at::text FROM api_keys`).Scan(&s)
		return s
	}
	first := used()
	if again := used(); first == "" || again != first {
		t.Errorf("last use moved from %q to %q within a minute", first, again)
	}
	w.exec(`UPDATE api_keys SET last_used_at = last_used_at - interval '2 minutes'`)
	if moved := used(); moved <= first {
		t.Errorf("last use stayed at %s", moved)
	}
}
