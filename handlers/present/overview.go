package present

import (
	"net/url"
	"strconv"
	"time"

	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/process"
	"recoup/models/verify"
	"recoup/views/overview"
	"recoup/views/text"
	"recoup/views/ui"
)

// DeadTile is the tile of the dead letters that wait for a person.
func (p Presenter) DeadTile(t deadletter.Waiting, to string) overview.Tile {
	tile := overview.Tile{Count: p.L.Credits(t.Count), URL: to}
	if t.OldestAt != nil {
		tile.Note = overview.Oldest(p.L, p.L.Ago(*t.OldestAt, p.Now))
	}
	return tile
}

// HeldTile is the tile of held actions, the longest held first.
func (p Presenter) HeldTile(held []dependency.ActionHold, to string) overview.Tile {
	tile := overview.Tile{Count: p.L.Credits(int64(len(held))), URL: to, Calm: true}
	if len(held) > 0 {
		tile.Note = overview.Since(p.L, held[0].Name, p.L.Ago(held[0].Since, p.Now))
	}
	return tile
}

// NegativeTile is the tile of accounts below zero.
func (p Presenter) NegativeTile(count int64, oldest *ledger.Account, to string) overview.Tile {
	tile := overview.Tile{Count: p.L.Credits(count), URL: to}
	if oldest != nil && oldest.NegativeSince != nil {
		tile.Note = overview.Oldest(p.L, p.L.Ago(*oldest.NegativeSince, p.Now))
	}
	return tile
}

// IntegrityTile is the last verification with a link to its page; nil when there was none. made is as for Integrity.
func (p Presenter) IntegrityTile(last *verify.Run, made map[verify.Check]verify.Run, to string) *overview.Integrity {
	if last == nil {
		return nil
	}
	found := last.Problems + standing(made)
	return &overview.Integrity{Passed: found == 0, URL: to, Found: p.L.Credits(found), At: p.L.Stamp(last.Finished, p.Now),
		Checked: p.L.T("integrity.checked", p.L.N("count.entries", last.Entries), p.L.Credits(last.Accounts))}
}

// Compare sets today's sums beside those of a week ago.
func (p Presenter) Compare(types []ledger.Type, today, before []ledger.Total) []overview.Compare {
	find := func(totals []ledger.Total, t ledger.Type) ledger.Total {
		for _, x := range totals {
			if x.Type == t {
				return x
			}
		}
		return ledger.Total{Type: t}
	}
	var out []overview.Compare
	for _, t := range types {
		a, b := find(today, t), find(before, t)
		v := overview.Compare{Type: string(t), Today: p.L.SignedSum(a.Amount.String()), Before: p.L.SignedSum(b.Amount.String()), Entries: p.L.N("count.entries", a.Count),
			TodayURL: "/ledger?" + url.Values{"type": {string(t)}, "period": {"today"}}.Encode()}
		if b.Amount.Sign() != 0 {
			v.Change = percent(a.Amount.Ratio(b.Amount))
		}
		out = append(out, v)
	}
	return out
}

// percent is the change to a multiple of what was before, in whole percent, with its sign.
func percent(ratio float64) string {
	change := int64(100 * (ratio - 1))
	switch {
	case change > 0:
		return "+" + strconv.FormatInt(change, 10) + " %"
	case change < 0:
		return text.Minus + strconv.FormatInt(-change, 10) + " %"
	}
	return "0 %"
}

// Services is the health of PostgreSQL, Redis, the relay, the processes and the sweeper. PostgreSQL answered, or there
// would be no page.
func (p Presenter) Services(all []process.Process) []overview.Service {
	out := []overview.Service{{Name: "PostgreSQL", State: "ok", At: p.L.Stamp(p.Now, p.Now)}}
	redis := overview.Service{Name: "Redis", State: "unknown", Detail: p.L.T("health.no_process")}
	relay := overview.Service{Name: p.L.T("health.relay"), State: "unknown", Detail: p.L.T("health.no_process")}
	workers := overview.Service{Name: p.L.T("health.workers"), State: "down", Detail: p.L.T("health.no_worker")}
	sweeper := overview.Service{Name: p.L.T("health.sweeper"), State: "down", Detail: p.L.T("health.no_worker")}
	alive := 0
	var swept *time.Time
	for _, x := range all {
		if !x.Alive {
			continue
		}
		at := p.L.Stamp(x.BeatAt, p.Now)
		if redis.State == "unknown" || !x.RedisOK {
			redis.State, redis.Detail, redis.At = "ok", "", at
			if !x.RedisOK {
				redis.State, redis.Detail = "down", p.L.T("health.redis_down")
			}
		}
		if relay.State == "unknown" || x.RelayLagMs > 0 {
			relay.State, relay.At = "ok", at
			relay.Detail = p.L.T("health.owed", p.L.Credits(x.OutboxRows))
			if x.RelayLagMs > 10_000 {
				relay.State = "degraded"
			}
		}
		if x.Kind == process.Work || x.Kind == process.Dev {
			alive++
			workers.State, workers.At = "ok", at
			workers.Detail = p.L.T("health.alive", strconv.Itoa(alive))
			if x.LastSweepAt != nil && (swept == nil || x.LastSweepAt.After(*swept)) {
				swept = x.LastSweepAt
			}
		}
	}
	// One that sweeps is enough: whichever process does, it does for all.
	if alive > 0 {
		sweeper.State, sweeper.Detail, sweeper.At = "ok", "", p.Stamp(swept)
		if swept == nil || p.Now.Sub(*swept) > time.Minute {
			sweeper.State, sweeper.Detail = "degraded", p.L.T("health.no_sweep")
		}
	}
	return append(out, redis, relay, workers, sweeper)
}

// LateSuccess is a job that succeeded after it had been given up.
func (p Presenter) LateSuccess(j job.Listed) overview.Late {
	v := overview.Late{Job: Job(j.AccountID, j.ID), Account: ui.Link{Text: j.AccountID, URL: AccountURL(j.AccountID)}, Action: j.Action, At: p.Stamp(j.DeliveredAt)}
	if j.IsReclaimed {
		v.Credits = p.L.Signed(-j.Cost)
	} else {
		v.Credits = p.L.Signed(0)
	}
	return v
}
