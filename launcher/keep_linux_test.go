package launcher

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// The nearest agent is meant, and of programs that start themselves again the first; other programs
// between them end the row.
func TestAgentInLine(t *testing.T) {
	line := func(files ...string) (list []approval.Process) {
		for i, f := range files {
			list = append(list, approval.Process{PID: 100 + i, File: f, Name: f[strings.LastIndexByte(f, '/')+1:], Args: []string{f}})
		}
		return list
	}
	for _, test := range []struct {
		files []string
		want  int
	}{
		{[]string{"/bin/bash", "/bin/sshd"}, 0},
		{[]string{"/bin/bash", "/x/claude", "/bin/zsh"}, 101},
		{[]string{"/x/codex", "/x/codex", "/bin/zsh"}, 101},
		{[]string{"/x/claude", "/bin/bash", "/x/claude"}, 100},
		{[]string{"/x/codex", "/x/claude"}, 100},
	} {
		if got := agentIn(line(test.files...)); got != test.want {
			t.Errorf("%q: %d, want %d", test.files, got, test.want)
		}
	}
}

// called returns a process in a session whose leader lives until end.
func called(t *testing.T) (pid int, end func()) {
	t.Helper()
	leader := exec.Command("bash", "-c", "sleep 3600 >/dev/null & echo $!; read x")
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err1 := leader.StdinPipe()
	out, err2 := leader.StdoutPipe()
	if err := errors.Join(err1, err2, leader.Start()); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(line))
	}
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() { _ = in.Close(); _ = leader.Wait() })
	t.Cleanup(func() { end(); _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid, end
}

// Whose end cannot be seen is no patron; one that has ended is noticed.
func TestPatronEnds(t *testing.T) {
	for _, nobody := range []int{0, -1, 1 << 30} {
		if patronAt(nobody) != nil || patronOf(nobody) != nil {
			t.Errorf("process %d has a patron", nobody)
		}
	}
	pid, end := called(t)
	leader := leaderOf(pid, 1)
	if leaderOf(leader, 1) != 0 || leaderOf(leader, pid) != leader {
		t.Error("a leader that was called itself is its own patron, or the machine's first process is one")
	}
	p := patronAt(leader)
	if p == nil {
		t.Fatal("a process in a session has no patron")
	}
	select {
	case <-p.ended:
		t.Error("it has ended before its end")
	default:
	}
	end()
	<-p.ended
	if p := patronAt(leaderOf(pid, 1)); p != nil { // the leader is dead
		t.Errorf("the patron is %q", p.name)
	}
}

// What needed an approval ends with its command: it was given for what was shown. Without the
// setting, or without who could be told, nothing goes on.
func TestOnlyPolicyLetsGoOn(t *testing.T) {
	l, req := world(t)
	if err := os.WriteFile(l.state.Config(), []byte("background: keep\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := session.Open(session.Stdio{}, session.Never, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		by   authority
		want string
	}{
		{authority{}, ""},
		{authority{envelope: "e"}, "needed an approval"},
		{authority{grant: "g"}, "needed an approval"},
	} {
		e := endedRun(judged(t, l, req), sandbox.Status{Left: []string{"sleep"}})
		*e.authority, e.terminal, e.l = test.by, terminal, l
		if got := e.endsBehind(); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
		_, e.ends = e.mayStay()
		if got := e.after().WhyEnded; !strings.Contains(got, test.want) {
			t.Errorf("told %q", got)
		}
	}
	e := endedRun(judged(t, l, req), sandbox.Status{Left: []string{"sleep"}})
	e.terminal, e.l, e.Request.Keep = terminal, l, &Keep{From: 1 << 30}
	if b, why := e.mayStay(); b != nil || !strings.Contains(why, "needs an agent, or a session") {
		t.Errorf("without a patron: %v, %q", b, why)
	}
	req.Shell.Text = "sleep 3600 & echo hi"
	if got := status(t, l, req, req.Shell.Text); got != 0 {
		t.Fatal(got)
	}
	if left := entriesOf(t, l, audit.KindLeft); len(left) != 0 {
		t.Errorf("nobody could be told, and the record has %v", left)
	}
}

// A caller that cannot be told is no caller: everything ends, and the record has the end.
func TestHandOverFails(t *testing.T) {
	sandbox.AdoptOrphans(true)
	defer sandbox.AdoptOrphans(false)
	l, req := world(t)
	if err := os.WriteFile(l.state.Config(), []byte("background: keep\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := called(t)
	told := Outcome{Status: -1}
	req.Keep = &Keep{From: pid, Over: func(o Outcome) error { told = o; return syscall.EPIPE }}
	if got := status(t, l, req, "sleep 3600 & exit 5"); got != 5 {
		t.Error(got)
	}
	left, ends := entriesOf(t, l, audit.KindLeft), entriesOf(t, l, kindEnd)
	if told.Status != 5 || len(left) != 1 || len(ends) != 1 || ends[0]["background"] != true {
		t.Errorf("told %+v; %v, %v", told, left, ends)
	}
}
