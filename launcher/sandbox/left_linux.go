//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// lingerTime is how long what a command leaves behind may take to end by itself: a shell does not wait for cmd > >(tee log), and the last of its
// output comes a moment after it. lingerLook is how often it is looked for.
const (
	lingerTime = 300 * time.Millisecond
	lingerLook = 2 * time.Millisecond
)

// linger waits a moment for what the command has left behind, and returns the names of what is there even then.
func (p *Process) linger(most time.Duration) (names []string) {
	for until := time.Now().Add(most); ; {
		if p.ending() {
			return nil // it is not left behind, it was to end
		}
		if names = p.remains(); len(names) == 0 || time.Now().After(until) {
			return names
		}
		select {
		case <-p.done:
		case <-time.After(lingerLook):
		}
	}
}

// ending reports whether the tree has been told to end.
func (p *Process) ending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lifeline < 0 || p.exceeded != ""
}

// left returns the names of the live processes whose parents have ended: at Strong the init of the run has them, at Base this process, where it adopts them.
func (p *Process) left() (names []string) {
	if p.level == Strong {
		for _, pid := range append(children(p.initPid), p.siblings()...) {
			if name, alive := commandName(pid); alive {
				names = append(names, name)
			}
		}
		return names
	}
	for _, pid := range children(os.Getpid()) {
		if name, alive := commandName(pid); alive && pid != p.pid && pid != p.guard && !p.another(pid) && fenced(pid) {
			names = append(names, name)
		}
	}
	return names
}

// children are those of all threads of a process.
func children(pid int) (list []int) {
	dir := "/proc/" + itoa(pid) + "/task"
	tasks, _ := os.ReadDir(dir)
	for _, task := range tasks {
		text, _ := os.ReadFile(dir + "/" + task.Name() + "/children")
		for _, field := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}

// commandName is what the kernel calls a process, and whether it is alive.
func commandName(pid int) (name string, alive bool) {
	text, _ := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	start, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if start < 0 || end < start || len(text) < end+3 {
		return "", false
	}
	state := text[end+2]
	return string(text[start+1 : end]), state != 'Z' && state != 'X' && state != 'x'
}
