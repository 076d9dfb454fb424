package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lockAndStop locks the named file, as a run does while it writes there, and stops itself.
func lockAndStop() {
	f, err := os.OpenFile(os.Args[1], os.O_RDWR, 0)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err == nil {
		err = stopHere()
	}
	fmt.Fprintln(os.Stderr, err)
	f.Close() // continued: the others may go on
}

// If a run is stopped while it holds one of the locks that runs share, the others do not wait
// silently: each says once which process it waits for and what to type, and goes on after that is
// done.
func TestStoppedRunIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lock, line string
		status     int
	}{
		{"audit/lock", "tada-run true", 0}, {"audit/lock.sync", "tada-run true", 0},
		{"shadow/*/lock", "echo x >> TODO.md; tada-run true", 0},
		{"approvals.db.lock", "tada-run 'rm -rf build other'", 75},
		{"run/outbox", "tada-run 'rm -rf build other'", 75},
		{"run/transcripts", "tadactl gc", 0},
		{"run/transcripts", "tadactl audit redact $(tadactl sessions --outcome ok | cut -d' ' -f1) --text secret", 0},
	} {
		lock := test.lock
		t.Run(strings.ReplaceAll(lock, "/", " "), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).asking()
			if err := os.WriteFile(filepath.Join(p.dir, "TODO.md"), []byte("- [ ] x\n"),
				0o644); err != nil {
				t.Fatal(err)
			}
			// makes every lock
			p.run("tada-run 'echo a secret'; tada-run 'rm -rf build'; tadactl gc")
			files, err := filepath.Glob(filepath.Join(p.state, lock))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s is not there: %v", lock, err)
			}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			var held []int
			var notice string
			for _, file := range files {
				holder := exec.Command(self)
				holder.Args = []string{"lockandstop", file}
				if err := holder.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
				var status syscall.WaitStatus
				if _, err := syscall.Wait4(holder.Process.Pid, &status, syscall.WUNTRACED,
					nil); err != nil || !status.Stopped() {
					t.Fatalf("holder of %s: %v, %v", file, status, err)
				}
				held = append(held, holder.Process.Pid)
			}
			cmd := p.command(test.line)
			seen := newWaiter("waiting for process")
			cmd.Stderr = seen
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-seen.there:
			case err := <-ended:
				t.Fatalf("it ended without a word: %v\n%s", err, seen)
			}
			for _, pid := range held {
				if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
					t.Error(err)
				}
			}
			<-ended
			if status := cmd.ProcessState.ExitCode(); status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			text := seen.String()
			for _, pid := range held {
				if want := fmt.Sprintf("tada-run: waiting for process %d, which is stopped (lockandstop ", pid); strings.Count(text, want) == 1 && strings.Contains(text, fmt.Sprintf("kill -CONT %d\n", pid)) {
					notice = want
				}
			}
			if notice == "" || strings.Count(text, "waiting for process") != 1 {
				t.Errorf("%d hold it, and it said:\n%s", held, text)
			}
		})
	}
}

// A waiter is a buffer that reports when it contains a text.
type waiter struct {
	seen  bytes.Buffer
	text  string
	there chan struct{}
	found bool
}

func newWaiter(text string) *waiter { return &waiter{text: text, there: make(chan struct{})} }

func (w *waiter) Write(p []byte) (int, error) {
	n, err := w.seen.Write(p)
	if !w.found && strings.Contains(w.seen.String(), w.text) {
		w.found = true
		close(w.there)
	}
	return n, err
}

func (w *waiter) String() string { return w.seen.String() }
