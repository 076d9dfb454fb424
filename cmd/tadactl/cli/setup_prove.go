package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/tada-run/tada-run/launcher"
)

// A setupProof is what a call has shown about a part that setup has installed.
type setupProof struct {
	Agent   string   `json:"agent"`
	Part    string   `json:"part"`
	Problem string   `json:"problem"` // "" for none
	ToDo    []string `json:"todo,omitempty"`
}

// proveSetup starts each hook and each shell as the agent would.
func (plan setupPlan) proveSetup(ctx context.Context, l *launcher.Launcher) (list []setupProof) {
	shell := ""
	for _, p := range plan {
		for _, part := range p.parts {
			if part.state != partAdd && part.state != partThere {
				continue
			}
			one := setupProof{Agent: p.name, Part: part.name}
			switch part.name {
			case "hook":
				r := p.hookRegistration()
				if one.Problem = r.canary(ctx, false); one.Problem == "" {
					one.Problem = strings.Join(r.switchedOff(), "; ")
				}
				one.ToDo = r.untrusted()
			case "shell":
				if shell == "" {
					shell = l.Home().ShellLink()
				}
				one.Problem = shellCanary(ctx, shell)
			}
			list = append(list, one)
		}
	}
	return list
}

// hookRegistration is that of the agent's hook.
func (p *agentPlan) hookRegistration() registration {
	for _, f := range p.files {
		if f.Holds(f.file) {
			return f.registration
		}
	}
	return registration{}
}

// confined is a line that prints whether its process is in the sandbox, by what the kernel says.
const confined = "grep NoNewPrivs: /proc/self/status"

// shellCanary starts the shell as an agent does, and returns what is wrong with it.
func shellCanary(ctx context.Context, shell string) string {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, shell, "-c", confined).CombinedOutput()
	var ended *exec.ExitError
	switch first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); {
	case err != nil && !errors.As(err, &ended):
		return "it cannot be started: " + err.Error()
	case err != nil:
		return fmt.Sprintf("a harmless line ends with %v: %s", err, first)
	case strings.Join(strings.Fields(first), " ") != "NoNewPrivs: 1":
		return "a harmless line does not run in the sandbox: " + first
	}
	return ""
}

func (c *ctl) printProofs(list []setupProof) {
	for _, p := range list {
		word, says := "proven", "a harmless call passes, and one that cannot be read is blocked"
		if p.Part == "shell" {
			says = "a harmless line runs in the sandbox, and is recorded"
		}
		if p.Problem != "" {
			word, says = "FAILED", p.Problem
		}
		fmt.Fprintf(c.out, "%-8s %-12s %-6s %s\n", word, p.Agent, p.Part, visible(says))
		for _, todo := range p.ToDo {
			fmt.Fprintf(c.out, "%-8s %-12s %-6s %s\n", "to do", p.Agent, p.Part, visible(todo))
		}
	}
}
