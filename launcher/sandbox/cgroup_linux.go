//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A group is the control groups of one run: one directory on a system with version 2, one per
// controller with version 1. It is made before the fork, the child writes itself into it, and it is
// removed when the tree has ended.
type group struct {
	dirs  map[string]string // controller to directory; with version 2 all have the same
	procs []int             // cgroup.procs of each directory, open for writing
}

// The controllers that bound something, and the files to write in both versions. Processor time is
// only counted: no controller ends a run for it.
var controllers = []struct {
	name, v1     string
	limit        Limit
	set          func(Limits) uint64
	file2, file1 string
	// with version 2: the whole group dies together, and not only the process that asked for too
	// much
	also2, value2 string
}{
	{name: "memory", v1: "memory", limit: LimitMemory,
		set: func(l Limits) uint64 { return l.Memory }, file2: "memory.max",
		file1: "memory.limit_in_bytes", also2: "memory.oom.group", value2: "1"},
	{name: "pids", v1: "pids", limit: LimitProcesses,
		set: func(l Limits) uint64 { return l.Processes }, file2: "pids.max", file1: "pids.max"},
	{name: "cpu", v1: "cpuacct", limit: LimitCPU, set: func(l Limits) uint64 { return l.CPU }},
}

// A hierarchy is one tree of control groups and this process's place in it.
type hierarchy struct {
	controllers []string // of version 1; nil for version 2
	top, own    string   // directories
}

// hierarchies reads what the kernel says of this process's groups and of the mounts, in the formats
// of cgroups(7) and proc(5). Of version 1 only those with a controller count, unless that is "".
func hierarchies(groups, mountinfo, controller string) []hierarchy {
	var list []hierarchy
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		if !strings.HasPrefix(after, "cgroup") ||
			!strings.HasPrefix(after, "cgroup2") && !strings.Contains(after, controller) {
			continue
		}
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 || right[0] != "cgroup" && right[0] != "cgroup2" {
			continue
		}
		for entry := range strings.Lines(groups) {
			_, entry, ok = strings.Cut(strings.TrimSuffix(entry, "\n"), ":")
			names, place, more := strings.Cut(entry, ":")
			if !ok || !more || (names == "") != (right[0] == "cgroup2") {
				continue
			}
			var own []string
			if names != "" {
				first, _, _ := strings.Cut(names, ",")
				if !strings.Contains(","+right[2]+",", ","+first+",") {
					continue
				}
				own = strings.Split(names, ",")
			}
			// A container sees the tree from its own place on; a place that is not below the mount
			// cannot be named.
			if rel, err := filepath.Rel(left[3], place); err == nil &&
				!strings.HasPrefix(rel, "..") {
				list = append(list, hierarchy{own, left[4], filepath.Join(left[4], rel)})
			}
		}
	}
	return list
}

var groupNumber atomic.Uint64

// groupPrefix begins the name of every group; then comes the launcher's pid, by which a later
// launcher knows what was left behind.
const groupPrefix = "tada-"

// newGroup makes the groups for what l asks. Where it cannot, because they are not there, not
// writable or not delegated, it makes none: then others bound.
func newGroup(l Limits) *group {
	g := &group{dirs: map[string]string{}}
	name := fmt.Sprintf("%s%d-%d", groupPrefix, os.Getpid(), groupNumber.Add(1))
	mounts, _ := proc.Mounts()
	all := hierarchies(string(read("/proc/self/cgroup")), mounts, "")
	for _, c := range controllers {
		value := c.set(l)
		if value == 0 {
			continue
		}
		for _, h := range all {
			if dir := h.make(name, c.name, c.v1); dir != "" && g.dirs[c.name] == "" {
				if file := c.file1; file != "" {
					if h.controllers == nil {
						file = c.file2
						if c.also2 != "" {
							_ = write(filepath.Join(dir, c.also2), c.value2)
						}
						value = h.least(dir, file, value)
					}
					if write(filepath.Join(dir, file), strconv.FormatUint(value, 10)) != nil {
						os.Remove(dir)
						continue
					}
				}
				g.dirs[c.name] = dir
			}
		}
	}
	return g
}

// make makes the directory name where the controller bounds it, and returns its name, or nothing.
func (h hierarchy) make(name, v2, v1 string) string {
	parent := h.own
	if h.controllers != nil {
		if !contains(h.controllers, v1) {
			return ""
		}
	} else if parent = h.delegated(v2); parent == "" {
		return ""
	}
	h.sweep(parent)
	dir := filepath.Join(parent, name)
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) {
		return ""
	}
	return dir
}

// delegated returns the nearest group above or at our own where we may make another that the
// controller bounds. With version 2 a group holds either processes or bounded groups, so that is
// never our own but the root; and to move from ours to a sibling takes the right to write to the
// group above both.
func (h hierarchy) delegated(controller string) string {
	for dir := h.own; within(dir, h.top); dir = filepath.Dir(dir) {
		active, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err != nil {
			return ""
		}
		if contains(strings.Fields(string(active)), controller) {
			if unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) != nil ||
				unix.Access(dir, unix.W_OK) != nil {
				return ""
			}
			return dir
		}
	}
	return ""
}

// least returns value, or less where a group that we leave for dir had a lower bound: a run must
// not get more by being bounded.
func (h hierarchy) least(dir, file string, value uint64) uint64 {
	for left := h.own; left != filepath.Dir(dir) && within(left, h.top); left = filepath.Dir(left) {
		text, err := proc.Read(filepath.Join(left, file))
		if n, bad := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil &&
			bad == nil {
			value = min(value, n)
		}
	}
	return value
}

// MemoryBound returns how much memory the control groups that this process is in leave it, as in a
// container; 0 where they bound nothing. It is read once.
var MemoryBound = sync.OnceValue(func() uint64 {
	mounts, _ := proc.Mounts()
	return memoryBound(string(read("/proc/self/cgroup")), mounts)
})

// memoryBound returns the least bound of memory of a group and of those above it, 0 for none. With
// version 1, a group without one has a number that no machine reaches.
func memoryBound(groups, mountinfo string) uint64 {
	const none = 1 << 62
	least := uint64(none)
	for _, h := range hierarchies(groups, mountinfo, "memory") {
		file := "memory.max"
		if h.controllers != nil {
			file = "memory.limit_in_bytes"
			if !contains(h.controllers, "memory") {
				continue // no file to open, which costs as much as to read one
			}
		}
		least = h.least(h.top, file, least) // the top too: it is the container's own
	}
	if least == none {
		return 0
	}
	return least
}

// sweep removes what launchers that are gone have left. A group with a process in it cannot be
// removed.
func (h hierarchy) sweep(parent string) {
	names, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
	for _, name := range names {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), groupPrefix), "-")
		if n, err := strconv.Atoi(pid); err == nil && !exists(proc.Dir(n)) {
			_ = os.Remove(name)
		}
	}
}

// unique returns each directory once.
func (g *group) unique() []string {
	if g == nil {
		return nil
	}
	var list []string
	for _, c := range controllers {
		if dir := g.dirs[c.name]; dir != "" && !contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// kill sends SIGKILL to what is in the group. A fork during that is caught by the next round.
func (g *group) kill() (empty bool) {
	empty = true
	for _, dir := range g.unique() {
		if write(filepath.Join(dir, "cgroup.kill"), "1") == nil {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for _, f := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(f); err == nil && pid > 1 {
				empty = false
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
	}
	return empty
}

// remove removes the group; it reports whether nothing is left.
func (g *group) remove() bool {
	done := true
	for _, dir := range g.unique() {
		if err := os.Remove(dir); err != nil && !os.IsNotExist(err) {
			done = false
		}
	}
	return done
}

// count returns the number after key in a file of lines like "oom_kill 3", or the file's only
// number when key is empty.
func (g *group) count(controller, file, key string) uint64 {
	dir := g.dirs[controller]
	if dir == "" {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if key == "" && len(f) == 1 || len(f) == 2 && f[0] == key {
			n, _ := strconv.ParseUint(f[len(f)-1], 10, 64)
			return n
		}
	}
	return 0
}

// exceeded returns the limit that the group has run into, and whether that is the end of the run.
func (g *group) exceeded(l Limits) (limit Limit, deadly bool) {
	switch {
	case g.count("memory", "memory.events", "oom_kill") > 0,
		g.count("memory", "memory.oom_control", "oom_kill") > 0:
		return LimitMemory, true
	case l.CPU > 0 &&
		(g.count("cpu", "cpuacct.usage", "") >= l.CPU*1e9 ||
			g.count("cpu", "cpu.stat", "usage_usec") >= l.CPU*1e6):
		return LimitCPU, true
	case g.count("pids", "pids.events", "max") > 0:
		return LimitProcesses, false
	}
	return "", false
}
