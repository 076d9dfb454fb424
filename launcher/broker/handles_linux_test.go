//go:build amd64 || arm64

package broker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A number means what it refers to at that moment: under the name that this has now, and another
// thing once the number is another's. E-bkr-1.
func TestOwnDescriptors(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	long := top + "/" + strings.Repeat("l", 250) + "/" + strings.Repeat("m", 250)
	must(t, os.MkdirAll(long, 0o700))
	for _, name := range []string{top + "/a", top + "/b", long + "/c"} {
		must(t, os.WriteFile(name, []byte(name), 0o600))
	}
	fd, err := unix.Open(top+"/a", unix.O_PATH|unix.O_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	is := func(file, name string) {
		t.Helper()
		if got, err := nameOf(fd); got != name || err != nil {
			t.Errorf("%q, %v, want %q", got, err, name)
		}
		again, err := openAgain(fd, unix.O_RDONLY|unix.O_CLOEXEC)
		must(t, err)
		f := os.NewFile(uintptr(again), name)
		defer f.Close()
		text := make([]byte, 2*unix.PathMax)
		if n, _ := f.Read(text); string(text[:n]) != file {
			t.Errorf("opened %q, want %q", text[:n], file)
		}
	}
	is(top+"/a", top+"/a")
	must(t, os.Rename(top+"/a", top+"/moved"))
	is(top+"/a", top+"/moved")
	for _, name := range []string{top + "/b", long + "/c"} {
		other, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
		must(t, err)
		must(t, unix.Dup3(other, fd, unix.O_CLOEXEC))
		unix.Close(other)
		is(name, name)
	}
	must(t, os.Remove(top+"/moved"))

	// Nothing is looked for in the working directory.
	t.Chdir(top)
	for _, number := range []int{-1, 1 << 20} {
		must(t, os.WriteFile(strconv.Itoa(number), nil, 0o600))
		must(t, os.Symlink("b", "link"))
		must(t, os.Rename("link", strconv.Itoa(number)))
		if name, err := nameOf(number); err == nil {
			t.Errorf("%d is %q", number, name)
		}
		if fd, err := openAgain(number, unix.O_RDONLY|unix.O_CLOEXEC); err == nil {
			t.Errorf("%d was opened: %d", number, fd)
		}
	}
}

// Without /proc a number leads nowhere.
func TestOwnDescriptorsWithoutProc(t *testing.T) {
	was := self()
	defer func() { selfDir.fd = was }()
	selfDir.fd = -1
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("0", nil, 0o600))
	if _, err := nameOf(0); err != unix.EBADF {
		t.Error(err)
	}
	if _, err := openAgain(0, unix.O_RDONLY|unix.O_CLOEXEC); err != unix.EBADF {
		t.Error(err)
	}
}
