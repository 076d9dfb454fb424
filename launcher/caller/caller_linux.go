package caller

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// Bounds of the search. A line of ancestors is rarely longer than ten, and terminals are rarely
// nested more than twice; anything deeper counts as unknown.
const (
	maxAncestorsSeen = 64
	maxNested        = 4
	maxArgs          = 8
)

// Of examines a process of this machine; "self" is this one. It reads the facts again for each
// answer, because a process can move after it has started. The caller of Of fills in the user of
// another process.
func Of(pid string) approval.Caller {
	c := inOrOut(pid)
	n := numberOf(pid)
	c.Line = lineOf(n)
	if pid == "self" && len(c.Line) > 0 {
		for _, entry := range os.Environ() {
			if mark := approval.AgentMark(entry); mark != "" {
				c.Line[0].Marks = []string{mark}
			}
		}
	}
	stat, err := proc.Read(proc.Dir(n) + "stat")
	if err != nil {
		c.Peer.Known = false
		return c
	}
	device, keys := terminalOf(string(stat))
	if device == noTerminal {
		return c
	}
	c.Peer.Terminal = keys
	c.Terminal = terminal(device, c.Line, maxNested)
	c.Terminal.Keys = keys
	return c
}

// inOrOut looks only at what tells whether a process is in a sandbox.
func inOrOut(pid string) approval.Caller {
	own, ok := statusOf(pid)
	first, _ := statusIn("/proc/1/") // not to be read: then nothing counts as normal here
	return approval.Caller{
		Peer: approval.PeerFacts{
			Known: ok, UID: os.Getuid(), NoNewPrivs: own.noNewPrivs,
			Ancestor: pid == "self" && sandbox.Inside(),
			// A container's own filter is on its first process too, and tells nothing.
			Seccomp: max(own.filters-first.filters, 0),
		},
		Rules: approval.PeerRules{UID: os.Getuid(), NoNewPrivsIsNormal: first.noNewPrivs},
	}
}

func Own() approval.Caller { return Of("self") }

// lineOf returns a process and its ancestors, as far as this process namespace has them.
func lineOf(pid int) []approval.Process {
	var line []approval.Process
	for pid > 0 && len(line) < maxAncestorsSeen {
		p, parent, ok := processOf(pid)
		if !ok {
			break
		}
		line = append(line, p)
		pid = parent
	}
	return line
}

// processOf reads what /proc has about a process. Program and environment of another user's process
// cannot be read, and are left out.
func processOf(pid int) (p approval.Process, parent int, ok bool) {
	dir := proc.Dir(pid)
	text, err := proc.Read(dir + "stat")
	stat := string(text)
	from, to := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if err != nil || from < 0 || to < from {
		return p, 0, false
	}
	p = approval.Process{PID: pid, Name: stat[from+1 : to]}
	if f := strings.Fields(stat[to+1:]); len(f) > 1 {
		parent, _ = strconv.Atoi(f[1])
		parent = proc.Number(parent)
	}
	if device, _ := terminalOf(stat); device != noTerminal {
		p.Device = device
	}
	p.File, _ = os.Readlink(dir + "exe")
	if args, err := proc.Read(dir + "cmdline"); err == nil {
		p.Args = strings.SplitN(strings.TrimSuffix(string(args), "\x00"), "\x00", maxArgs+1)
		p.Args = p.Args[:min(len(p.Args), maxArgs)]
	}
	if environ, err := proc.Read(dir + "environ"); err == nil {
		for entry := range strings.SplitSeq(string(environ), "\x00") {
			if mark := approval.AgentMark(entry); mark != "" {
				p.Marks = append(p.Marks, mark)
			}
		}
	}
	return p, parent, true
}

// terminal finds the process that holds the other end of a terminal. line is that of a process on
// it.
func terminal(device string, line []approval.Process, depth int) approval.Terminal {
	t := approval.Terminal{Device: device}
	index, pseudo := strings.CutPrefix(device, pseudoTerminal)
	if t.Pseudo = pseudo; !pseudo {
		return t
	}
	for _, pid := range holdersOf(index) {
		if h := lineOf(pid); len(h) > 0 {
			t.Holders = append(t.Holders, holder(h, device, depth))
		}
	}
	if len(t.Holders) > 0 {
		return t
	}
	for i, p := range line {
		if p.Device != device {
			outer := holder(line[i:], device, depth)
			t.Outer = &outer
			break
		}
	}
	return t
}

// holder looks at where a process shows the terminal whose other end it holds: on its own terminal,
// and, as a multiplexer does, on those that it has open.
func holder(line []approval.Process, device string, depth int) approval.Holder {
	h := approval.Holder{Line: line}
	if depth == 0 {
		return h
	}
	seen := map[string]bool{device: true}
	show := func(at string) {
		if at != "" && !seen[at] {
			seen[at] = true
			h.Shown = append(h.Shown, terminal(at, line, depth-1))
		}
	}
	show(line[0].Device)
	for _, file := range filesOf(line[0].PID) {
		if index, ok := strings.CutPrefix(file.target, "/dev/"+pseudoTerminal); ok {
			show(pseudoTerminal + index)
		} else if strings.HasPrefix(file.target, "/dev/tty") && len(file.target) > len("/dev/tty") {
			show(strings.TrimPrefix(file.target, "/dev/"))
		}
	}
	return h
}

// holdersOf returns the processes that hold the other end of the pseudo-terminal with that index,
// as far as this user may see their files.
func holdersOf(index string) (pids []int) {
	here := deviceOf("/dev/pts")
	for _, pid := range proc.Processes() {
		for _, file := range filesOf(pid) {
			if filepath.Base(file.target) != "ptmx" || ptmxIndex(pid, file.number) != index {
				continue
			}
			// The same number in another container is another terminal.
			if there := deviceOf(proc.Dir(pid) + "root/dev/pts"); there != here && there != 0 {
				continue
			}
			pids = append(pids, pid)
			break
		}
	}
	return pids
}

// ptmxIndex is the index of the terminal that a descriptor of a process is the other end of
// (proc(5), since Linux 4.14).
func ptmxIndex(pid int, fd string) string {
	text, _ := proc.Read(proc.Dir(pid) + "fdinfo/" + fd)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "tty-index:"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

type openFile struct{ number, target string }

// filesOf returns the descriptors of a process that are devices. Every process of the machine is
// asked for them, so they are read from an open directory, which walks no path for each.
func filesOf(pid int) (files []openFile) {
	dir, err := os.Open(proc.Dir(pid) + "fd")
	if err != nil {
		return nil
	}
	defer dir.Close()
	fd := int(dir.Fd())
	names, _ := dir.Readdirnames(-1)
	target := make([]byte, unix.PathMax)
	for _, name := range names {
		n, err := unix.Readlinkat(fd, name, target)
		if err == nil && bytes.HasPrefix(target[:n], []byte("/dev/")) {
			files = append(files, openFile{name, string(target[:n])})
		}
	}
	return files
}

// deviceOf is the number of the file system that a path is on; 0 if it is not known.
func deviceOf(path string) uint64 {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0
	}
	return uint64(st.Dev)
}
