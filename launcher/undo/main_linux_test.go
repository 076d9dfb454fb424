package undo

import (
	"fmt"
	"os"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// The test binary is also the process that keeps a journal, and dies.
func TestMain(m *testing.M) {
	if job := os.Getenv("UNDO_TEST_JOB"); job != "" {
		if err := child(job, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(hermetic.Tests(m).Run())
}
