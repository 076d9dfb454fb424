package integration

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// The address space that tada-run says it needs always suffices. The program is the real one: that
// of the other stories is this test, which has half as much again mapped before it begins.
func TestAddressSpace(t *testing.T) {
	t.Parallel()
	need(t, "go")
	p := newPlace(t)
	program := filepath.Join(t.TempDir(), "tada-run")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "../cmd/tada-run")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, limit := range []int{920000, 2000000, 4000000} {
		for range 10 {
			line := fmt.Sprintf("ulimit -v %d; exec %s --home %s 'echo ran'", limit, program,
				p.state)
			if out := p.run(line); out != "ran\n" {
				t.Fatalf("-v %d: %s", limit, out)
			}
		}
	}
}
