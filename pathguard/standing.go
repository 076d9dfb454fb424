package pathguard

import (
	"path"
	"slices"
)

// standingRules are the questions that a person may answer for the next times too. Whatever
// is not here is asked every time: what runs later, what leaves the machine, what reads
// secrets, what cannot be undone.
var standingRules = []string{
	"level.always", "intent.confirm", "write.outside", "write.home", "path.readonly",
	"delete.tree", "delete.pattern", "rule.command", "rule.path", "rule.host", "net.list",
}

// runners start something that their own words do not bound: approving them approves anything.
var runners = []string{
	"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "sudo", "su", "doas",
	"xargs", "parallel", "find", "nohup", "timeout", "time", "flock", "setsid", "nice", "watch",
	"ssh", "docker", "podman", "kubectl", "npx", "uvx", "pipx", "python", "python3", "node",
	"deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "eval", "source", ".",
	"exec", "command", "builtin", "script", "expect", "git", "pip", "pip3", "npm", "yarn", "pnpm",
}

// standing reports whether a standing approval may be offered for the plan.
func (j *judgement) standing() bool {
	s := j.script
	if s.Err != nil || len(s.Codes) > 0 || len(s.Opaque) > 0 || len(s.Marks) > 0 ||
		len(s.Hazards) > 0 || len(s.Commands) == 0 {
		return false
	}
	for _, c := range s.Commands {
		if c.Name == "" || len(c.Via) > 0 || !c.Known && !c.Builtin ||
			slices.Contains(runners, path.Base(c.Name)) || !allStatic(c.Args) {
			return false
		}
	}
	return !slices.ContainsFunc(j.reasons, func(r Reason) bool {
		return r.Decision == Deny || r.File != "" ||
			r.Decision == Ask && !slices.Contains(standingRules, r.Rule)
	})
}
