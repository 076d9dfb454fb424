package integration

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// While the machine is frozen no call goes on, and the turn of the agent ends with the first one
// where its hook can say so: its model is not asked for another. make test-clients.
func TestClientsFreeze(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		if !c.hooked() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			c = b.open(t, c, "hook")
			fleet := filepath.Join(b.home, ".tada/fleet")
			frozen := c.tool("touch never")
			frozen.before = func() {
				for _, name := range []string{"membership.json", "freeze"} {
					write(t, filepath.Join(fleet, name), "{}\n")
				}
			}
			b.model.begin([]toolCall{c.tool("true"), frozen, c.tool("touch again"),
				c.tool("touch more")})
			cmd, out := b.start(t, c, b.before)
			timer := time.AfterFunc(8*time.Minute, func() { _ = cmd.Process.Kill() })
			err := cmd.Wait()
			timer.Stop()
			got := b.model.results()
			if b.exists("never") || b.exists("again") ||
				len(got) > 1 && !strings.Contains(got[1], "frozen") {
				t.Errorf("a call went on: %q", got)
			}
			_, result, _ := proves(t.Name())
			if ends := len(got) < 3; ends != (result == "yes") {
				t.Errorf("its turn ended: %v; %v\n%s\n%q", ends, err, out, got)
			}
		})
	}
}
