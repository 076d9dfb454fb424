package caller

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// No run is connected to what speaks for the person: this program, what it was started by, agents
// and programs that hold terminals.
func TestMayServe(t *testing.T) {
	text, err := os.ReadFile("/bin/cat")
	if err != nil {
		t.Fatal(err)
	}
	start := func(name string) int {
		file := t.TempDir() + "/" + name
		c := exec.Command(file)
		in, err := c.StdinPipe()
		err = errors.Join(err, hermetic.WriteProgram(file, text, 0o755), c.Start())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close(); _ = c.Wait() })
		return c.Process.Pid
	}
	for what, test := range map[string]struct {
		pid int
		may bool
	}{
		"a server":      {start("server"), true},
		"this program":  {os.Getpid(), false},
		"its parent":    {os.Getppid(), false},
		"an agent":      {start("claude"), false},
		"no process":    {1 << 30, false},
		"a multiplexer": {start("tmux"), false},
	} {
		if may := MayServe(test.pid); may != test.may {
			t.Errorf("%s: %v", what, may)
		}
	}
}
