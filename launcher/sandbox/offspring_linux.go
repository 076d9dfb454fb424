//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// offspring are the children of this process that a run can have. The kernel has the supervisor and
// all siblings of the command among the children of the thread that forked the supervisor, and of
// another one only when that has ended; and what this process adopts, among those of its first.
func (p *Process) offspring() []int {
	self := os.Getpid()
	list := childrenOf(self, p.forker)
	switch {
	case !slices.Contains(list, p.guard):
		return children(self)
	case p.forker != self:
		list = append(list, childrenOf(self, self)...)
	}
	return list
}

// children are those of all threads of a process.
func children(pid int) (list []int) {
	tasks, _ := os.ReadDir(proc.Dir(pid) + "task")
	for _, task := range tasks {
		list = append(list, childrenIn(proc.Dir(pid)+"task/"+task.Name())...)
	}
	return list
}

// childrenOf are those of one thread of a process.
func childrenOf(pid, thread int) []int {
	return childrenIn(proc.Dir(pid) + "task/" + itoa(proc.Shown(thread)))
}

func childrenIn(task string) (list []int) {
	text := read(task + "/children")
	for field := range bytes.FieldsSeq(text) {
		shown, err := strconv.Atoi(string(field))
		if child := proc.Number(shown); err == nil && child > 0 {
			list = append(list, child)
		}
	}
	return list
}
