package launcher

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/shellparse"
)

// maxQuestion bounds a question: a command line, its environment, and some air.
const maxQuestion = 4 << 20

// QuestionOf is what a request asks.
func QuestionOf(req Request) Question {
	s := req.Shell
	return Question{
		Text: s.Text, Words: s.Words, Flags: s.Flags, Name: s.Name, Args: s.Args, Script: s.Script, Stdin: s.Stdin,
		Dialect: int(s.Dialect), Env: req.Env, Dir: req.Dir, Agent: req.Agent, WorkItem: req.WorkItem, CallID: req.CallID,
		Profile: req.Profile, Wait: int(req.Wait.Milliseconds()), Kind: kindOf(req.Stdio.In),
	}
}

// dialectOf is the dialect that a Question names; bash for a number that is none.
func dialectOf(n int) shellparse.Dialect {
	if _, ok := shells[shellparse.Dialect(n)]; ok {
		return shellparse.Dialect(n)
	}
	return shellparse.Bash
}

// AskOutside puts a question to the session that this process runs in and waits for the answer. The variable tells the
// descriptor where the kernel does not give one. The session then watches this process: when it ends, the command ended.
// Errors wrap ErrNoOutside.
func AskOutside(q Question, variable string) (Reply, error) {
	fd, err := outsideAt(variable)
	if err != nil {
		return Reply{}, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrNoOutside, err)
	}
	ours := os.NewFile(uintptr(pair[0]), "conversation")
	defer ours.Close()
	err = unix.Sendmsg(fd, []byte{'?'}, unix.UnixRights(pair[1]), nil, unix.MSG_NOSIGNAL)
	unix.Close(pair[1])
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrNoOutside, err)
	}
	if err := json.NewEncoder(ours).Encode(q); err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrNoOutside, err)
	}
	var r Reply
	if err := json.NewDecoder(io.LimitReader(ours, maxQuestion)).Decode(&r); err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrNoOutside, err)
	}
	return r, nil
}

// outsideAt is the descriptor to ask on: the one that the kernel gives, and else the one that was inherited.
func outsideAt(variable string) (int, error) {
	if fd, err := sandbox.Door(); err == nil {
		return fd, nil
	}
	fd, err := strconv.Atoi(variable)
	if err != nil || fd < 3 {
		return -1, ErrNoOutside
	}
	return fd, nil
}
