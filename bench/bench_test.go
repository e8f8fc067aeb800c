package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// pgbench would take a colon before a letter for a variable of its own, also inside a text.
func TestStatementsHoldNoVariable(t *testing.T) {
	variable := regexp.MustCompile(`[^:]:[A-Za-z_]`)
	for name, statement := range map[string]string{
		"charge":          chargeStatement("p", spread(1000), "managed"),
		"charge external": chargeStatement("p", hot, "external"),
		"fail":            failStatement("p", spread(1000)),
		"succeed":         succeedStatement("p", spread(1000)),
		"replay":          replayStatement("p", spread(1000), 10),
	} {
		if found := variable.FindString(statement); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
		if strings.Count(statement, ";") != 1 || !strings.HasSuffix(statement, ";\n") {
			t.Errorf("%s is not one statement", name)
		}
	}
}

func TestProcessTimeGrows(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc")
	}
	before := processTime(os.Getpid())
	for end := time.Now().Add(20 * time.Second); processTime(os.Getpid()) <= before; {
		if time.Now().After(end) {
			t.Fatalf("still %s after 20 s of work", before)
		}
	}
}

func TestTableShowsTheMedianRound(t *testing.T) {
	var all []measure
	for _, rate := range []float64{900, 100, 500} {
		all = append(all, measure{"charge", "model", run{rate: rate, n: 1, cpu: 2 * time.Millisecond}, run{rate: 1000, n: 1, cpu: time.Millisecond}})
	}
	var b bytes.Buffer
	printTable(&b, all)
	if got := strings.Fields(strings.Split(b.String(), "\n")[1]); strings.Join(got, " ") != "charge model 500 1000 0.50 0.50" {
		t.Errorf("row %q", got)
	}
}
