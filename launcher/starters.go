package launcher

import (
	"errors"
	"path"
	"slices"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/caller"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A Starter is a program that started this one.
type Starter = caller.Program

// liners are programs of the line that starts a hook for a client: see [HookGuard].
var liners = []string{"sh", "dash", "bash", "zsh", "ksh", "mksh", "ash", "yash", "busybox",
	"timeout", "coreutils", "tada-run", "tadactl"}

// Starters returns the program that started this process as a hook of the platform, and the
// platform's programs around it: some start themselves again.
func Starters(platform string) ([]Starter, error) {
	list := caller.Around()
	for len(list) > 0 && slices.Contains(liners, path.Base(list[0].File)) {
		list = list[1:]
	}
	if len(list) == 0 {
		return nil, errors.New("the command line of the program that started the hook cannot be " +
			"read, and may have rules of the user's")
	}
	starters := list[:1:1]
	for _, p := range list[1:] {
		if agent := approval.AgentProgram(p.File, p.Words); agent != "" &&
			agents.Platform(agent) == platform {
			starters = append(starters, p)
		}
	}
	return starters, nil
}
