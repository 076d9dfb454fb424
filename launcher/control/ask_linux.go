package control

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// maxQuestion bounds a question: a command line, its environment, and some air.
const maxQuestion = 4 << 20

// Ask sends a question to the session that this process runs in and waits for the answer. The
// variable names the descriptor if the kernel does not give one. The session then watches this
// process: when it ends, the command has ended. Errors wrap ErrNoSession, or ErrUnanswered if a
// session has the question.
func Ask(q Question, variable string) (Reply, error) {
	fd, err := descriptorOf(variable)
	if err != nil {
		return Reply{}, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrNoSession, err)
	}
	ours := os.NewFile(uintptr(pair[0]), "conversation")
	defer ours.Close()
	err = unix.Sendmsg(fd, []byte{'?'}, unix.UnixRights(pair[1]), nil, unix.MSG_NOSIGNAL)
	unix.Close(pair[1])
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrNoSession, err)
	}
	if err := json.NewEncoder(ours).Encode(q); err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	var r Reply
	if err := json.NewDecoder(io.LimitReader(ours, maxQuestion)).Decode(&r); err != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	return r, nil
}

// descriptorOf is the descriptor to ask on: the one that the kernel gives, and else the one that
// was inherited.
func descriptorOf(variable string) (int, error) {
	if fd, err := broker.RequestSocket(); err == nil {
		return fd, nil
	}
	fd, err := strconv.Atoi(variable)
	if err != nil || fd < 3 {
		return -1, ErrNoSession
	}
	return fd, nil
}
