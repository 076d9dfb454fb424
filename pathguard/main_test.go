package pathguard

import (
	"os"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// decode reads a configuration over the values that it starts from.
func decode(f ConfigFile, text []byte, start Settings) (Settings, error) {
	d, err := parse(f, text, start)
	return d.set, err
}
