package pathguard

import (
	"fmt"
	"path"
	"slices"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// A Giver is a program that the command line gives a host to. The zero Giver is its shell.
type Giver struct {
	Name string // that it is executed by, without folders
	ID   string // device and inode, as N:N; "" for a program of that name in a file
	Deep bool   // a file that the command line executes gives it the host
}

// givers are the program of a command, or the shell; none where the program is not known, or is one
// that commands may write.
func (j *judgement) givers(command int) []Giver {
	list := []Giver{}
	if command < 0 || command < len(j.script.Commands) && j.script.Commands[command].Builtin {
		return append(list, Giver{Deep: j.inner})
	}
	if j.inner && command < len(j.script.Commands) {
		if name := path.Base(j.script.Commands[command].Name); name != "." {
			list = append(list, Giver{Name: name, Deep: true})
		}
		return list
	}
	for _, p := range j.plan.Programs {
		if p.Command == command && p.Path != "" && p.ID.Ino != 0 {
			list = append(list, Giver{Name: path.Base(p.Path), Deep: j.inner,
				ID: fmt.Sprintf("%d:%d", p.ID.Dev, p.ID.Ino)})
		}
	}
	return list
}

// beside reports whether another part of the plan may contact a host that the text does not name.
func (j *judgement) beside(command int) bool {
	for i := range j.script.Opaque {
		if j.script.Opaque[i].Command != command {
			return true
		}
	}
	for i := range j.script.Codes {
		if j.script.Codes[i].Command != command {
			return true
		}
	}
	for i := range j.script.Commands {
		if i != command && !closed(&j.script.Commands[i]) {
			return true
		}
	}
	return false
}

// closed reports whether a command contacts no host, or only hosts that its words name.
func closed(c *shellparse.Command) bool {
	return c.Builtin ||
		c.Known && (c.ReadOnly || slices.Contains(resolve.ExactPrograms, c.Name))
}

// texts are what shells of the command line are given to execute, as in "sh -c TEXT".
func (j *judgement) texts() (list []string) {
	for i := range j.script.Commands {
		c := &j.script.Commands[i]
		if !slices.Contains(shells, path.Base(c.Name)) {
			continue
		}
		for _, arg := range c.Args[min(1, len(c.Args)):] {
			if arg.Static {
				list = append(list, arg.Text)
			}
		}
	}
	return list
}

var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"}
