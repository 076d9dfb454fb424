package undo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// TestOthersFiles: what belongs to another user, and has to be made again by an undo, is not said
// to be kept. What can be linked is kept.
func TestOthersFiles(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to others")
	}
	const user = 64006
	dir, err := os.MkdirTemp("/tmp", "others")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(dir) })
	cmd := again(t, "others", dir)
	text, err := os.ReadFile(cmd.Path)
	cmd.Path = filepath.Join(dir, "undo.test")
	tree := filepath.Join(dir, "tree")
	if err := errors.Join(err, hermetic.WriteProgram(cmd.Path, text, 0o755),
		os.MkdirAll(filepath.Join(tree, "folder"), 0o755),
		os.WriteFile(filepath.Join(tree, "read"), []byte("x"), 0o644),
		os.WriteFile(filepath.Join(tree, "shut"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(tree, "linked"), []byte("x"), 0o644),
		hermetic.Chmod(filepath.Join(tree, "linked"), 0o666),
		os.Symlink("x", filepath.Join(tree, "link")), os.Chown(tree, user, user),
		os.WriteFile(filepath.Join(tree, "own"), []byte("x"), 0o600),
		os.Chown(filepath.Join(tree, "own"), user, user), os.Chown(dir, user, user)); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: user, Gid: user}}
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

// othersFiles is that user.
func othersFiles(dir string) error {
	w := newWorld(inChild{}, dir)
	kept := []string{"own", "linked"}
	for _, stands := range []bool{false, true} {
		j, err := w.store.Begin(Start{Run: fmt.Sprint(stands), Trees: []string{w.tree},
			Stands: stands})
		if err != nil {
			return err
		}
		h, err := openFolder(unix.AT_FDCWD, w.tree)
		if err != nil {
			return err
		}
		defer unix.Close(h)
		for _, name := range []string{"read", "shut", "linked", "link", "own", "folder"} {
			err := j.Remove(h, w.tree, name)
			if (err == nil) != slices.Contains(kept, name) {
				return fmt.Errorf("%s, which stands for a question %v: %v", name, stands, err)
			}
			if name == "read" && !errors.Is(err, ErrOwner) {
				return fmt.Errorf("%s: %v", name, err)
			}
		}
		if s, err := j.Close(End{}); err != nil || len(s.Lacks) != 4 {
			return fmt.Errorf("%v %v", s.Lacks, err)
		}
	}
	return nil
}
