package hosts

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed daemons.txt
var daemonText string

// daemons are the sockets of each program's daemon.
var daemons = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(daemonText) {
		programs, sockets, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for _, program := range strings.Fields(programs) {
			all[program] = append(all[program], strings.Fields(sockets)...)
		}
	}
	return all
})

// A Daemon is what a program asks to do its work.
type Daemon struct {
	Program string
	Socket  string // a path, or a variable that names it
}

// DaemonsOf returns the daemons of programs, each once.
func DaemonsOf(programs []string) (list []Daemon) {
	for _, program := range programs {
		for _, socket := range daemons()[path.Base(program)] {
			if d := (Daemon{path.Base(program), socket}); !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	return list
}
