package launcher

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// What a descriptor leads to decides whether the command gets it.
func TestHandDown(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"work", "secret", "away", "tmp", "tmp/ground"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "secret", "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sandbox.Profile{
		Write: []sandbox.Path{{Name: filepath.Join(dir, "work")}}, Hide: []string{dir + "/secret"},
		ReadOnly: []string{filepath.Join(dir, "work", "kept")},
	}
	ground := filepath.Join(dir, "tmp", "ground")
	p.View = &broker.View{Dirs: []string{filepath.Join(dir, "tmp")}}
	if err := os.WriteFile(filepath.Join(dir, "work", "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(name string, flags int) func() (int, error) {
		return func() (int, error) { return unix.Open(filepath.Join(dir, name), flags, 0o600) }
	}
	pipe := func(end int) func() (int, error) {
		return func() (int, error) {
			var p [2]int
			err := unix.Pipe2(p[:], unix.O_CLOEXEC)
			unix.Close(p[1-end])
			return p[end], err
		}
	}
	for _, test := range []struct {
		what string
		open func() (int, error)
		why  string // "" when it is passed on
	}{
		{"the end of a pipe to read", pipe(0), ""},
		{"the end of a pipe to write", pipe(1), ""},
		{"a file to read", open("away/file", unix.O_RDONLY), ""},
		{"a file to write that the command writes", open("work/file", unix.O_RDWR), ""},
		{"a file to write that it does not", open("away/file", unix.O_WRONLY), "does not write"},
		{"a file in a shared directory", open("tmp/file", unix.O_WRONLY), ""},
		{"one of a workspace there", open("tmp/ground/file", unix.O_WRONLY), "does not write"},
		{"a file to append to that is kept", open("work/kept", unix.O_WRONLY|unix.O_APPEND),
			"does not write"},
		{"a hidden file", open("secret/file", unix.O_RDONLY), "hidden from the command"},
		{"a file to read that is kept", open("work/kept", unix.O_RDONLY), "is protected"},
		{"a hidden pipe", open("secret/fifo", unix.O_RDONLY|unix.O_NONBLOCK),
			"hidden from the command"},
		{"a handle", open("work/file", unix.O_PATH), "O_PATH"},
		{"a directory", open("work", unix.O_RDONLY), "directory"},
		{"a file without a name", func() (int,
			error) {
			return unix.MemfdCreate("x", unix.MFD_CLOEXEC)
		}, ""},
		{"/dev/null", func() (int, error) { return unix.Open("/dev/null", unix.O_RDWR, 0) }, ""},
		{"a terminal", func() (int, error) {
			return unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
		}, "device"},
		{"a socket", func() (int, error) { return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0) },
			"socket"},
		{"an event", func() (int, error) { return unix.Eventfd(0, 0) },
			"neither a file nor a pipe"},
	} {
		fd, err := test.open()
		if err != nil {
			t.Fatalf("%s: %v", test.what, err)
		}
		passed, withheld := handDown([]int{fd}, p, ground)
		unix.Close(fd)
		if test.why == "" && (len(passed) != 1 || len(withheld) != 0) ||
			test.why != "" && (len(passed) != 0 || len(withheld) != 1 ||
				!strings.Contains(withheld[0], test.why)) {
			t.Errorf("%s: passed %v, withheld %q", test.what, passed, withheld)
		}
	}
	if passed, withheld := handDown([]int{maxInherited + 1}, p, ground); len(passed) != 0 ||
		len(withheld) != 1 {
		t.Errorf("too high: %v %v", passed, withheld)
	}
}

// What this process opens for itself is not inherited; what an exec would pass on is.
func TestInherited(t *testing.T) {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if slices.Contains(Inherited(), fd) {
		t.Error("a descriptor that an exec closes")
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(Inherited(), fd) {
		t.Error("a descriptor that an exec passes on is missing")
	}
}
