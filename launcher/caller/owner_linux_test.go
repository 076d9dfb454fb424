package caller

import (
	"bufio"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// The nearest agent is meant, and of programs that start themselves again the first; other programs
// between them end the row.
func TestAgentInLine(t *testing.T) {
	line := func(files ...string) (list []approval.Process) {
		for i, f := range files {
			list = append(list, approval.Process{PID: 100 + i, File: f,
				Name: f[strings.LastIndexByte(f, '/')+1:], Args: []string{f}})
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

// Whose end cannot be seen is no owner; one that has ended is noticed.
func TestOwnerEnds(t *testing.T) {
	for _, nobody := range []int{0, -1, 1 << 30} {
		if ownerAt(nobody) != nil || OwnerOf(nobody) != nil {
			t.Errorf("process %d has an owner", nobody)
		}
	}
	pid, end := called(t)
	leader := leaderOf(pid, 1)
	if leaderOf(leader, 1) != 0 || leaderOf(leader, pid) != leader {
		t.Error("a leader that was called itself is its own owner, or the machine's first process is one")
	}
	p := ownerAt(leader)
	if p == nil {
		t.Fatal("a process in a session has no owner")
	}
	select {
	case <-p.Ended:
		t.Error("it has ended before its end")
	default:
	}
	end()
	<-p.Ended
	if p := ownerAt(leaderOf(pid, 1)); p != nil { // the leader is dead
		t.Errorf("the owner is %q", p.Name)
	}
}
