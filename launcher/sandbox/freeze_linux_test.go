//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"os"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A shell with job control that sees a job stop takes the terminal back and goes on to what comes
// next. Frozen and thawed as a whole, over and over, it sees nothing.
func TestFreezeIsNotSeen(t *testing.T) {
	t.Parallel()
	levels(t, func(t *testing.T, p Profile) {
		out, w, err := os.Pipe()
		must(t, err)
		defer out.Close()
		in, hold, err := os.Pipe()
		must(t, err)
		process, _, err := Start(p, Command{
			Path: "/bin/bash", Env: []string{"PATH=/usr/bin:/bin"},
			Argv: []string{"bash", "-c",
				`set -m; bash -c 'echo began; read -r x'; echo "came back $?"`},
			Files: []*os.File{in, w, os.Stderr},
		})
		w.Close()
		in.Close()
		must(t, err)
		said := bufio.NewScanner(out)
		if !said.Scan() || said.Text() != "began" {
			t.Fatalf("said %q", said.Text())
		}
		for range hermetic.Rounds(300) {
			process.Freeze()
			process.Thaw()
		}
		_, err = hold.WriteString("on\n")
		must(t, err)
		hold.Close()
		if !said.Scan() || said.Text() != "came back 0" {
			t.Errorf("the shell saw its job stop: it said %q", said.Text())
		}
		_, err = process.Wait()
		must(t, err)
	})
}
