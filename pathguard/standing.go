package pathguard

import (
	"path"

	"github.com/tada-run/tada-run/shellparse"
)

// standingRules are the questions that a person may answer for the next times too. Whatever
// is not here is asked every time: what runs later, what leaves the machine, what reads
// secrets, what cannot be undone.
var standingRules = map[string]bool{
	"level.always": true, "intent.confirm": true, "write.outside": true, "write.home": true, "path.readonly": true,
	"delete.tree": true, "delete.pattern": true, "rule.command": true, "rule.path": true, "rule.host": true, "net.list": true,
}

// runners start something that their own words do not bound: a yes to them is a yes to
// anything.
var runners = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "fish": true, "ksh": true, "busybox": true, "env": true, "sudo": true, "su": true, "doas": true,
	"xargs": true, "parallel": true, "find": true, "nohup": true, "timeout": true, "time": true, "flock": true, "setsid": true, "nice": true, "watch": true,
	"ssh": true, "docker": true, "podman": true, "kubectl": true, "npx": true, "uvx": true, "pipx": true, "python": true, "python3": true, "node": true,
	"deno": true, "bun": true, "perl": true, "ruby": true, "php": true, "lua": true, "awk": true, "gawk": true, "eval": true, "source": true, ".": true,
	"exec": true, "command": true, "builtin": true, "script": true, "expect": true, "git": true, "pip": true, "pip3": true, "npm": true, "yarn": true, "pnpm": true,
}

// standing reports whether a standing approval may be offered for the plan.
func (j *judgement) standing() bool {
	s := j.script
	if s.Err != nil || len(s.Codes) > 0 || len(s.Opaque) > 0 || len(s.Marks) > 0 || len(s.Hazards) > 0 || len(s.Commands) == 0 {
		return false
	}
	for _, c := range s.Commands {
		if c.Name == "" || len(c.Via) > 0 || !c.Known && !c.Builtin || runners[path.Base(c.Name)] || !allStatic(c.Args) {
			return false
		}
	}
	for _, r := range j.reasons {
		if r.Decision == Deny || r.File != "" || r.Decision == Ask && !standingRules[r.Rule] {
			return false
		}
	}
	return true
}

func allStatic(words []shellparse.Word) bool {
	for _, w := range words {
		if !w.Static {
			return false
		}
	}
	return true
}
