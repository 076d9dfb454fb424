//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// offspring are the children of this process that a run can have. The kernel has the supervisor and
// all siblings of the command among the children of the thread that forked the supervisor, and of
// another one only when that has ended; and what this process adopts, among those of its first.
func (p *Process) offspring() []int {
	self := os.Getpid()
	list := childrenOf(self, itoa(p.forker))
	switch {
	case !slices.Contains(list, p.guard):
		return children(self)
	case p.forker != self:
		list = append(list, childrenOf(self, itoa(self))...)
	}
	return list
}

// children are those of all threads of a process.
func children(pid int) (list []int) {
	tasks, _ := os.ReadDir("/proc/" + itoa(pid) + "/task")
	for _, task := range tasks {
		list = append(list, childrenOf(pid, task.Name())...)
	}
	return list
}

// childrenOf are those of one thread of a process.
func childrenOf(pid int, thread string) (list []int) {
	text := read("/proc/" + itoa(pid) + "/task/" + thread + "/children")
	for field := range bytes.FieldsSeq(text) {
		if child, err := strconv.Atoi(string(field)); err == nil {
			list = append(list, child)
		}
	}
	return list
}
