package integration

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// knocks tries to reach the socket of the fleet's agent, to read what is beside it, and to put
// another one in its place. The usual places have a path of their own to it by then.
const knocks = `#!/usr/bin/perl
use Socket; use Cwd;
open(my $where, '<', 'where');
my $state = <$where>; # not as an argument: no policy would let it pass
my $home = getcwd();
sub knock { my ($path, $s) = @_; return socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un($path)); }
sub told { my ($name, $ok) = @_; print "$name: ", ($ok ? "WORKED" : "refused"), "\n"; }
my $at = "$state/run/fleet.sock";
told('by its path', knock($at));
told('through the root of a process', knock("/proc/self/root$at") || knock("/proc/1/root$at"));
told('from its folder', chdir("$state/run") && knock('fleet.sock'));
chdir($home);
told('through a link', knock('link'));
told('through a link to its folder', knock('folder/fleet.sock'));
told('by another name', link($at, 'own') && knock('own'));
my $moved = rename($at, "$at.away");
told('out of the way', $moved || unlink($at) || rename("$state/run", "$state/away"));
my $s; socket($s, PF_UNIX, SOCK_STREAM, 0);
told('one in its place', bind($s, sockaddr_un("$at.mine")) && listen($s, 1));
told('the key of the machine', open(my $f, '<', "$state/fleet/key.pem"));
`

// No command in a sandbox reaches the agent of the fleet or the key of the machine, at either level
// of the sandbox; outside of it, as a control, all of it works.
func TestFleetSocketFromInside(t *testing.T) {
	t.Parallel()
	need(t, "perl")
	homes, work := t.TempDir(), t.TempDir()
	if err := hermetic.WriteProgram(filepath.Join(work, "knocks"), []byte(knocks), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, home := range []string{filepath.Join(homes, "strong"), baseHome(t, "tada-run", homes)} {
		level := filepath.Base(home)
		run := func(name string, arguments ...string) string {
			t.Helper()
			cmd := exec.Command(name, arguments...)
			cmd.Dir = work
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", level, err, out)
			}
			return string(out)
		}
		run("tada-run", "--home", home, "true")
		at := filepath.Join(home, "run/fleet.sock")
		l, err := net.Listen("unix", at)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		var reached atomic.Int64
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				reached.Add(1)
				c.Close()
			}
		}()
		for link, to := range map[string]string{"link": at, "folder": filepath.Dir(at)} {
			_ = os.Remove(filepath.Join(work, link))
			if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(home, "fleet"), 0o700); err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string]string{filepath.Join(home, "fleet/key.pem"): "secret",
			filepath.Join(work, "where"): home} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out := run("tada-run", "--home", home, "./knocks")
		if n := strings.Count(out, ": refused\n"); n != 9 || reached.Load() > 0 {
			t.Errorf("%s: %d refused, reached %d times\n%s", level, n, reached.Load(), out)
		}
		if _, err := os.Lstat(at); err != nil {
			t.Errorf("%s: %v", level, err)
		}
		out = run("./knocks")
		if n := strings.Count(out, ": WORKED\n"); n < 8 || reached.Load() == 0 {
			t.Errorf("outside, %s: %d worked\n%s", level, n, out)
		}
		_ = os.Remove(filepath.Join(work, "own"))
	}
}
