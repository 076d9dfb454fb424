package launcher

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// supported is nil here: what this kernel gives is found out by trying.
func supported() error { return nil }

func judges() error { return nil }

// answersCalls says that the broker answers a command's system calls.
const answersCalls = true

// umask can only be asked by changing it, and it belongs to all threads. The mask for the
// instant between is the strictest that anything here uses, and a reader of /proc/self/status
// would pay for the whole page.
func umask() int {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return mask
}

// memfd makes a file without a name, which cannot be executed where Linux has that (6.3).
func memfd(name string, flags int) (int, error) {
	flags |= unix.MFD_CLOEXEC
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL {
		fd, err = unix.MemfdCreate(name, flags)
	}
	return fd, err
}

// readHeld reads a file that is open as a handle.
func readHeld(f *os.File) ([]byte, error) {
	var text []byte
	err := broker.Control(f, func(fd int) (err error) {
		text, err = os.ReadFile("/proc/self/fd/" + strconv.Itoa(fd))
		return err
	})
	return text, err
}

// sealedFile holds a text in memory, where nothing can change it.
func sealedFile(text []byte) (*os.File, error) {
	fd, err := memfd("script", unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "script")
	if _, err = f.Write(text); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS,
			unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// hostsElsewhere is where connections can be limited to hosts, if not here.
const hostsElsewhere = "start tada-run outside the other program"

// forNothing opens a file as a handle, without any use of it.
const forNothing = unix.O_PATH

// The request and the number by which kindOf knows terminals and the null device.
const getTermios = unix.TCGETS

var nullDevice = unix.Mkdev(1, 3)

// memoryOfMachine returns how many bytes of memory there are, or that a container leaves us; 0 if
// that is not known.
func memoryOfMachine() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(lower(uint64(info.Totalram)*uint64(info.Unit), sandbox.MemoryBound()))
}

// lower returns the memory that there is, or a bound of it where that is less; 0 is none.
func lower(memory, bound uint64) uint64 {
	if bound == 0 {
		return memory
	}
	return min(memory, bound)
}

// inotifyOfAccount returns how many inotify instances and watches this account may have; 0 if that
// is not known.
func inotifyOfAccount() (instances, watches int64) {
	for file, value := range map[string]*int64{"instances": &instances, "watches": &watches} {
		text, err := proc.Read("/proc/sys/fs/inotify/max_user_" + file)
		if err == nil {
			*value, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		}
	}
	return instances, watches
}

// nameOf is the name that the kernel has for a file.
func nameOf(fd int) (string, error) { return os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)) }
