package sandbox

import (
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// What is renamed from outside over a hidden file or folder while the command runs is as hidden:
// the kernel takes a mount away with the name that it lies on, and Landlock knows only what was
// there before. C-3.1.5.
func TestHideReplaced(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		top := t.TempDir()
		must(t, os.MkdirAll(top+"/home/.ssh", 0o700))
		for _, name := range []string{"/home/token", "/home/.ssh/key", "/home/open"} {
			must(t, os.WriteFile(top+name, []byte("secret"), 0o600))
		}
		p.Read = append(p.Read, Path{Name: top + "/home"})
		p.Hide = []string{top + "/home/token", top + "/home/.ssh"}
		wait, next, err := os.Pipe()
		must(t, err)
		up, started, err := os.Pipe()
		must(t, err)
		done := make(chan string)
		go func() {
			_, out := shell(t, p, "cd "+top+
				"/home; echo >&4; read x <&3; cat token .ssh/key; cat open", wait, started)
			done <- out
		}()
		up.Read(make([]byte, 1))
		must(t, os.WriteFile(top+"/new", []byte("secret"), 0o644))
		must(t, os.Rename(top+"/new", top+"/home/token"))
		must(t, os.Rename(top+"/home/.ssh", top+"/home/.ssh.old"))
		must(t, os.Mkdir(top+"/home/.ssh", 0o755))
		must(t, os.WriteFile(top+"/home/.ssh/key", []byte("secret"), 0o644))
		next.WriteString("go\n")
		if out := <-done; strings.Count(out, "secret") != 1 || strings.Count(out, "denied") != 2 {
			t.Errorf("%q", out)
		}
	})
}

// If only an administrator can put another object under a name, the mount over it is enough; if one
// of the user's own folders is on the way, it is not.
func TestFolders(t *testing.T) {
	home := t.TempDir()
	must(t, os.MkdirAll(home+"/a/b", 0o700))
	must(t, hermetic.Chmod(home+"/a", 0o500))
	defer hermetic.Chmod(home+"/a", 0o700)
	f := folders{}
	for dir, want := range map[string]bool{home: true, home + "/a": true, home + "/a/b": true,
		home + "/none/such": true, "/etc": os.Geteuid() == 0, "/": os.Geteuid() == 0,
		"/none/such": os.Geteuid() == 0} {
		if got := f.changeable(dir); got != want {
			t.Errorf("%q can be changed: %v, want %v", dir, got, want)
		}
	}
}
