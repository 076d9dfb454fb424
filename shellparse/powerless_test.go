package shellparse

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// nobody is the account that owns nothing.
const nobody = 65534

// powerless returns how a real shell is started on generated words: without root's power, for a
// generated "> =w" empties /usr/bin/w in zsh, and no test for "/" in the text sees that. dir, and
// the way to it, is made the shell's own.
func powerless(t testing.TB, dir string) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr
	}
	attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: os.Getuid() != 0}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, nobody, nobody)
		}
		return err
	})
	if err == nil {
		err = hermetic.Chmod(filepath.Dir(dir), 0o755) // t.TempDir keeps it for its owner
	}
	if err != nil {
		t.Fatal(err)
	}
	return attr
}

// TestPowerless: E-dsp-4 is proven with real shells, and they must not harm the machine.
func TestPowerless(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has power to lose")
	}
	kept := filepath.Join(t.TempDir(), "kept")
	if err := hermetic.WriteProgram(kept, []byte("kept"), 0o755); err != nil {
		t.Fatal(err)
	}
	eachShell(t, func(t *testing.T, sh *realShell) {
		sh.run(t, "> mine; > "+kept)
		if left, err := os.ReadFile(kept); err != nil || string(left) != "kept" {
			t.Errorf("a shell under test has written outside of its directory: %q, %v", left, err)
		}
		if _, made, _ := sh.run(t, "> mine"); len(made) != 1 {
			t.Errorf("it cannot write in its own: %q", made)
		}
	})
}
