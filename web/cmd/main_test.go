package cmd

import (
	"fmt"
	"os"
	"testing"

	"recoup/models/modeltest"
)

func TestMain(m *testing.M) {
	code := modeltest.Main(m)
	if err := built.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
