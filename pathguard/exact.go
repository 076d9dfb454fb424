package pathguard

import (
	"path"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// exactPrograms do what their words say and nothing else: a plan of them alone needs no
// wider grant than its targets.
var exactPrograms = names{
	"cat", "cp", "mv", "rm", "ln", "mkdir", "rmdir", "touch", "tee", "install",
	"chmod", "chown", "truncate", "dd", "head", "tail", "sort", "uniq", "cut", "tr",
	"wc", "grep", "ls", "stat", "sed", "echo", "printf", "true", "false", "test", "[",
	"seq", "date", "basename", "dirname", "readlink", "realpath", "cmp", "diff", "comm",
	"paste", "join", "fold", "nl", "od", "xxd", "base64", "sha256sum", "md5sum", "jq",
	"tac", "rev", "expand", "fmt", "pwd", "cd", "unlink", "link", "shuf", "mktemp",
}

// toldBy reports whether a command's words tell what it writes.
func toldBy(c *shellparse.Command) bool {
	return c.Name != "mktemp" && (c.Builtin || c.Known && (exactPrograms.has(c.Name) || c.ReadOnly))
}

// exact reports whether the text tells every write of the plan.
func (p *Plan) exact() bool {
	for i := range p.Script.Commands {
		if !toldBy(&p.Script.Commands[i]) {
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

// replacers put a new file in the place of an old one: for the kernel that is a new name.
var replacers = names{"mv", "ln", "install", "sed", "rsync", "perl", "ruby"}

// replaces reports whether the command of a target puts a new file in the place of the one that is
// there.
func (j *judgement) replaces(t *Target) bool {
	return t.Exists && t.Command >= 0 && t.Command < len(j.script.Commands) && replacers.has(path.Base(j.script.Commands[t.Command].Name))
}
