package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// staying starts a line whose tree may outlive its command.
func staying(t *testing.T, level Level, line string) (p *Process, dir string) {
	t.Helper()
	dir = t.TempDir()
	profile := Default(dir, "")
	profile.Require, profile.Most = level, level
	at, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	p, _, err = Start(profile, Command{Path: "/bin/bash", Argv: []string{"bash", "-c", line},
		Dir: at, Env: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill(); _, _ = p.Wait() })
	p.Stay()
	return p, dir
}

// release writes a line to the pipe that a process of the run reads, or is about to.
func release(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "go"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
}

// wrote waits until a file has that text.
func wrote(t *testing.T, name, want string) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if text, _ := os.ReadFile(name); string(text) == want {
			return
		}
	}
	text, _ := os.ReadFile(name)
	t.Fatalf("%s has %q, want %q", name, text, want)
}

// The command's end is told when it has ended, with its status; what it left goes on in its sandbox
// until it ends by itself or the tree is killed.
func TestStay(t *testing.T) {
	AdoptOrphans(true)
	defer AdoptOrphans(false)
	for _, level := range []Level{Strong, Base} {
		for _, test := range []struct {
			line, state string
			want        Status
			killed      bool
		}{
			{"(read <go; echo late >out) & exit 3", "late\n", Status{Exited: true, Code: 3}, false},
			{"(setsid -f bash -c 'read <go; echo late >out') & kill -9 $$", "late\n",
				Status{Signal: syscall.SIGKILL}, false},
			{"(read <go; echo late >out) & (trap '' TERM; sleep 3600) & exit 0", "late\n",
				Status{Exited: true}, true},
		} {
			t.Run(level.String()+" "+test.line, func(t *testing.T) {
				p, dir := staying(t, level, "mkfifo go; "+test.line)
				s, err := p.Next()
				if err != nil || !s.Stays || len(s.Left) == 0 || s.Exited != test.want.Exited ||
					s.Code != test.want.Code || s.Signal != test.want.Signal {
					t.Fatalf("%+v, %v", s, err)
				}
				release(t, dir)
				wrote(t, filepath.Join(dir, "out"), test.state)
				if test.killed {
					if err := p.SignalGroup(syscall.SIGTERM); err != nil {
						t.Errorf("the group of a dead command: %v", err)
					}
					p.Kill()
				}
				last, err := p.Next()
				if err != nil || last.Stays || last.Left != nil ||
					last.Exited != test.want.Exited || last.Code != test.want.Code ||
					last.Signal != test.want.Signal || last.MaxMemory == 0 {
					t.Errorf("%+v, %v", last, err)
				}
				if err := p.SignalGroup(syscall.SIGTERM); err != os.ErrProcessDone {
					t.Errorf("a signal after the end: %v", err)
				}
			})
		}
	}
}

// A command that leaves nothing ends as ever, and what is over a limit ends though its command is
// dead.
func TestStayEnds(t *testing.T) {
	AdoptOrphans(true)
	defer AdoptOrphans(false)
	for _, level := range []Level{Strong, Base} {
		t.Run(level.String(), func(t *testing.T) {
			p, _ := staying(t, level, "sleep 0 & wait; exit 4")
			if s, err := p.Next(); err != nil || s.Stays || s.Code != 4 || s.Left != nil {
				t.Errorf("%+v, %v", s, err)
			}
			p, dir := staying(t, level,
				"mkfifo go; (read <go; for i in {1..99}; do sleep 3600 & done; wait) & :")
			s, err := p.Next()
			if err != nil || !s.Stays {
				t.Fatalf("%+v, %v", s, err)
			}
			p.watch(Limits{Processes: 50})
			release(t, dir)
			if s, err = p.Next(); err != nil || s.Exceeded != LimitProcesses {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// What the run has in memory counts while its command is dead.
func TestStayInMemory(t *testing.T) {
	p, dir := staying(t, Strong,
		"(head -c 3000000 /dev/zero >/dev/shm/x; echo made >out; sleep 3600) & :")
	if s, err := p.Next(); err != nil || !s.Stays {
		t.Fatalf("%+v, %v", s, err)
	}
	wrote(t, filepath.Join(dir, "out"), "made\n")
	var sum uint64
	for _, n := range p.inMemory() {
		sum += n
	}
	if sum < 3000000 {
		t.Errorf("%d bytes are counted", sum)
	}
}
