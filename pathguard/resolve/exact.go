package resolve

import (
	"slices"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// ExactPrograms do what their words say and nothing else: a plan of them alone needs no
// wider grant than its targets.
var ExactPrograms = []string{
	"cat", "cp", "mv", "rm", "ln", "mkdir", "rmdir", "touch", "tee", "install",
	"chmod", "chown", "truncate", "dd", "head", "tail", "sort", "uniq", "cut", "tr",
	"wc", "grep", "ls", "stat", "sed", "echo", "printf", "true", "false", "test", "[",
	"seq", "date", "basename", "dirname", "readlink", "realpath", "cmp", "diff", "comm",
	"paste", "join", "fold", "nl", "od", "xxd", "base64", "sha256sum", "md5sum", "jq",
	"tac", "rev", "expand", "fmt", "pwd", "cd", "unlink", "link", "shuf", "mktemp",
}

// TellsWrites reports whether a command's words tell what it writes.
func TellsWrites(c *shellparse.Command) bool {
	return c.Name != "mktemp" && (c.Builtin ||
		c.Known && (slices.Contains(ExactPrograms, c.Name) || c.ReadOnly))
}

// Exact reports whether the text names every write of the plan.
func (p *Plan) Exact() bool {
	for i := range p.Script.Commands {
		if !TellsWrites(&p.Script.Commands[i]) {
			return false
		}
	}
	for _, t := range p.Targets {
		if t.Unknown && t.Right != command.Read {
			return false
		}
	}
	for _, e := range p.Script.Effects {
		if e.Right == command.Exec || e.Flags&command.Source != 0 {
			return false
		}
	}
	return len(p.Script.Opaque) == 0 && len(p.Script.Codes) == 0 && len(p.Limits) == 0
}
