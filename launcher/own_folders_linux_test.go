package launcher

import (
	"path/filepath"
	"testing"
)

// B-R1.2: no plan leaves out a folder of PATH that commands can put programs into, and that only
// looks like one of an agent's program: what a command starts would find them there.
func TestFoldersThatCommandsFill(t *testing.T) {
	const home = "/nonexistent" // the shared temporary folders, where tests live, are open anyway
	l, err := Place{State: filepath.Join(t.TempDir(), "state"), Account: home}.Open()
	if err != nil {
		t.Fatal(err)
	}
	_, base := world(t)
	base.Shell.Name, base.Agent, base.Stdio.In = "bash", "one", devNull(t)
	hash := func(text, path string) string {
		r := base
		r.Shell.Text, r.Env = text, []string{"HOME=" + home, "PATH=" + path + "/usr/bin:/bin"}
		return judged(t, l, r).Hash()
	}
	alone := hash("rm -r src", "")
	for dir, open := range map[string]bool{
		home + "/.codex/tmp":      false,
		"/opt/codex":              false,
		home + "/.cache/go-build": true, // `go test` writes there, and what it tests
		home + "/.npm/_npx/1":     true,
		"/dev/fd/9":               true, // of the command itself
		"/proc/self/fd/9":         true,
		base.Dir:                  true,
	} {
		dir += "/vendor/x/codex-path"
		if got := hash("rm -r src", dir+":") != alone; got != open {
			t.Errorf("%s in PATH: bound %v, want %v", dir, got, open)
		}
		text := "export PATH=\"" + dir + "\":\"$PATH\"\nexec /bin/bash -c 'rm -r src'"
		if got := hash(text, "") != alone; got != open {
			t.Errorf("%s put in front of PATH: another plan %v, want %v", dir, got, open)
		}
	}
}

// B-R1.2: a login shell runs what is in its home first, so its text is left out only where no
// command could put it there.
func TestHomeOfALoginShell(t *testing.T) {
	l, base := world(t)
	l.account = "/nonexistent"
	base.Shell.Name, base.Agent, base.Stdio.In = "bash", "one", devNull(t)
	for home, same := range map[string]bool{l.account: true, base.Dir: false} {
		var hashes []string
		for _, text := range []string{"rm -r src", "exec /bin/bash -lc 'rm -r src'"} {
			r := base
			r.Shell.Text, r.Env = text, []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
			hashes = append(hashes, judged(t, l, r).Hash())
		}
		if (hashes[0] == hashes[1]) != same {
			t.Errorf("home %s: the same plan %v, want %v", home, !same, same)
		}
	}
}
