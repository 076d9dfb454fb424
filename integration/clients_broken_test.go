package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// brokenHooks are programs in place of tadactl, and what the model receives then.
var brokenHooks = []struct{ name, text, told string }{
	{"missing", "", "no whole answer"},
	{"stopped", "kill -STOP $$", "no whole answer"},
	{"slow", "exec sleep 100", "no whole answer"},
	{"crashing", "kill -SEGV $$", "no whole answer"},
	{"failing", "exit 1", "no whole answer"},
	{"garbage", "echo fine", "no whole answer"},
	{"silent", "exit 0", "no whole answer"},
}

// pluginTold is what the plugin of OpenCode and Kilo reports; the plugin limits the time of the
// program itself.
var pluginTold = pattern(`Tool blocked: (spawn|ENOENT|tada-run (ended with status|did not answer in time|gave no answer))`)

// copilotTold is all that Copilot tells its model: it takes a reason from standard output alone,
// and a broken tadactl prints none.
const copilotTold = "Denied by preToolUse hook: hook exited with code 2"

// C5: whatever happens to tadactl, the client does not run the call, and its model gets the reason.
// make test-clients.
func TestClientsHookNeverFailsOpen(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		if !c.hooked() {
			continue
		}
		for _, hook := range brokenHooks {
			slow := c.name == "opencode" || c.name == "kilo"
			plugin := slow || c.name == "pi"
			if slow && hook.name != "missing" && hook.name != "stopped" &&
				hook.name != "garbage" {
				continue // it takes long to start, and TestPluginThrows has the others
			}
			t.Run(c.name+"/"+hook.name, func(t *testing.T) {
				b := newBench(t, c, "/bin/bash")
				b.ctl(t, "hook", "install", c.name)
				if err := os.Remove(filepath.Join(b.bin, "tadactl")); err != nil {
					t.Fatal(err)
				}
				if hook.text != "" {
					program(t, filepath.Join(b.bin, "tadactl"), "#!/bin/sh\n"+hook.text+"\n")
				}
				began := time.Now()
				got := b.each(t, c, c.tool("touch never"))[0]
				if c.name == "copilot" {
					hook.told = copilotTold
				}
				if b.exists("never") ||
					!c.ends && !strings.Contains(got, hook.told) &&
						(!plugin || !pluginTold().MatchString(got)) {
					t.Errorf("after %v the call ran: %v; the model was told: %s", time.Since(began),
						b.exists("never"), got)
				}
			})
		}
	}
}
