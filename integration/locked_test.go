package integration

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Settings that another process has locked, with every kind of lock, are still edited, and at once,
// because a lock binds only processes that ask for it. When that process then writes back what it
// had read before, hook status reports that the hook is gone.
func TestSettingsLocked(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range []string{"tada-run", "tadactl"} {
		// they look for each other beside their own file
		program(t, filepath.Join(bin, name), string(raw))
	}
	home := t.TempDir()
	list := newPlace(t)
	list.env = append(list.env, "HOME="+home, "PATH="+bin+":"+os.Getenv("PATH"))
	for d := json.NewDecoder(strings.NewReader(list.run("tadactl hook status --json"))); ; {
		var a struct{ Platform, File string }
		if err := d.Decode(&a); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		t.Run(a.Platform, func(t *testing.T) {
			p, file := newPlace(t), a.File
			p.env = append(p.env, "HOME="+home, "PATH="+bin+":"+os.Getenv("PATH"))
			const own = "{\"mine\": 1}\n"
			if ours := !strings.HasSuffix(file, ".json"); ours {
				// OpenCode's plugin contains nothing of the person's
				p.run("tadactl hook install " + a.Platform)
			} else {
				write(t, file, own)
			}
			if err := os.Mkdir(file+".lock", 0o700); err != nil {
				// as programs in JavaScript lock a file
				t.Fatal(err)
			}
			f, err := os.OpenFile(file, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK,
				&syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
				t.Fatal(err)
			}
			if got := p.run("tadactl hook install " + a.Platform +
				"; echo status $?"); !strings.Contains(got, "status 0") {
				t.Error(got)
			}
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), a.Platform) ||
				strings.HasSuffix(file, ".json") && !strings.Contains(string(text), `"mine"`) {
				t.Errorf("%s: %q, %v", file, text, err)
			}
			write(t, file+".new", own)
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
			got := p.run("tadactl hook status " + a.Platform + "; echo status $?")
			if !strings.Contains(got, "status 1") || strings.Contains(got, " complete ") {
				t.Errorf("the hook is not there: %s", got)
			}
		})
	}
}
