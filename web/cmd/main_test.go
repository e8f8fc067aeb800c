package cmd

import (
	"fmt"
	"os"
	"testing"

	"recoup/models/modeltest"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(workerEnv); config != "" {
		beWorker(config)
		return
	}
	modeltest.Waiting(4)
	code := modeltest.Main(m)
	if err := built.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
