//go:build amd64 || arm64

package broker

import (
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// starts is the customer that sees each program begin, where a host is for some programs only
// (Rule.For). What a process may use is decided when it executes a file: by the file, and by what
// the process was before. So a program that another one of the run starts, or becomes, is not taken
// for the one that the command line starts, whatever it is called. The kernel decides whether the
// file is executed.
type starts struct {
	reach network.Reach
	trees *trees
	first func() int
	work  *workers

	mu    sync.Mutex
	known map[int]started // by process
}

// A standing is how near a process is to the command line.
type standing int

const (
	other standing = iota // something that the command line does not tell
	deep                  // a shell, or a program that starts others, which reads a file
	lead                  // the command line's own shell, or a wrapper that it starts
	given                 // a program of a rule, or what that started
)

// A started is what is known of a process.
type started struct {
	since string // when the process began: a later one may have the same number
	standing
	whose []network.Start
}

// maxStarted bounds the processes that are remembered before those that are gone are forgotten.
const maxStarted = 4096

func newStarts(p *Profile, t *trees, first func() int) *starts {
	if p.Network == nil || !p.Network.Reach.ByProgram() {
		return nil
	}
	return &starts{reach: p.Network.Reach, trees: t, first: first, work: newWorkers(),
		known: map[int]started{}}
}

// startCalls are the two that execute a file, with the places of the file's name and the arguments.
var startCalls = [...]struct {
	nr             uint32
	at, path, args int
}{{unix.SYS_EXECVE, -1, 0, 1}, {unix.SYS_EXECVEAT, 0, 1, 2}}

func (s *starts) answer(c *call) {
	s.work.beside(func() {
		s.executes(c)
		c.proceed()
	})
}

func (s *starts) close() {
	s.work.cancel()
	s.work.wait()
}

// executes notes what a process becomes.
func (s *starts) executes(c *call) {
	pid := threadGroup(int(c.PID))
	before := s.of(pid)
	after := started{since: began(pid), standing: before.standing, whose: before.whose}
	if before.standing == lead || before.standing == deep {
		after.standing, after.whose = s.becomes(c, before.standing)
	}
	if after.since == "" || !c.waits() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[pid] = after; len(s.known) > maxStarted {
		for pid, known := range s.known {
			if began(pid) != known.since {
				delete(s.known, pid)
			}
		}
	}
}

// becomes is the standing of a process that executes a file.
func (s *starts) becomes(c *call, before standing) (standing, []network.Start) {
	places := &startCalls[0]
	if uint32(c.Nr) == unix.SYS_EXECVEAT {
		places = &startCalls[1]
	}
	name, err := c.text(c.Args[places.path], unix.PathMax)
	if err != nil {
		return other, nil
	}
	if name, err = (&fileRequest{call: c}).full(places.at, name); err != nil {
		return other, nil
	}
	name = path.Clean(name)
	real, id, err := executable(name)
	if s.trees.makes(name) || outside(name) {
		return deep, nil // which is so where a shell reads it
	}
	if err != nil {
		return before, nil // nor does the kernel find it, and no process can put it there
	}
	if s.trees.makes(real) {
		return deep, nil
	}
	whose := s.files(func(start network.Start) bool {
		return (start.ID == id || start.ID == "") && start.Name == path.Base(name) &&
			(start.Deep || before == lead)
	})
	switch {
	case whose != nil:
		return given, whose
	case before == lead && slices.Contains(s.reach.Wrappers, path.Base(real)),
		before == lead && s.tells(c, places.args):
		return lead, nil
	}
	return deep, nil
}

// executable opens a file as a handle and returns its real name and inode.
func executable(name string) (real, id string, err error) {
	fd, err := handle(name)
	if err != nil {
		return "", "", err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil {
		real, err = nameOf(fd)
	}
	return real, fmt.Sprintf("%d:%d", st.Dev, st.Ino), err
}

// tells reports whether the arguments are those of a shell that executes a text of the command
// line.
func (s *starts) tells(c *call, args int) bool {
	code := false
	for i := uint64(1); i < 8; i++ {
		var b [8]byte
		if c.read(c.Args[args]+8*i, b[:]) != nil {
			return false
		}
		arg, err := c.text(binary.NativeEndian.Uint64(b[:]), maxText)
		switch {
		case err != nil:
			return false
		case arg != "" && (arg[0] == '-' || arg[0] == '+'):
			code = code || arg[0] == '-' && strings.Contains(arg, "c")
			if strings.HasSuffix(arg, "o") {
				i++ // the name of an option
			}
		default:
			return code && slices.Contains(s.reach.Texts, arg)
		}
	}
	return false
}

// maxText bounds the text of a command line that is compared.
const maxText = 1 << 17

// of is what is known of a process, or of the nearest one above it. Where that is the command
// line's own, the process and all between are programs that only start others, which the run cannot
// write.
func (s *starts) of(pid int) started {
	others := true
	for range maxLead {
		s.mu.Lock()
		is, found := s.known[pid]
		s.mu.Unlock()
		if found = found && is.since == began(pid); !found && pid == s.first() {
			is, found = s.begins(pid), true
		}
		others = others && s.onlyStarts(pid)
		switch {
		case found && (is.standing == given || others):
			return is
		case found:
			return started{}
		}
		parent := parentOf(pid)
		if parent <= 1 || parentOf(pid) != parent {
			return started{}
		}
		pid = parent
	}
	return started{}
}

// onlyStarts reports whether a process runs a program that only starts others.
func (s *starts) onlyStarts(pid int) bool {
	program, err := os.Readlink(proc.Dir(pid) + "exe")
	return err == nil && !s.trees.makes(program) &&
		slices.Contains(s.reach.Starters, path.Base(program))
}

// begins is what the first process of the run is.
func (s *starts) begins(pid int) started {
	_, id, err := executable(proc.Dir(pid) + "exe")
	if err != nil {
		return started{}
	}
	whose := s.files(func(start network.Start) bool { return start.ID == id })
	if whose != nil {
		return started{standing: given, whose: whose}
	}
	return started{standing: lead}
}

// files are the programs of rules that fit.
func (s *starts) files(fits func(network.Start) bool) (whose []network.Start) {
	for _, rule := range s.reach.Rules {
		for _, start := range rule.For {
			if fits(start) {
				whose = append(whose, start)
			}
		}
	}
	return whose
}

// uses reports whether a caller is a program that one of the rules is for, or was started by one.
func (s *starts) uses(c *call, rules []network.Rule) bool {
	if s == nil {
		return false
	}
	is := s.of(threadGroup(int(c.PID)))
	for _, rule := range rules {
		for _, start := range rule.For {
			shell := start.Name == "" && (is.standing == lead || is.standing == deep && start.Deep)
			if shell || is.standing == given && slices.Contains(is.whose, start) {
				return c.waits()
			}
		}
	}
	return false
}

// began is when a process began, in ticks since the machine was started; "" where it is gone.
func began(pid int) string {
	text, err := os.ReadFile(proc.Dir(pid) + "stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(rest)
	const at = 19 // of the fields after the name, which proc_pid_stat(5) counts from 3
	if len(fields) <= at {
		return ""
	}
	return fields[at]
}
