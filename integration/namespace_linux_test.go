package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A sandbox may give its commands a PID namespace and leave the /proc of the one around it, as that
// of Claude Code does: a number in /proc is then that of another process. What runs there is
// recorded, kept and ended as everywhere, at both levels.
func TestInANamespaceBelowThatOfProc(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"strong": "", "base": "echo 0 > /proc/sys/user/max_user_namespaces && ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			inside := func(line string) (string, error) {
				cmd := p.command(before + line)
				cmd.SysProcAttr = &syscall.SysProcAttr{
					Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
					UidMappings: same(os.Getuid()), GidMappings: same(os.Getgid()),
					AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE},
				}
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			run := func(line, want string) {
				t.Helper()
				got, err := inside(line)
				if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
					t.Skip("no user namespaces here")
				}
				if err != nil || strings.TrimSpace(got) != want {
					t.Errorf("%s: %v\n%s\nwant %s", line, err, got, want)
				}
			}
			write(t, filepath.Join(p.dir, ".env"), "secret")
			write(t, filepath.Join(p.dir, "kept"), "kept")
			if out := p.run("cp /bin/cat show"); out != "" {
				t.Fatal(out)
			}
			run("tadactl doctor -v | grep -o 'level    .*'", "level    "+name)
			run("tada-run 'mkdir -p a; cd a; echo hello > b; touch b; cat b; pwd'",
				"hello\n"+filepath.Join(p.dir, "a"))
			run("tada-run './show $(date +.env) kept 2>&1; echo' 2>/dev/null",
				"./show: .env: Permission denied\nkept")
			run("tada-run 'mv kept gone; rm -r a; ls'", "build\ngone\nshow")
			seconds := fmt.Sprintf("3600.%d%d", os.Getpid(), len(name)) // no other test's
			run("tada-run 'sleep "+seconds+" & echo over' 2>/dev/null", "over")
			if out, err := exec.Command("pgrep", "-fx", "sleep "+seconds).Output(); err == nil {
				t.Errorf("left running: %s", out)
			}
			run("tadactl sessions | grep -c reversible", "2")
			run("tadactl audit verify --complete > /dev/null && echo whole", "whole")
		})
	}
}

// same maps one id onto itself.
func same(id int) []syscall.SysProcIDMap {
	return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
}
