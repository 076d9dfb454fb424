//go:build amd64 || arm64

package broker

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// All names of a call are in the directory in which it was made, and those of the next call in the
// directory of that time.
func TestWorkingDirectoryOfACall(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Mkdir(top+"/sub", 0o700))
	t.Chdir(top)
	var n seccomp.Notification
	n.PID = uint32(os.Getpid())
	n.Args[0] = uint64(uint32(0xffffff9c)) // AT_FDCWD
	made := func() *fileRequest { return &fileRequest{call: &call{Notification: n}} }
	is := func(r *fileRequest, at int, name, want string) {
		t.Helper()
		if got, err := r.full(at, name); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	r := made()
	is(r, 0, "x", top+"/x")
	t.Chdir("sub")
	is(r, -1, "y", top+"/y")
	is(r, -1, "/proc/self/cwd/y", top+"/y")
	is(made(), 0, "x", top+"/sub/x")

	// A descriptor's directory is another one.
	dir, err := os.Open(top)
	must(t, err)
	defer dir.Close()
	r = made()
	is(r, -1, "x", top+"/sub/x")
	r.Args[1] = uint64(dir.Fd())
	is(r, 1, "x", top+"/x")
	is(r, -1, "x", top+"/sub/x")
	must(t, unix.Rmdir(top+"/sub"))
	is(r, -1, "x", top+"/sub/x")
	is(made(), -1, "x", top+"/sub (deleted)/x")
}
