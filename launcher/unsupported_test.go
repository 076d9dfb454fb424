package launcher

import (
	"strings"
	"testing"
)

// Where nothing runs, the error says why, and what to type or use.
func TestUnsupported(t *testing.T) {
	for system, says := range map[string][]string{
		"freebsd": {"no sandbox for freebsd", "use Linux"},
	} {
		for _, part := range says {
			if err := unsupported(system); !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q is not in %v", system, part, err)
			}
		}
	}
}
