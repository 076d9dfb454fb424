package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// programName is the name that the kernel has for the program.
func programName(c Command) (string, error) {
	if c.Exe != nil {
		return kernelName(c.Exe)
	}
	f, err := os.Open(c.Path)
	if err != nil {
		return "", &ExecError{Path: c.Path, Err: err}
	}
	defer f.Close()
	return kernelName(f)
}

// onDisk is the profile with the names that the kernel has, in their spelling on the disk. What is
// not there is left out where it may be; and a name that leads to another object than the one that
// was judged is refused.
func (p Profile) onDisk() (Profile, error) {
	for _, list := range []*[]Path{&p.List, &p.Read, &p.Write, &p.Devices} {
		var there []Path
		for _, path := range *list {
			name, err := onDisk(path.Name, path.File)
			if errors.Is(err, os.ErrNotExist) && path.Optional {
				continue
			}
			if err != nil {
				return p, err
			}
			path.Name = name
			there = append(there, path)
		}
		*list = there
	}
	for _, list := range []*[]string{&p.Hide, &p.ReadOnly} {
		names := slices.Clone(*list)
		for i, given := range names {
			name, err := onDisk(given, nil)
			if err == nil {
				names[i] = name
			} else if !errors.Is(err, os.ErrNotExist) {
				return p, err // a rule about a name that is not there does no harm
			}
		}
		*list = names
	}
	return p, nil
}

// onDisk is the name that the kernel has for what a name leads to, which must be judged if that is
// not nil.
func onDisk(name string, judged *os.File) (string, error) {
	fd, err := unix.Open(name, unix.O_EVTONLY|unix.O_CLOEXEC, 0) // needs no right to read
	if err != nil {
		return "", &os.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if judged != nil {
		was, err := judged.Stat()
		if err != nil {
			return "", err
		}
		if is, err := f.Stat(); err != nil || !os.SameFile(was, is) {
			return "", fmt.Errorf("%w: %q is not what was judged", ErrUnsupported, name)
		}
	}
	return kernelName(f)
}

// kernelName is the name by which Seatbelt knows a file.
func kernelName(f *os.File) (string, error) {
	name, err := proc.NameOf(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("name of %q: %w", f.Name(), err)
	}
	return name, nil
}

func kernel() string {
	release, err := unix.Sysctl("kern.osrelease")
	if err != nil {
		return "Darwin"
	}
	return "Darwin " + release
}
