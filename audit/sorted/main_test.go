package sorted

import (
	"os"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }
