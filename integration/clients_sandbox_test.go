package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Claude Code has a sandbox of its own for commands, which a person can turn on. There too a
// command needs the record, which is outside: without it nothing runs, and with it the hooked
// command is judged, run and recorded. With tada-run as the shell, tada-run is also called for the
// proxies of that sandbox and for a shell inside it, which no command may start: there nothing
// runs, and README says to use the hook. make test-clients.
func TestClientsClaudeSandbox(t *testing.T) {
	needClients(t)
	need(t, "bwrap", "socat")
	c := clientNamed("claude-code")
	for _, door := range []string{"plain", "shell", "hook", "both"} {
		for _, may := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/record %v", door, may), func(t *testing.T) {
				b := newBench(t, c, "/bin/bash")
				files := ""
				if may {
					files = fmt.Sprintf(`,"filesystem":{"allowWrite":[%q]}`,
						filepath.Join(b.home, ".tada"))
				}
				write(t, filepath.Join(b.home, ".claude/settings.json"),
					`{"sandbox":{"enabled":true,"failIfUnavailable":true,"allowUnsandboxedCommands":false`+files+`}}`)
				if door != "plain" {
					b.open(t, c, door)
				}
				if may && door == "hook" {
					b.try(t, c)
					return
				}
				told := map[bool]string{false: "sandbox.filesystem.allowWrite",
					true: "belongs to tada-run itself"}[may]
				got := b.play(t, c, c.tool("echo ran > here; echo said 4\"2\""),
					c.tool("echo out > ../outside"))
				if b.exists("../outside") {
					t.Errorf("there is no sandbox: %s", got[1])
				}
				if door == "plain" {
					if !b.exists("here") {
						t.Error(got[0])
					}
				} else if strings.Contains(got[0], "said 42") || b.exists("here") ||
					!strings.Contains(got[0], told) {
					t.Errorf("want %q: %s", told, got[0])
				}
			})
		}
	}
}
