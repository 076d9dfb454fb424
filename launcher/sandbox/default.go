package sandbox

import (
	_ "embed"
	"runtime"
	"strings"
)

// systemRead are the trees of the system that development tools read and execute. /etc is not among
// them as a whole: it also holds password hashes, host keys and network secrets.
//
//go:embed default/system.txt
var systemRead string

// systemConfig are the files and trees of the system's configuration that programs read to find
// libraries, names, time and trust.
//
//go:embed default/config.txt
var systemConfig string

// kernelRead are the kernel's own files. Of /proc everything can be opened at Base that its owner
// and Landlock's ptrace scope leave readable: command lines and states of other processes, not
// their environment, memory or descriptors.
//
//go:embed default/kernel.txt
var kernelRead string

// darwinRead is the same for macOS, where these are all.
//
//go:embed default/darwin.txt
var darwinRead string

// darwinKernel is the same as kernelRead for macOS.
const darwinKernel = `/dev/random /dev/urandom /dev/fd`

// devices are the device nodes that programs write to. /dev/tty is the child's own terminal, the
// process that opens it; the terminals in /dev/pts belong to others, and the child's own is added
// when the command has one.
const devices = `/dev/null /dev/zero /dev/full /dev/tty`

// Default returns the usual profile of one command: the system readable, workspace and tmp
// writable, hide out of reach, no network. Empty names are left out. The names must be absolute
// with links resolved; a system tree that is not there is passed over.
func Default(workspace, tmp string, hide ...string) Profile {
	p := Profile{Hide: hide}
	lists := []string{systemRead, systemConfig, kernelRead}
	if runtime.GOOS == "darwin" {
		lists = []string{darwinRead}
	}
	for _, list := range lists {
		p.Read = append(p.Read, optional(list)...)
	}
	p.Devices = optional(devices)
	for _, name := range []string{workspace, tmp} {
		if name != "" {
			p.Write = append(p.Write, Path{Name: name})
		}
	}
	return p
}

// Readable returns the profile of a command that may read whatever the caller can, but for hide:
// for work whose reads cannot be listed. Nothing is writable but the devices that everything writes
// to, and there is no network.
func Readable(hide ...string) Profile {
	kernel := kernelRead
	if runtime.GOOS == "darwin" {
		kernel = darwinKernel
	}
	return Profile{
		Read: append(optional(kernel), Path{Name: "/"}), Devices: optional(devices), Hide: hide,
	}
}

// optional returns what a list names, as far as it is there. The lists are split when they are
// asked for: not every start needs them.
func optional(list string) []Path {
	names := strings.Fields(list)
	paths := make([]Path, len(names))
	for i, name := range names {
		paths[i] = Path{Name: name, Optional: true}
	}
	return paths
}
