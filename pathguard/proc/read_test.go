package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

// Read returns the whole of a file, whatever its length, and says what is wrong with a name.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, n := range []int{0, 1, 511, 512, 513, 100_000} {
		want := bytes.Repeat([]byte("x"), n)
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
	}
	gone := name + ".gone"
	_, err := Read(gone)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), gone) {
		t.Errorf("%q: %v", gone, err)
	}
	if _, err := Read(filepath.Dir(name)); err == nil {
		t.Error("a directory was read")
	}
}
