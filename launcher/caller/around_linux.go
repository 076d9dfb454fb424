package caller

import (
	"os"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A Program is a running program: its file, its working directory, and the words that it was
// started with.
type Program struct {
	File, Dir string
	Words     []string
}

// Around returns the programs around this one, the nearest first, up to one that cannot be read.
func Around() (list []Program) {
	pid := os.Getppid()
	for pid > 0 && len(list) < maxAncestorsSeen {
		own, parent, ok := processOf(pid)
		dir := proc.Dir(pid)
		text, err := proc.Read(dir + "cmdline")
		if !ok || err != nil || len(text) == 0 {
			return list
		}
		p := Program{File: own.File,
			Words: strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")}
		p.Dir, _ = os.Readlink(dir + "cwd")
		list = append(list, p)
		pid = parent
	}
	return list
}
