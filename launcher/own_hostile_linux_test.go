package launcher

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard"
)

// A hostile is a text that looks like one of an agent's program and does more than carry its
// command: Q is the command in quotes, OWN the command, W the workspace, H the home. PATH is
// searched in front of the system's.
type hostile struct{ why, path, text string }

const ofGemini = "shopt -u extglob; _bgpids_file=FILE\n(\n" +
	"  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nOWN\n)\n__code=$?\nMORE\nexit $__code"

var hostiles = []hostile{
	{"a shell of the workspace", "", "exec W/bin/bash -c Q"},
	{"a link of the workspace to no shell", "", "exec W/bin/zsh -c Q"},
	{"a shell through /proc", "", "exec /proc/self/cwd/bin/bash -c Q"},
	{"a shell by a name that leads back", "", "exec /bin/..W/bin/bash -c Q"},
	{"a login shell of the workspace", "", "exec W/bin/bash -lc Q"},
	{"a shell of the workspace in another", "",
		"shopt -u extglob; eval 'exec W/bin/bash -c \"rm -r src\"'"},
	{"setopt is a program here", "W/bin", "setopt NO_EXTENDED_GLOB; eval Q"},
	{"pgrep of the workspace", "W/bin",
		strings.NewReplacer("FILE", "/tmp/gemini-shell-ab/bgpids.tmp", "MORE",
			"pgrep -g 0 > /tmp/shell_pgrep_ab.tmp").Replace(ofGemini)},
	{"functions of the workspace", "", "source W/shell-snapshots/snapshot-bash-1-a.sh; eval Q"},
	{"functions of the workspace for Codex", "", ". W/shell_snapshots/a.sh\nexec /bin/bash -c Q"},
	{"functions through /proc", "",
		"source /proc/self/cwd/shell-snapshots/snapshot-bash-1-a.sh; eval Q"},
	{"functions by a name that leads back", "",
		"source H/.claude/..W/shell-snapshots/snapshot-bash-1-a.sh; eval Q"},
	{"functions through a link", "",
		"source H/linked/shell-snapshots/snapshot-bash-1-a.sh; eval Q"},
	{"functions through a link where they are saved", "",
		"source H/.claude/shell-snapshots/snapshot-bash-2-b.sh; eval Q"},
	{"functions of a cache", "",
		"source H/.cache/go-build/shell-snapshots/snapshot-bash-1-a.sh; eval Q"},
	{"functions of elsewhere", "", "source /tmp/shell-snapshots/snapshot-bash-1-a.sh; eval Q"},
	{"programs of the workspace", "", "export PATH=W/bin:\"$PATH\"\nexec /bin/bash -c Q"},
	{"programs of the workspace alone", "", "export PATH=W/bin\nexec /bin/bash -c Q"},
	{"programs as those of Codex", "",
		"export PATH=W/vendor/x/codex-path:\"$PATH\"\nexec /bin/bash -c Q"},
	{"programs of /tmp", "", "export PATH=/tmp/nobodys:\"$PATH\"\nexec /bin/bash -c Q"},
	{"programs through /proc", "", "export PATH=/proc/self/cwd/bin:\"$PATH\"\nexec /bin/bash -c Q"},
	{"programs through a link", "", "export PATH=H/linked/bin:\"$PATH\"\nexec /bin/bash -c Q"},
	{"a note that is a link", "", "eval Q; pwd -P > W/claude-a-cwd"},
	{"a note that is a link to a note", "", "eval Q; pwd -P > W/x/claude-b-cwd"},
	{"a note with two names", "", "eval Q; pwd -P > W/claude-c-cwd"},
	{"a note that is a pipe", "", "eval Q; pwd -P > W/claude-d-cwd"},
	{"a note in a folder of the system", "", "eval Q; pwd -P > /etc/cron.d/claude-a-cwd"},
	{"a note in a folder of the person", "", "eval Q; pwd -P > H/.ssh/claude-a-cwd"},
	{"a note of Gemini that is a link", "",
		strings.NewReplacer("FILE", "W/gemini-shell-ab/bgpids.tmp", "MORE",
			"true").Replace(ofGemini)},
	{"a note of Gemini at another place", "",
		strings.NewReplacer("FILE", "/tmp/gemini-shell-ab/bgpids.tmp", "MORE", "true", "OWN",
			"_bgpids_file=W/a; OWN").Replace(ofGemini)},
	{"a variable in more words", "",
		"__CODEX_SNAPSHOT_A=\"${HTTPS_PROXY-}\"\n__CODEX_SNAPSHOT_F=\"${HTTPS_PROXY+x}\"\nif [ -n \"$__CODEX_SNAPSHOT_F\" ]; then builtin export HTTPS_PROXY=$__CODEX_SNAPSHOT_A; fi\nexec /bin/bash -c Q"},
	{"a variable in more words of a test", "",
		"__CODEX_SNAPSHOT_A=\"${HTTPS_PROXY-}\"\n[ -n $__CODEX_SNAPSHOT_A ]\nexec /bin/bash -c Q"},
	{"another program's hook", "", "W/bin/tada-run --agent=codex -c Q"},
	{"another state", "", "/proc/self/exe --agent=codex --home=W/state -c Q"},
}

// hostileWorld has what the texts name.
func hostileWorld(t *testing.T) (l *Launcher, req Request, fill *strings.Replacer) {
	t.Helper()
	l, req = world(t)
	req.Shell.Name, req.Agent, req.Stdio.In = "bash", "one", devNull(t)
	w, h := req.Dir, l.account
	req.Env = append(slices.Clone(req.Env), "HOME="+h,
		"HTTPS_PROXY=http://proxy.example LD_PRELOAD=x")
	errs := []error{os.Symlink("/bin/ls", filepath.Join(w, "zsh"))}
	for _, name := range []string{
		"w/bin/bash", "w/bin/setopt", "w/bin/pgrep", "w/bin/tada-run", "w/vendor/x/codex-path/ssh",
		"w/shell-snapshots/snapshot-bash-1-a.sh",
		"w/shell_snapshots/a.sh", "w/gemini-shell-ab/x", "w/x/x", "w/claude-b-cwd", "w/theirs",
		"h/.claude/shell-snapshots/snapshot-bash-1-a.sh",
		"h/.cache/go-build/shell-snapshots/snapshot-bash-1-a.sh",
	} {
		name = strings.NewReplacer("w/", w+"/", "h/", h+"/").Replace(name)
		errs = append(errs, os.MkdirAll(filepath.Dir(name), 0o755),
			hermetic.WriteProgram(name, []byte("#!/bin/sh\nrm() { touch evil; }\n"),
				0o755))
	}
	for name, to := range map[string]string{
		"claude-a-cwd": "theirs", "x/claude-b-cwd": "../claude-b-cwd",
		"gemini-shell-ab/bgpids.tmp": "../theirs", "bin/zsh": "/bin/ls",
	} {
		errs = append(errs, os.Symlink(to, filepath.Join(w, name)))
	}
	errs = append(errs, os.Link(filepath.Join(w, "theirs"), filepath.Join(w, "claude-c-cwd")),
		unix.Mkfifo(filepath.Join(w, "claude-d-cwd"), 0o600),
		os.Symlink(w, filepath.Join(h, "linked")),
		os.Symlink(filepath.Join(w, "shell-snapshots/snapshot-bash-1-a.sh"),
			filepath.Join(h, ".claude/shell-snapshots/snapshot-bash-2-b.sh")))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return l, req, strings.NewReplacer("W/", w+"/", "H/", h+"/")
}

// B-R1.2: an agent that writes such a text itself gets its own text judged, shown and bound, where
// anything in it is not what a program has for itself: no approval of the command fits it.
func TestHostileWrappers(t *testing.T) {
	l, base, fill := hostileWorld(t)
	const command = "rm -r src"
	judge := func(path, text string) *Judgement {
		r := base
		r.Shell.Text = fill.Replace(text)
		if path != "" {
			r.Env = append(slices.Clone(r.Env), "PATH="+fill.Replace(path)+":/usr/bin:/bin")
		}
		j, err := l.Judge(r)
		if err != nil {
			t.Fatal(text, err)
		}
		t.Cleanup(func() { j.Close() })
		return j
	}
	commands := strings.NewReplacer("OWN", command, "Q", "'"+command+"'")
	for _, h := range hostiles {
		j := judge(h.path, commands.Replace(h.text))
		if alone := judge(h.path, command); j.Hash() == alone.Hash() {
			t.Errorf("%s: the plan of %q alone:\n%s", h.why, command, j.Request.Shell.Text)
		}
		if shown := j.subject().Script.Text; shown == command {
			t.Errorf("%s: %q alone is shown:\n%s", h.why, command, j.Request.Shell.Text)
		}
	}
	for _, text := range []string{"shopt -u extglob; eval Q; pwd -P > /tmp/claude-9z9z-cwd",
		"exec /bin/bash -c Q"} {
		if j := judge("", commands.Replace(text)); j.Hash() != judge("", command).Hash() {
			t.Errorf("what a program writes is another plan: %s", text)
		}
	}
	if j := judge("", commands.Replace("source H/.claude/shell-snapshots/snapshot-bash-1-a.sh; eval Q")); j.subject().Script.Text != command {
		t.Error("what a program saved is not told apart")
	}
}

// What is hostile stays so among other pieces, wherever it is.
func TestHostilePieces(t *testing.T) {
	l, base, fill := hostileWorld(t)
	r := rand.New(rand.NewPCG(7, 8))
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	pieces := []string{
		"setopt NO_EXTENDED_GLOB", "source W/shell-snapshots/snapshot-bash-1-a.sh",
		"source H/linked/shell-snapshots/snapshot-bash-1-a.sh",
		". /proc/self/cwd/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null",
		"pwd -P > W/claude-a-cwd", "pwd > W/claude-c-cwd", "pwd -P >| W/x/claude-b-cwd",
		"trap 'touch evil' DEBUG", "trap 'touch evil' ERR", "trap 'touch evil' RETURN",
		"set -o functrace", "set -f", "enable -f W/x.so rm", "hash -p W/bin/bash rm",
		"alias rm=W/bin/bash", "rm() { touch evil; }",
		"function command_not_found_handle { touch evil; }", "readonly IFS=/", "IFS=/",
		"BASH_ENV=W/bin/bash",
		"exec 1> W/theirs", "exec < W/theirs", "cd bin", "pushd bin", "umask 0", "ulimit -f 0",
		"shopt -s nullglob", "export PATH=W/bin:$PATH", "PATH=W/bin",
		"declare -x LD_PRELOAD=W/x", "typeset -f rm", "let x=1", "coproc cat", "wait", "kill 0",
		": > W/theirs", "true > W/theirs", "true <<< \"$(touch evil)\"",
		"eval 'touch evil'", "eval touch evil", "[ -n \"$(touch evil)\" ]", ". W/bin/bash",
		"source W/shell_snapshots/a.sh", "unset -v PATH", "unset PATH",
		"unalias -a", "shopt -u \"$(touch evil)\"", "pwd -P > /tmp/claude-\"$(touch evil)\"-cwd",
		"pwd -P > /tmp/claude-$'\\x61'-cwd", "pwd -P > $\"/tmp/claude-a-cwd\"",
		"pwd -P > /tmp/claude-{a,b}-cwd", "pwd -P > ~/claude-a-cwd", "pwd -P > /tmp/*/claude-a-cwd",
		"pwd -P >> W/claude-a-cwd", "pwd -P <> W/claude-a-cwd", "pwd -P >& W/theirs",
	}
	tidy := []string{"true", ":", "shopt -u extglob 2>/dev/null || true", "unalias -- which",
		"unset -f -- which", "pwd -P > /tmp/claude-9z9z-cwd"}
	const command = "rm -r src"
	req := base
	req.Shell.Text = command
	alone := judged(t, l, req).Hash()
	for range 400 {
		parts := []string{"eval 'rm -r src'", pick(pieces)}
		for range r.IntN(4) {
			parts = append(parts, pick(tidy))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		req.Shell.Text = fill.Replace(strings.Join(parts, pick([]string{"; ", "\n", " && "})))
		j, err := l.Judge(req)
		if err != nil {
			continue
		}
		if j.Hash() == alone || j.subject().Script.Text == command {
			t.Errorf("taken for %q alone:\n%s", command, req.Shell.Text)
		}
		j.Close()
	}
	if t.Failed() {
		return
	}
	for range 100 { // without the hostile piece it is that
		req.Shell.Text = fmt.Sprintf("%s\neval 'rm -r src'\n%s", pick(tidy), pick(tidy))
		if judged(t, l, req).Hash() != alone {
			t.Fatalf("another plan:\n%s", req.Shell.Text)
		}
	}
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// What an agent's program saved of the shell is loaded before every command: only its own start may
// write a new one.
func TestOnlyTheStartSavesFunctions(t *testing.T) {
	l, base := world(t)
	dir := filepath.Join(l.account, ".claude/shell-snapshots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	base.Env = append(slices.Clone(base.Env), "HOME="+l.account, "CLAUDECODE=1")
	file := filepath.Join(dir, "snapshot-bash-9-z.sh")
	start := "SNAPSHOT_FILE=" + file + "\necho '# Snapshot file' >| \"$SNAPSHOT_FILE\"\n"
	for _, test := range []struct {
		text, agent string
		login, ask  bool
	}{
		{start, "", true, false},
		{start, "", false, true},
		{start, "codex", true, true},
		{"eval " + quoteText(start), "", true, true},
		{"echo x > " + file, "", true, true},
		{"cp a " + file, "", false, true},
		{"ln -s $PWD/a " + file, "", false, true},
		{"bash -lc " + quoteText(start), "", false, true},
	} {
		r := base
		r.Shell.Text, r.Shell.Login, r.Agent = test.text, test.login, test.agent
		if asks := judged(t, l, r).Verdict.Decision != pathguard.Allow; asks != test.ask {
			t.Errorf("login %v, agent %q: asks %v\n%s", test.login, test.agent, asks, test.text)
		}
	}
}
