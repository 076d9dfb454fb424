package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientsShell gives the clients tada-run as their shell, as `tadactl shell install` sets it up
// or describes it. make test-clients.
func TestClientsShell(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		if !c.has("shell") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			login := "/bin/bash"
			if c.name == "codex" { // takes the account's login shell
				login = "BIN/bash"
			}
			b := newBench(t, c, login)
			b.shell(t, c)
			b.try(t, c)
		})
	}
}

// shell makes tada-run the client's shell.
func (b *bench) shell(t *testing.T, c client) {
	t.Helper()
	t.Log(b.ctl(t, "shell", "install", c.name))
	if c.name == "gemini" || c.name == "qwen" { // take the first bash in PATH
		setenv(b, "PATH", filepath.Join(b.home, ".tada/bin")+":"+os.Getenv("PATH"))
	}
	if c.name == "continue-cli" {
		setenv(b, "SHELL", filepath.Join(b.home, ".tada/bin/bash"))
	}
	if c.name == "copilot" {
		setenv(b, "COPILOT_BASH_PATH", filepath.Join(b.home, ".tada/bin/bash"))
	}
}

// TestClientsBoth gives the clients the hook and the shell together. A question that one asked is
// answered for the other: the same command results in the same plan in every way of calling. make
// test-clients.
func TestClientsBoth(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		if !c.has("both") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			login := "/bin/bash"
			if c.name == "codex" {
				login = "BIN/bash"
			}
			b := newBench(t, c, login)
			ask := c.tool("rm -r build")
			b.shell(t, c)
			if got := b.play(t, c, c.tool("true"), ask)[1]; !strings.Contains(got,
				"tadactl approve") || !b.exists("build/x") {
				t.Fatalf("a question through the shell: %s", got)
			}
			b.approve(t, "rm -r build")
			b.ctl(t, "hook", "install", c.name)
			if got := b.play(t, c, c.tool("true"), ask)[1]; b.exists("build") {
				t.Errorf("the answer to the shell's question, through both: %s\n%s", got,
					b.ctl(t, "log"))
			}
			write(t, filepath.Join(b.work, "build/x"), "")
			if got := b.play(t, c, c.tool("true"), ask)[1]; !strings.Contains(got,
				"tadactl approve") || !b.exists("build/x") {
				t.Errorf("it ran twice on one answer: %s", got)
			}
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}

// codexClient is Codex with other arguments.
func codexClient(argv ...string) client {
	c := clients[1]
	c.argv = append(append([]string{"exec", "--skip-git-repo-check"}, argv...), "go")
	return c
}

// On a terminal that Codex makes for a command, its model reads and types (tty:true, write_stdin):
// what it types reaches the command, and answers no question. make test-clients.
func TestClientsCodexTerminal(t *testing.T) {
	needClients(t)
	for _, mode := range []string{"shell", "hook"} {
		t.Run(mode, func(t *testing.T) {
			c := clients[1]
			b := newBench(t, c, map[string]string{"shell": "BIN/bash", "hook": "/bin/bash"}[mode])
			if mode == "hook" {
				b.ctl(t, "hook", "install", "codex")
			}
			onTTY := func(cmd string) toolCall {
				return toolCall{name: "exec_command",
					args: o{"cmd": cmd, "tty": true, "yield_time_ms": 1000}}
			}
			typing := func(keys string) toolCall {
				return toolCall{name: "write_stdin",
					args: o{"session_id": "SESSION", "chars": keys, "yield_time_ms": 1000}}
			}
			got := b.play(t, c, c.tool("true"),
				onTTY("test -t 0 && test -t 1 && echo a terminal; read x; echo got $x; cat > typed"),
				typing("keys\n"), typing("into a file\n\u0004"), onTTY("rm -r build"),
				c.tool("cat typed"))
			for i, want := range []string{"", "a terminal", "got keys", "exited with code 0",
				"tadactl approve", "into a file"} {
				if !strings.Contains(got[i], want) {
					t.Errorf("call %d: %s\nwant %q", i, got[i], want)
				}
			}
			if strings.Contains(got[4], "to approve") || !b.exists("build/x") {
				t.Errorf("a question is put before the model: %s", got[4])
			}
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}

// Codex puts a sandbox of its own around each command. There the shell and the hooked command need
// the record, which is outside: with it they judge, run and record in a sandbox inside the sandbox;
// without it nothing runs. make test-clients.
func TestClientsCodexSandbox(t *testing.T) {
	needClients(t)
	for _, mode := range []string{"shell", "hook"} {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, clients[1],
				map[string]string{"shell": "BIN/bash", "hook": "/bin/bash"}[mode])
			if mode == "hook" {
				b.ctl(t, "hook", "install", "codex")
			}
			const trust = "--dangerously-bypass-hook-trust"
			for _, own := range []string{"workspace-write", "read-only"} {
				if got := b.play(t, codexClient(trust, "-s", own),
					clients[1].tool("echo ran > here; echo said 4\"2\""))[0]; strings.Contains(got,
					"said 42") || !strings.Contains(got, "writable_roots") || b.exists("here") {
					t.Errorf("a command that could not be recorded, %s: %s", own, got)
				}
			}
			roots := fmt.Sprintf("sandbox_workspace_write.writable_roots=[%q]",
				filepath.Join(b.home, ".tada"))
			b.try(t, codexClient(trust, "-s", "workspace-write", "-c", roots))
		})
	}
}
