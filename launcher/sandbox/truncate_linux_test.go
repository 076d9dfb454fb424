package sandbox

import (
	"os/exec"
	"testing"

	"github.com/tada-run/tada-run/launcher/broker"
)

// To cut what is no regular file is an error, as outside of the sandbox: nobody waits for a reader
// of a FIFO.
func TestCutNoFile(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip(err)
	}
	const cut = `mkfifo f; for name in f . /dev/null; do
		perl -e 'print truncate($ARGV[0], 0) ? "cut" : $!+0, "\n"' "$name"
	done`
	levels(t, func(t *testing.T, p Profile) {
		p.Changes = &broker.Capture{Changes: &announced{}, Strict: true}
		if _, text := shell(t, p, "cd "+p.Write[0].Name+"; "+cut); text != "22\n21\n22\n" {
			t.Errorf("%q", text)
		}
	})
}
