package dirent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// All names in a folder are read, with their kinds and numbers, and nothing is read twice. What was
// cut anywhere has no entry that is not there.
func TestNext(t *testing.T) {
	dir := t.TempDir()
	want := []string{".hidden", "a", strings.Repeat("long", 60), "\x01\xff"}
	for _, name := range want[:3] {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, want[3]), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := unix.Getdents(int(f.Fd()), b)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for e, rest, ok := Next(b[:n]); ok; e, rest, ok = Next(rest) {
		names = append(names, string(e.Name))
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(dir, string(e.Name)), &st); err != nil ||
			st.Ino != e.Number ||
			e.Kind != unix.DT_UNKNOWN && uint32(e.Kind)<<12 != st.Mode&unix.S_IFMT {
			t.Errorf("%q: %v, %+v", e.Name, err, e)
		}
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	for cut := range n {
		for e, rest, ok := Next(b[:cut]); ok; e, rest, ok = Next(rest) {
			if !slices.Contains(want, string(e.Name)) {
				t.Errorf("cut at %d: %q", cut, e.Name)
			}
		}
	}
}
