package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// family are the process and all its descendants.
func family(root int) (list []int) {
	children := map[int][]int{}
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		_, rest, ok := strings.Cut(string(text), ") ")
		f := strings.Fields(rest)
		if !ok || len(f) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, _ := strconv.Atoi(f[1])
		children[parent] = append(children[parent], pid)
	}
	list = []int{root}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}

// ticks returns the processor time of a process so far, in hundredths of a second.
func ticks(pid int) (n int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	if f := strings.Fields(rest); len(f) > 13 {
		for _, field := range f[11:13] { // proc_pid_stat(5): utime and stime
			v, _ := strconv.Atoi(field)
			n += v
		}
	}
	return n
}

// An idle session takes no processor time: not its launcher, not the supervisor of its sandbox, not
// its shell, not the terminal on which it was started, and not its clients.
func TestIdleProcesses(t *testing.T) {
	t.Parallel()
	d, _, id := inside(t, 100, 30)
	b, c := d.window("b", 100, 30), d.window("c", 80, 20)
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	c.line("tadactl attach " + id)
	c.shows("has control")
	all := append(family(d.holder(id)), d.here("tada-run", "--session")...)
	all = append(append(all, d.here("tadactl", "attach", id)...),
		d.here("tadactl", "attach", "--take", id)...)
	if len(all) < 5 {
		t.Fatalf("only %d processes are found", len(all))
	}
	var took []string
	for range 15 {
		// a garbage collection, or a request by the test itself, may fall into one
		took = nil
		before := make([]int, len(all))
		for i, pid := range all {
			before[i] = ticks(pid)
		}
		time.Sleep(time.Second)
		for i, pid := range all {
			if n := ticks(pid) - before[i]; n > 0 {
				command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				took = append(took, fmt.Sprintf("%d/100 s by %q", n, command))
			}
		}
		if took == nil {
			return
		}
	}
	t.Errorf("in a second without a key: %v", took)
}
