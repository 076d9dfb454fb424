package shellparse_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // a fifth of the time of these tests went into collecting garbage
	os.Exit(hermetic.Tests(m).Run())
}
