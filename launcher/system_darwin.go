package launcher

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// supported is nil here: without sandbox-exec each start says so.
func supported() error { return nil }

func judges() error { return nil }

// answersCalls says that nothing answers a command's system calls: there is no view of shared
// directories, and nothing is kept while the command runs.
const answersCalls = false

func umask() int {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return mask
}

// memfd makes a file whose name is gone at once.
func memfd(name string, _ int) (int, error) {
	f, err := os.CreateTemp("", "tada-run-"+name+"-")
	if err != nil {
		return -1, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return -1, err
	}
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
}

// readHeld reads a file that is open as a handle, by its name: macOS opens no handle again. What
// the name leads to must be that file.
func readHeld(f *os.File) ([]byte, error) {
	was, err := f.Stat()
	if err != nil {
		return nil, err
	}
	name, err := nameOf(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	again, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	is, err := again.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(was, is) {
		return nil, errors.New("another file has its name by now")
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(again)
	return text.Bytes(), err
}

// sealedFile holds a text in a file without a name. Nothing hands it out instead of the file: the
// names are compared once more before the command may run.
func sealedFile(text []byte) (*os.File, error) {
	fd, err := memfd("script", 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "script")
	if _, err = f.Write(text); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// hostsElsewhere is where connections can be limited to hosts, if not here.
const hostsElsewhere = "use a virtual machine (tadactl help macos)"

// forNothing opens a file as a handle, without any use of it.
const forNothing = unix.O_EVTONLY

// The requests and the number by which kindOf knows terminals and the null device.
const getTermios = unix.TIOCGETA

var nullDevice = int32(unix.Mkdev(3, 2))

// memoryOfMachine returns how many bytes of memory there are; 0 if that is not known.
func memoryOfMachine() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}

func inotifyOfAccount() (instances, watches int64) { return 0, 0 }

// nameOf is the name that the kernel has for a file.
func nameOf(fd int) (string, error) { return proc.NameOf(fd) }
