//go:build amd64 || arm64

package broker

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

func startNumbers(yield func(uint32) bool) {
	for _, c := range startCalls {
		yield(c.nr)
	}
}

func startRules(p *Profile, _ bool) []seccomp.Rule {
	if p.Network == nil || !p.Network.Reach.ByProgram() {
		return nil
	}
	return []seccomp.Rule{seccomp.On(unix.SYS_EXECVE, seccomp.Ask),
		seccomp.On(unix.SYS_EXECVEAT, seccomp.Ask)}
}

func openStarts(_ *Profile, r *run) customer {
	if r.starts == nil {
		return nil
	}
	return r.starts
}
