package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
)

// C-3.1.5: a restricted path, whatever every command needs lies in it, does not keep the shell from
// starting; or the configuration or the command line is refused with a reason. What the path covers
// stays out of reach.
func TestRestrictedPathsLeaveTheShell(t *testing.T) {
	for _, list := range []string{
		"/etc, /usr/bin, /System", "/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64",
		"/usr/share", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev", "/sys",
		"/var", "/run", "/usr/bin/bash", "/bin/sh", "/usr/lib/*-linux-*",
		"/usr/lib/*-linux-*/libc.so.6", "/lib64/ld-linux-*", "/etc/ld.so.cache", "/usr/*", "/etc/*",
		"/*/bin",
		"/", "/*", "**/*", "~", "WORK", "PARENT", "OWN", "/proc/self/exe",
	} {
		for _, level := range []string{"as it is", "base"} {
			t.Run(strings.ReplaceAll(list, "/", "|")+" "+level,
				func(t *testing.T) { startsOrSaysWhy(t, list, level == "base") })
		}
	}
}

func startsOrSaysWhy(t *testing.T, list string, base bool) {
	l, req := world(t)
	list = strings.NewReplacer("WORK", req.Dir, "PARENT", filepath.Dir(req.Dir), "OWN",
		filepath.Dir(os.Args[0])).Replace(list)
	if err := os.WriteFile(l.state.Config(),
		fmt.Appendf(nil, "security: {restricted_paths: [%s]}\n", quotedList(list)),
		0o600); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if config := (*pathguard.ConfigError)(nil); errors.As(err, &config) {
		if strings.Trim(list, "/*") != "" ||
			!strings.Contains(config.Error(), "covers every file") {
			t.Error(err)
		}
		return
	} else if err != nil {
		t.Fatal(err)
	}
	if base {
		l = atBase(t, l)
	}
	req.Shell.Text, req.Stdio, req.PTY = "echo hi > left", nowhere(t), session.Never
	out, err := l.Run(context.Background(), req)
	text, _ := os.ReadFile(filepath.Join(req.Dir, "left"))
	switch {
	case err != nil:
		t.Error(err)
	case out.Refusal != nil:
		if !pathname.Within(req.Dir, list) || out.Refusal.Code != "restricted_path" ||
			!strings.Contains(out.Refusal.JSON(), req.Dir+" is restricted") {
			t.Errorf("%s", out.Refusal.JSON())
		}
	case out.Status != 0 || string(text) != "hi\n":
		t.Errorf("status %d, %q", out.Status, text)
	}
}

func quotedList(names string) string {
	return strings.Join(quoted(strings.Split(names, ", ")), ", ")
}

// What the shell does not need of a restricted path is withheld from code that makes the name up
// while it runs, at both levels.
func TestRestrictedBesideWhatTheShellNeeds(t *testing.T) {
	l, req := world(t)
	if err := os.WriteFile(l.state.Config(), []byte("security: {restricted_paths: [/etc]}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	l, err := own(l.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Launcher{l, atBase(t, l)} {
		for name, want := range map[string]int{"/etc/fstab": 1, "/etc/shells": 1,
			"/etc/nsswitch.conf": 0} {
			if _, err := os.Stat(name); err != nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(req.Dir, "name"), []byte(name+"\n"),
				0o600); err != nil {
				t.Fatal(err)
			}
			if got := status(t, l, req, `read -r p <name; read -r x <"$p"`); got != want {
				t.Errorf("%s: status %d, want %d", name, got, want)
			}
		}
	}
}

// A shell that the sandbox cannot execute is told as every refusal is: with a reason, what to type,
// and as JSON.
func TestShellThatCannotBeExecuted(t *testing.T) {
	l, req := world(t)
	false := filepath.Join(filepath.Dir(req.Dir), "bash")
	if err := os.WriteFile(false, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	real := shell.Paths[shellparse.Bash]
	shell.Paths[shellparse.Bash] = []string{false}
	t.Cleanup(func() { shell.Paths[shellparse.Bash] = real })
	req.Shell.Text, req.Stdio, req.PTY = "echo hi", nowhere(t), session.Never
	out, err := l.Run(context.Background(), req)
	if err != nil || out.Refusal == nil {
		t.Fatal(out, err)
	}
	if out.Status != 126 || out.Refusal.Code != "no_shell" ||
		!strings.Contains(out.Refusal.Line(), fmt.Sprintf("%q", false)) ||
		!strings.Contains(out.Refusal.Line(), "; try: tadactl policy check") ||
		!strings.HasPrefix(out.Refusal.JSON(), `{"tada":1,`) {
		t.Errorf("%d %s\n%s", out.Status, out.Refusal.Line(), out.Refusal.JSON())
	}
}
