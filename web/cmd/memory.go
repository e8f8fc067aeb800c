package cmd

import (
	"os"
	"runtime/debug"
)

// workersGC is Go's garbage collection target of a process that makes files, in percent.
const workersGC = 50

// saveMemory lets garbage collection of this process begin when the heap has grown by half, not when it has doubled. A workbook
// passes its rows through a buffer of some 32 MB, so that a process of 40 MB would else reach 120 MB; with it, it stays below
// 100. The heap is small, and what that costs in processor time could not be measured. GOGC in the environment wins.
func saveMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(workersGC)
	}
}
