package drill

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is a kind of trouble that the drill makes.
type Fault string

// The faults. The first six are safe against a running system that others look at too, except that
// FlushRedis needs a private one; the last three end processes and exist in a private system only.
const (
	// Duplicate sends a signal or a charge several times under the same operation id, at once.
	Duplicate Fault = "duplicate"
	// Race sends signals of the same attempt under different operation ids, at once, contradictory
	// ones included.
	Race Fault = "race"
	// Drop loses answers after the server has committed, or cuts the connection meanwhile, and sends
	// the same operation again.
	Drop Fault = "drop"
	// Late lets half of the failed jobs, and results of dead workers, arrive after the refund.
	Late Fault = "late"
	// KillWorker ends workers in mid-job and in mid-request. They remember nothing.
	KillWorker Fault = "kill-worker"
	// FlushRedis empties Redis a few times.
	FlushRedis Fault = "flush-redis"
	// KillServer ends serve, and once work, with SIGKILL under load.
	KillServer Fault = "kill-server"
	// KillPostgres ends PostgreSQL with SIGKILL under load.
	KillPostgres Fault = "kill-postgres"
	// StopRedis takes Redis away for a while.
	StopRedis Fault = "stop-redis"
)

// AllFaults lists every fault.
func AllFaults() []Fault {
	return []Fault{Duplicate, Race, Drop, Late, KillWorker, FlushRedis, KillServer, KillPostgres, StopRedis}
}

// SafeFaults lists the faults that end no process of the system.
func SafeFaults() []Fault { return []Fault{Duplicate, Race, Drop, Late, KillWorker, FlushRedis} }

// private faults need hands on the system's processes.
func privateFaults() []Fault { return []Fault{FlushRedis, KillServer, KillPostgres, StopRedis} }

// Faults is a set of faults.
type Faults map[Fault]bool

// Has reports whether f is in the set.
func (s Faults) Has(f Fault) bool { return s[f] }

func (s Faults) String() string {
	var names []string
	for _, f := range AllFaults() {
		if s[f] {
			names = append(names, string(f))
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// ParseFaults reads "none", "safe", "all" or a comma separated list of names. "" gives nil, which means
// all at a private system and the safe ones at a running one.
func ParseFaults(list string) (Faults, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	set := Faults{}
	add := func(fs []Fault) {
		for _, f := range fs {
			set[f] = true
		}
	}
	for _, name := range strings.Split(list, ",") {
		switch name = strings.TrimSpace(name); name {
		case "none":
		case "safe":
			add(SafeFaults())
		case "all":
			add(AllFaults())
		default:
			if !slices.Contains(AllFaults(), Fault(name)) {
				return nil, fmt.Errorf("there is no fault %q; there are none, safe, all, %s", name, all())
			}
			set[Fault(name)] = true
		}
	}
	return set, nil
}

func all() Faults {
	set := Faults{}
	for _, f := range AllFaults() {
		set[f] = true
	}
	return set
}
