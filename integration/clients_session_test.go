package integration

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sessionClients are how the models of the clients read and write a file. refused is what the model
// receives for six files that it may not access, or only read.
var sessionClients = map[string]struct {
	read, write func(path string) toolCall
	unknown     toolCall // a tool that tada-run does not know
	refused     [6]string
}{
	"claude-code": {
		read: func(p string) toolCall { return toolCall{name: "Read", args: o{"file_path": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "Write", args: o{"file_path": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "WebFetch", args: o{"url": "http://127.0.0.1:1/x", "prompt": "x"}},
		refused: [6]string{"EACCES", "EACCES", "EACCES", "EROFS", "{}", "EROFS"},
	},
	"codex": { // has no tools for files but the shell
		read: func(p string) toolCall { return clients[1].tool("cat " + p) },
		write: func(p string) toolCall {
			return clients[1].tool("mkdir -p $(dirname " + p + "); echo x > " + p)
		},
		unknown: toolCall{name: "view_image", args: o{"path": "x.png"}},
		refused: [6]string{"Permission denied", "Permission denied", "Permission denied",
			"Read-only file system", "{}", "Read-only file system"},
	},
	"opencode": {
		read: func(p string) toolCall { return toolCall{name: "read", args: o{"filePath": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "write", args: o{"filePath": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "webfetch",
			args: o{"url": "http://127.0.0.1:1/x", "format": "text"}},
		refused: [6]string{"PermissionDenied", "PermissionDenied", "PermissionDenied",
			"Unknown: FileSystem.makeDirectory", "{}", "Unknown: FileSystem.writeFile"},
	},
	"kilo": {
		read: func(p string) toolCall { return toolCall{name: "read", args: o{"filePath": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "write", args: o{"filePath": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "webfetch",
			args: o{"url": "http://127.0.0.1:1/x", "format": "text"}},
		refused: [6]string{"PermissionDenied", "PermissionDenied", "PermissionDenied",
			"Unknown: FileSystem.makeDirectory", "{}", "Unknown: FileSystem.writeFile"},
	},
	"gemini": { // keeps to the workspace by itself
		read: func(p string) toolCall {
			return toolCall{name: "read_file", args: o{"file_path": p}}
		},
		write: func(p string) toolCall {
			return toolCall{name: "write_file", args: o{"file_path": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "web_fetch", args: o{"prompt": "http://127.0.0.1:1/x"}},
		refused: [6]string{"EACCES", "EACCES", "EACCES", "not in workspace", "not in workspace",
			"not in workspace"},
	},
	"qwen": {
		read: func(p string) toolCall {
			return toolCall{name: "read_file", args: o{"file_path": p}}
		},
		write: func(p string) toolCall {
			return toolCall{name: "write_file", args: o{"file_path": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "web_fetch", args: o{"url": "http://127.0.0.1:1/x", "prompt": "x"}},
		refused: [6]string{"EACCES", "EACCES", "EACCES", "ENOENT", "{}", "EROFS"},
	},
	"droid": {
		read: func(p string) toolCall { return toolCall{name: "Read", args: o{"file_path": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "Create", args: o{"file_path": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "GenerateImage", args: o{"prompt": "x"}},
		refused: [6]string{"EACCES", "EACCES", "EACCES", "EROFS", "{}", "EROFS"},
	},
	"pi": {
		read: func(p string) toolCall { return toolCall{name: "read", args: o{"path": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "write", args: o{"path": p, "content": "x\n"}}
		},
		unknown: toolCall{name: "codemode", args: o{"code": "text(1)"}},
		refused: [6]string{"EACCES", "EACCES", "EACCES", "ENOENT", "{}", "EROFS"},
	},
	"cline": {
		read: func(p string) toolCall {
			return toolCall{name: "read_files", args: o{"files": []any{o{"path": p}}}}
		},
		write: func(p string) toolCall {
			return toolCall{name: "editor", args: o{"path": p, "new_text": "x\n"}}
		},
		unknown: toolCall{name: "fetch_web_content",
			args: o{"requests": []any{o{"url": "http://127.0.0.1:1/x", "prompt": "xx"}}}},
		refused: [6]string{"EACCES", "EACCES", "EACCES", "EROFS", "{}", "already exists"},
	},
	"continue-cli": {
		read: func(p string) toolCall { return toolCall{name: "Read", args: o{"filepath": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "Write", args: o{"filepath": p, "content": "x\n"}}
		},
		refused: [6]string{"not allowed", "EACCES", "EACCES", "ENOENT", "not allowed", "EROFS"},
	},
	"copilot": {
		read: func(p string) toolCall { return toolCall{name: "view", args: o{"path": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "create", args: o{"path": p, "file_text": "x\n"}}
		},
		unknown: toolCall{name: "web_fetch", args: o{"url": "http://127.0.0.1:1/x"}},
		refused: [6]string{"does not exist", "EACCES", "EACCES", "does not exist", "{}",
			"already exists"},
	},
}

// TestClientsSession runs the whole agent inside a session, in a fresh account without our
// settings: it asks once, and works. Its file tools reach neither the state nor what decides about
// the next session, and what it runs through tada-run is judged and recorded outside. make
// test-clients.
func TestClientsSession(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		inside, has := sessionClients[c.name]
		if !has {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			const config = "security: {}\n"
			state, hook, settings := filepath.Join(b.home, ".tada/config.yaml"),
				filepath.Join(b.work, ".git/hooks/pre-commit"),
				filepath.Join(b.home, ".claude/settings.json")
			write(t, state, config)
			write(t, settings, "{}\n")
			before := filesBelow(t, b.home)
			runner := filepath.Join(b.bin, "tada-run")
			session := []string{runner, "--session", "--"}
			b.enlist(t, c, session)
			got := b.playIn(t, c, session,
				inside.read(state), inside.write(state),
				inside.write(filepath.Join(b.home, ".tada/new")), inside.write(hook),
				inside.read(settings), inside.write(settings),
				inside.write(filepath.Join(b.work, "made")),
				c.tool("cat "+state+"; touch "+settings+" /root/outside; echo status $?"),
				c.tool(runner+" 'echo said 4\"2\"'"),
				c.tool(runner+" 'git push --force origin main'; echo status $?"),
			)
			for i, want := range append(inside.refused[:], "", "status 1", "said 42", "status 75") {
				if !strings.Contains(got[i], want) {
					t.Errorf("call %d: want %q: %s", i, want, got[i])
				}
			}
			if !b.exists("made") || b.exists(".git/hooks/pre-commit") ||
				b.exists("../h/.tada/new") {
				t.Error("it cannot work, or writes what git runs or tada-run reads")
			}
			for file, want := range map[string]string{state: config, settings: "{}\n"} {
				if text, err := os.ReadFile(file); err != nil || string(text) != want {
					t.Errorf("%s is %q, %v", file, text, err)
				}
			}
			if after := filesBelow(t, b.home); !slices.Equal(after, before) {
				t.Errorf("outside of its own folder there was %q, and now is %q", before, after)
			}
			if got := b.playIn(t, c, session, c.tool("echo again")); !strings.Contains(got[0],
				"again") {
				t.Errorf("the next session: %s", got[0])
			}
			b.recorded(t, `echo said 4"2"`, "ended")
			b.recorded(t, "git push --force origin main", "waiting")
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}

// enlist starts the session, checks that it asks one question, and approves it.
func (b *bench) enlist(t *testing.T, c client, session []string) {
	t.Helper()
	b.model.begin(nil)
	words := append(append(slices.Clone(session), b.seen(c.find(t))), c.argv...)
	cmd := b.command(t, words[0], words[1:]...)
	cmd.Env = append(append(cmd.Env, c.env...), b.model.env...)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 75 {
		t.Fatalf("the first start: %v\n%s", err, out)
	}
	list := b.questions(t)
	if len(list) != 1 {
		t.Fatalf("not one question: %q", list)
	}
	page, _, _ := strings.Cut(b.ctl(t, "show", list[0].ID), "every value by its name")
	if n := strings.Count(page, "\n"); n > 20 {
		t.Errorf("%d lines are shown for one session:\n%s", n, page)
	}
	t.Log(page)
	b.person(t, "approve", "--plan", list[0].Hash, list[0].ID)
}

// person runs tadactl at a terminal.
func (b *bench) person(t *testing.T, args ...string) {
	t.Helper()
	cmd := b.command(t, filepath.Join(b.bin, "tadactl"), args...)
	apart := []string{"unshare", "--mount", "--"}
	if os.Getuid() != 0 {
		apart = []string{"unshare", "--map-current-user", "--mount", "--"}
	}
	path, err := exec.LookPath(apart[0])
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Path, cmd.Args, cmd.Stdout, cmd.Stderr = path, append(apart, cmd.Args...), out, out
	tty, err := startOn(cmd, terminalName)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	go approving(tty)
	if err := tty.Wait(); err != nil {
		text, _ := os.ReadFile(out.Name())
		t.Fatalf("tadactl %q: %v\n%s", args, err, text)
	}
}

// filesBelow returns the names in a home, without the states of tada-run and of its sessions.
func filesBelow(t *testing.T, home string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		if rest := strings.TrimPrefix(name, home); rest == "/.tada" ||
			rest == "/.local/state/tada-run" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// recorded fails unless a run within a session is recorded with that end.
func (b *bench) recorded(t *testing.T, command, state string) {
	t.Helper()
	var runs []struct{ Command, State, Within string }
	text := b.ctl(t, "sessions", "--json")
	if err := json.Unmarshal([]byte(text), &runs); err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.Command == command && r.State == state && r.Within != "" {
			return
		}
	}
	t.Errorf("%q is not on record as %s within the session:\n%s", command, state, text)
}
