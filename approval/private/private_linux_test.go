package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// If the system does not let the store open or change a file, the error says how to fix it. A file
// of root's own cannot be closed to root, so this tests the function that Open calls after a
// refusal.
func TestWhatIsLockedIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "approvals.db")
	if err := os.WriteFile(path, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	refused := &fs.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	for _, c := range []struct {
		name string
		err  error
		is   error
		says string
	}{
		{"read-only", locked(path, refused), ErrMeddled, "its mode is 0400; run chmod u+rw on it"},
		{"others' too", func() error { os.Chmod(path, 0o440); return locked(path, refused) }(),
			ErrMeddled, "its mode is 0440; run chmod go= on it"},
		{"in a closed folder", locked(filepath.Join(path, "below"), refused), syscall.EACCES,
			"its folder"},
		{"on a file system for reading", Named(path, syscall.EROFS), syscall.EROFS,
			"mount its file system for writing"},
		{"on a full disk", Named(path, syscall.ENOSPC), syscall.ENOSPC, "make room"},
	} {
		var named *FileError
		if !errors.As(c.err, &named) || !errors.Is(c.err, c.is) ||
			!strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if os.Geteuid() != 0 {
		os.Chmod(path, 0o400)
		if _, err := Open(path, os.O_RDWR, 0o600); !errors.Is(err, ErrMeddled) {
			t.Errorf("opened: %v", err)
		}
	}
}
