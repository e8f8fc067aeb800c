package drill

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func read(text string, limit int) ([]TraceJob, error) {
	var jobs []TraceJob
	err := ReadTrace(strings.NewReader(text), limit, func(j TraceJob) error {
		jobs = append(jobs, j)
		return nil
	})
	return jobs, err
}

const header = "job_id,account_id,action,units,phase,created_s\n"

func TestReadTrace(t *testing.T) {
	jobs, err := read("\ufeffphase,units,extra,account_id,created_s,action,job_id\r\n"+
		"Succeeded,7200,x,acct_1,12.5,video_render,j1\r\n"+
		"\"running\",9223372036854775807,\"a,b\",acct:2@x,,image_generation,j.2\r\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []TraceJob{
		{Line: 2, JobID: "j1", AccountID: "acct_1", Action: "video_render", Units: 7200, Phase: Succeeded, CreatedS: 12.5},
		{Line: 3, JobID: "j.2", AccountID: "acct:2@x", Action: "image_generation", Units: 9223372036854775807, Phase: Running},
	}
	if len(jobs) != 2 || jobs[0] != want[0] || jobs[1] != want[1] {
		t.Errorf("got %+v, want %+v", jobs, want)
	}
}

func TestReadTraceOnlyRequiredColumns(t *testing.T) {
	jobs, err := read("job_id,account_id,action,units,phase\nj,a,x,1,Pending\n", 0)
	if err != nil || len(jobs) != 1 || jobs[0].Phase != Pending {
		t.Errorf("got %+v, %v", jobs, err)
	}
}

func TestReadTraceLimit(t *testing.T) {
	text := header + "j1,a,x,1,Failed,0\nj2,a,x,1,Failed,0\nbroken line\n"
	if jobs, err := read(text, 2); err != nil || len(jobs) != 2 {
		t.Errorf("got %d jobs, %v", len(jobs), err)
	}
}

func TestReadTraceRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text, column, message string
		line                  int
	}{
		"empty file":      {"", "", "empty", 1},
		"missing columns": {"job_id,units,phase\n", "", "lacks account_id, action", 1},
		"column twice":    {"job_id,account_id,action,units,phase,units\n", "units", "twice", 1},
		"short line":      {header + "j1,a,x,1,Failed,0\nj2,a\n", "", "number of columns", 3},
		"open quote":      {header + "\"j1,a,x,1,Failed,0\n", "", "not valid CSV", 2},
		"units":           {header + "j1,a,x,1.5,Failed,0\n", "units", "whole number", 2},
		"no units":        {header + "j1,a,x,0,Failed,0\n", "units", "at least 1", 2},
		"too many units":  {header + "j1,a,x,9223372036854775808,Failed,0\n", "units", "whole number", 2},
		"phase":           {header + "j1,a,x,1,Done,0\n", "phase", "Succeeded, Failed", 2},
		"created":         {header + "j1,a,x,1,Failed,NaN\n", "created_s", "seconds", 2},
		"job id":          {header + "j 1,a,x,1,Failed,0\n", "job_id", "may hold only", 2},
		"no account":      {header + "j1,,x,1,Failed,0\n", "account_id", "1 to 64", 2},
		"action":          {header + "j1,a,Render,1,Failed,0\n", "action", "a letter first", 2},
		"same job twice":  {header + "j1,a,x,1,Failed,0\nj1,b,x,1,Failed,0\nj1,a,x,1,Failed,0\n", "job_id", "on line 2", 4},
		"multi-line cell": {header + "j1,a,x,1,\"Failed\n\",0\n", "phase", "must be", 2},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.text, 0)
			var bad *TraceError
			if !errors.As(err, &bad) {
				t.Fatalf("got %v", err)
			}
			if bad.Line != c.line || bad.Column != c.column || !strings.Contains(bad.Message, c.message) {
				t.Errorf("got line %d, column %q: %s", bad.Line, bad.Column, bad.Message)
			}
		})
	}
}

// The memory of a CSV record is used again for the next: what was handed out must not change.
func TestReadTraceKeepsItsStrings(t *testing.T) {
	jobs, err := read(header+"first,aaaaa,xxxxx,1,Failed,0\nother,bbbbb,yyyyy,1,Failed,0\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	if jobs[0].JobID != "first" || jobs[0].AccountID != "aaaaa" || jobs[0].Action != "xxxxx" {
		t.Errorf("the first job became %+v", jobs[0])
	}
}

// The trace that the README has people run is one, and holds every phase.
func TestTraceOfTheDocuments(t *testing.T) {
	f, err := os.Open("../../docs/drill-sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	phases := map[Phase]int{}
	if err := ReadTrace(f, 0, func(j TraceJob) error { phases[j.Phase]++; return nil }); err != nil {
		t.Fatal(err)
	}
	if all := phases[Succeeded] + phases[Failed] + phases[Running] + phases[Pending]; all != 200 || len(phases) != 4 {
		t.Errorf("%v", phases)
	}
}
