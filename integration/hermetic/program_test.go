package hermetic

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// A program that was just written starts, however many others are started at the same time.
func TestWriteProgram(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				name := filepath.Join(dir, strconv.Itoa(i)+"."+strconv.Itoa(j))
				if err := WriteProgram(name, []byte("#!/bin/true\n"), 0o755); err != nil {
					t.Error(err)
				} else if err := exec.Command(name).Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// The mode is the given one, also for an existing file, and there is no other way to make a file a
// program.
func TestProgramModes(t *testing.T) {
	dir := t.TempDir()
	old, folder := filepath.Join(dir, "old"), filepath.Join(dir, "folder")
	err := os.WriteFile(old, []byte("long before"), 0o644)
	if err == nil {
		err = os.Mkdir(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Chmod(old, 0o755); err == nil {
		t.Error("a file became a program")
	}
	if Chmod(old, 0o600) != nil || Chmod(folder, 0o700) != nil {
		t.Error("other modes are refused")
	}
	if err := WriteProgram(old, []byte("new"), 0o775); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(old)
	if at, err := os.Stat(old); err != nil || at.Mode() != 0o775 || string(text) != "new" {
		t.Errorf("%q, %v, %v", text, at.Mode(), err)
	}
}
