//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is held makes no step, however many processes it makes, in sessions of their own too, and
// whoever else lets it go on; released, it goes on.
func TestHold(t *testing.T) {
	t.Parallel()
	levels(t, func(t *testing.T, p Profile) {
		out, w, err := os.Pipe()
		must(t, err)
		defer out.Close()
		process, _, err := Start(p, Command{Path: "/bin/bash", Env: []string{"PATH=/usr/bin:/bin"},
			Argv: []string{"bash", "-c", `f() { while :; do (echo step); done; }
				f & setsid bash -c "$(declare -f f); f" & f`},
			Files: []*os.File{nil, w, os.Stderr}})
		w.Close()
		must(t, err)
		var steps atomic.Int64
		go func() {
			for said := bufio.NewScanner(out); said.Scan(); {
				steps.Add(1)
			}
		}()
		within := func(d time.Duration) bool { // makes a step within it
			time.Sleep(100 * time.Millisecond) // what was printed before is read
			was := steps.Load()
			for deadline := time.Now().Add(d); steps.Load() == was; {
				if time.Now().After(deadline) {
					return false
				}
				time.Sleep(10 * time.Millisecond)
			}
			return true
		}
		moves := func() bool { return within(400 * time.Millisecond) }
		for range 3 {
			if !within(30 * time.Second) { // a busy machine starts three programs late
				t.Fatal("it makes no step")
			}
			if sure := process.Hold(); sure != (p.Most == Strong || adopts()) {
				t.Errorf("held: %v", sure)
			}
			process.Thaw()
			must(t, process.SignalGroup(unix.SIGCONT))
			must(t, process.Signal(unix.SIGCONT))
			if moves() {
				t.Error("it moves while it is held")
			}
			process.Freeze()
			process.Release()
			if moves() {
				t.Error("it moves while it is frozen")
			}
			process.Thaw()
		}
		must(t, unix.Kill(process.Pid(), unix.SIGCONT))
		process.Hold()
		process.Kill()
		_, err = process.Wait()
		must(t, err)
	})
}
