package settings

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// C5: the registered line blocks by itself, with a reason, whatever happens to tadactl, and passes
// on a complete answer unchanged, in every shell with which a platform may start it.
func TestLineNeverFailsOpen(t *testing.T) {
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		for _, test := range []struct {
			stub, out, err string
			blocks         bool
		}{
			{stub: `cat >/dev/null; printf '{"a":"%%s\\n","audit":"1:ab"}\n'`,
				out: `{"a":"%s\n","audit":"1:ab"}` + "\n"},
			{stub: `[ "$*" = "hook run codex" ] && read x && printf '{"x":"%s","audit":1}' "$x"`,
				out: `{"x":"call","audit":1}` + "\n"},
			{stub: `echo "tada-run: denied" >&2; exit 2`,
				err: "tada-run: denied\nblocked by tada-run\n", blocks: true},
			{stub: `echo '{"decision":"block"}'; exit 2`, out: `{"decision":"block"}`,
				err: "blocked by tada-run\n", blocks: true},
			{stub: `exit 1`, err: "no whole answer", blocks: true},
			{stub: `exit 0`, err: "no whole answer", blocks: true},
			{stub: `exit 127`, err: "no whole answer", blocks: true},
			{stub: `echo garbage`, err: "no whole answer", blocks: true},
			{stub: `printf '{"audit":"1:ab"'`, err: "no whole answer", blocks: true},
			{stub: `echo '{}'`, err: "no whole answer", blocks: true},
			{stub: `kill -9 $$`, err: "no whole answer", blocks: true},
			{stub: `kill -STOP $$`, err: "no whole answer", blocks: true},
			{stub: `trap '' TERM INT HUP; while :; do :; done`, err: "no whole answer",
				blocks: true},
			{stub: `exec sleep 60`, err: "no whole answer", blocks: true},
			{stub: "", err: "no whole answer", blocks: true},
		} {
			t.Run(shell+"/"+test.stub, func(t *testing.T) {
				t.Parallel()
				ctl := filepath.Join(t.TempDir(), "tadactl")
				if test.stub != "" {
					if err := hermetic.WriteProgram(ctl, []byte("#!/bin/sh\n"+test.stub+"\n"),
						0o700); err != nil {
						t.Fatal(err)
					}
				}
				line := Hook{Ctl: ctl, Each: time.Second - slack/2}.Line("codex")
				words := []string{"-c", line}
				if shell == "busybox" {
					words = []string{"sh", "-c", line}
				}
				cmd := exec.CommandContext(t.Context(), path, words...)
				cmd.Stdin = strings.NewReader("call\n")
				var out, reason bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &reason
				err := cmd.Run()
				var ended *exec.ExitError
				if test.blocks != (errors.As(err, &ended) && ended.ExitCode() == 2) ||
					!test.blocks && err != nil {
					t.Errorf("%s, %q: %v", shell, test.stub, err)
				}
				if out.String() != test.out || !strings.Contains(reason.String(), test.err) {
					t.Errorf("%s, %q: said %q and %q", shell, test.stub, out.String(),
						reason.String())
				}
			})
		}
	}
}

// C4: a repository can set PATH and other variables for what some platforms start. The line uses no
// program or function from there in place of its own.
func TestLineTakesNothingFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	ctl := filepath.Join(dir, "tadactl")
	for name, text := range map[string]string{
		"tadactl": "exit 1", "sh": "exit 0", "timeout": `echo '{"audit":1}'`, "printf": "exit 0",
		"echo": "exit 0", "command": "exit 0", "[": "exit 0",
	} {
		if err := hermetic.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	line := Hook{Ctl: ctl, Each: time.Second}.Line("codex")
	for _, shell := range []string{"/bin/sh", "/bin/bash"} {
		cmd := exec.CommandContext(t.Context(), shell, "-c", line)
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "ENV=" + dir + "/sh"}
		for _, name := range []string{"command", "timeout", "printf", "echo"} {
			cmd.Env = append(cmd.Env,
				"BASH_FUNC_"+name+`%%=() {  builtin printf '{"audit":1}'; builtin exit 0; }`)
		}
		out, err := cmd.Output()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 2 || len(out) > 0 {
			t.Errorf("%s: said %q, %v", shell, out, err)
		}
	}
}

// C5: if the system has no timeout in its default path, as on NixOS, none is taken from PATH, which
// a repository can set: the line blocks, or finds the system's own elsewhere.
func TestLineWithoutTimeoutInTheDefaultPath(t *testing.T) {
	dir := t.TempDir()
	stub := "#!/bin/sh\necho '{\"audit\":1}'\n"
	for name, text := range map[string]string{"tadactl": stub, "timeout": stub} {
		if err := hermetic.WriteProgram(filepath.Join(dir, name), []byte(text),
			0o700); err != nil {
			t.Fatal(err)
		}
	}
	line := Hook{Ctl: filepath.Join(dir, "tadactl"), Each: time.Second}.Line("codex")
	run := func(line string) (string, bool) {
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}
		out, err := cmd.Output()
		var ended *exec.ExitError
		return string(out), errors.As(err, &ended) && ended.ExitCode() == 2
	}
	nowhere := strings.Replace(line, "command -pv timeout", "command -pv no-such-timeout", 1)
	if nowhere == line {
		t.Fatal("the line does not look for timeout")
	}
	if out, blocks := run(nowhere); !blocks || out != "" {
		t.Errorf("without timeout: said %q, blocks %v", out, blocks)
	}
	real, err := exec.LookPath("timeout")
	if err != nil {
		t.Skip("timeout is not installed")
	}
	elsewhere := strings.Replace(nowhere, "/run/current-system/sw/bin/timeout", real, 1)
	if out, blocks := run(elsewhere); elsewhere == nowhere || blocks ||
		!strings.Contains(out, "audit") {
		t.Errorf("with timeout in the place of NixOS: said %q, blocks %v", out, blocks)
	}
}
