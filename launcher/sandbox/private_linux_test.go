package sandbox

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// private_tmp: files in /tmp are not seen, files made there are seen by no other program, and the
// workspace stays where it is even if it is in /tmp.
func TestPrivateTmp(t *testing.T) {
	outside, err := os.CreateTemp("/tmp", "outside")
	must(t, err)
	t.Cleanup(func() { os.Remove(outside.Name()) })
	outside.WriteString("secret")
	ws, err := os.MkdirTemp("/tmp", "ws")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(ws) })
	must(t, os.WriteFile(ws+"/.env", []byte("secret"), 0o600))
	levels(t, func(t *testing.T, p Profile) {
		level := p.Most
		mark := outside.Name() + level.String()
		p = Readable()
		p.Write = []Path{{Name: ws}, {Name: "/tmp"}}
		p.Require, p.Most = level, level
		p.PrivateTmp = true
		if p.Most == Strong {
			p.Hide = []string{ws + "/.env"}
		}
		if wd, _ := os.Getwd(); strings.HasPrefix(wd, "/tmp/") {
			p.Write = append(p.Write, Path{Name: wd}) // where this test runs
		}
		s, out := shell(t, p, "exec 2>&1; cat "+outside.Name()+"; (echo x > "+mark+") && cat "+mark+
			"; echo y > "+ws+"/f && cat "+ws+"/f; chmod 700 "+ws+"/f; ls /tmp | wc -l; cat "+ws+
			"/.env; :")
		if exists(mark) || strings.Contains(out, "secret") != (p.Most == Base) ||
			!strings.Contains(out, "y\n") || s.Shell() != 0 {
			t.Errorf("%+v %q", s, out)
		}
		if made := strings.Contains(out, "x\n"); made != (p.Most == Strong) {
			t.Errorf("%q", out)
		}
		process, receipt, err := Start(p, Command{Path: "/bin/true", Argv: []string{"true"}})
		must(t, err)
		process.Wait()
		if lost(receipt, PrivateTmp) != (p.Most == Base) {
			t.Errorf("%+v", receipt.Lost)
		}
		if sub, err := os.MkdirTemp("/tmp", "cwd"); err == nil && p.Most == Strong {
			defer os.Remove(sub)
			d, _ := os.Open(sub)
			if _, _, err := Start(p,
				Command{Path: "/bin/true", Argv: []string{"true"}, Dir: d}); err == nil ||
				!strings.Contains(err.Error(), "working directory") {
				t.Errorf("%v", err)
			}
			d.Close()
		}
	})
}

func lost(r Receipt, p Protection) bool {
	for _, l := range r.Lost {
		if l.Protection == p {
			return true
		}
	}
	return false
}

// Programs that make terminals of their own work, with and without one of the command's, and see no
// others.
func TestTerminalsInside(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script is not installed")
	}
	levels(t, func(t *testing.T, p Profile) {
		other := terminal(t)
		p.Terminals = true
		script := "cd " + p.Write[0].Name +
			"; script -qec 'tty; test -t 0 && echo inside' /dev/null </dev/null; ls " +
			other.Name() + "; : <" + other.Name() + " && echo opened"
		_, out := shell(t, p, script)
		if strings.Contains(out, "opened") {
			t.Errorf("another terminal was opened: %q", out)
		}
		if !regexp.MustCompile(`^/dev/pts/\d+\r\ninside\r\n`).MatchString(out) {
			t.Errorf("%q", out)
		}
		master, slave, err := pty.Open()
		must(t, err)
		defer master.Close()
		name := slave.Name() // as outside, and beside it the run makes others
		process, _, err := Start(p, Command{Path: "/bin/bash",
			Argv: []string{"bash", "-c",
				"tty; echo x > $(tty); echo y > /dev/tty; script -qec 'tty' /dev/null"},
			Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{slave, slave, slave},
			HasTTY: true})
		slave.Close()
		must(t, err)
		text, _ := io.ReadAll(master)
		if s, err := process.Wait(); err != nil || s.Shell() != 0 ||
			!strings.HasPrefix(string(text), name+"\r\nx\r\ny\r\n/dev/pts/") {
			t.Errorf("%+v %v %q", s, err, text)
		}
	})
}
