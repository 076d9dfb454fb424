package caller

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/state"
)

// An Owner is the process that a run is for: processes that the command leaves running end with it
// at the latest.
type Owner struct {
	Name  string
	Ended <-chan struct{}
}

// OwnerOf returns the owner of what the process from was called for: the agent's process among its
// ancestors, or else the leader of the session that it was called in. It is nil if there is no
// process whose end could be seen.
func OwnerOf(from int) *Owner {
	line := lineOf(from)
	if len(line) < 2 {
		return nil
	}
	pid := agentIn(line[1:])
	if pid == 0 {
		pid = leaderOf(from, line[1].PID)
	}
	return ownerAt(pid)
}

// ownerAt returns a process as a owner; nil where its end could not be seen.
func ownerAt(pid int) *Owner {
	if pid <= 0 {
		return nil
	}
	was := state.ProcessOf(pid)
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil
	}
	p, _, ok := processOf(pid)
	if !ok || state.ProcessOf(pid) != was { // another one has its number
		unix.Close(fd)
		return nil
	}
	over := make(chan struct{})
	go func() {
		defer unix.Close(fd)
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if n, err := unix.Poll(poll, -1); n > 0 || err != nil && err != unix.EINTR {
				close(over)
				return
			}
		}
	}()
	return &Owner{Name: fmt.Sprintf("%s (%d)", notice.Visible(p.Name), pid), Ended: over}
}

// agentIn returns the nearest agent in a line of processes: of several that follow each other, as
// programs do that start themselves again, the first. 0 is none.
func agentIn(line []approval.Process) (pid int) {
	name := ""
	for _, p := range line {
		switch agent := approval.AgentProgram(p.File, p.Args); {
		case pid != 0 && agent != name:
			return pid
		case agent != "":
			pid, name = p.PID, agent
		}
	}
	return pid
}

// leaderOf returns the leader of the session that a process was called in. Many programs start each
// command in a new session: then it is the leader of the parent's session. The parent must not be
// the machine's first process, which adopts a process whose own parent has ended.
func leaderOf(from, parent int) int {
	leader, err := unix.Getsid(from)
	if err == nil && leader == from {
		if parent == 1 {
			return 0
		}
		leader, err = unix.Getsid(parent)
	}
	if err != nil {
		return 0
	}
	return leader
}
