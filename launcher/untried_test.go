package launcher

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// Where nothing answers calls, what is lost is told; elsewhere the receipt alone has it.
func TestUntried(t *testing.T) {
	r := sandbox.Receipt{Lost: []sandbox.Loss{{Protection: sandbox.Undo},
		{Protection: sandbox.Tree}}}
	if got := untried(r, true); got != "" {
		t.Errorf("%q", got)
	}
	if got := untried(r, false); !strings.Contains(got, "LOST: undo, tree (") ||
		!strings.Contains(got, "tadactl doctor --attack") {
		t.Errorf("%q", got)
	}
}
