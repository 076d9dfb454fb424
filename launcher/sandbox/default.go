package sandbox

import "strings"

// systemRead are the trees of the system that development tools read and execute. /etc is not among
// them as a whole: it also holds password hashes, host keys and network secrets.
const systemRead = `
	/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /run/current-system/sw /snap
	/var/lib/dpkg /var/lib/rpm /var/lib/alternatives
`

// systemConfig are the files and trees of the system's configuration that programs read to find
// libraries, names, time and trust.
const systemConfig = `
	/etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/ld.so.preload /etc/alternatives
	/etc/nsswitch.conf /etc/hosts /etc/host.conf /etc/hostname /etc/resolv.conf /etc/gai.conf /etc/services /etc/protocols /etc/networks
	/run/systemd/resolve /run/resolvconf
	/etc/passwd /etc/group /etc/login.defs /etc/shells /etc/environment
	/etc/localtime /etc/timezone /etc/adjtime /etc/locale.conf /etc/locale.alias /etc/locale.gen /etc/default/locale
	/etc/os-release /etc/lsb-release /etc/debian_version /etc/redhat-release /etc/alpine-release /etc/issue
	/etc/ssl/certs /etc/ssl/openssl.cnf /etc/ssl/cert.pem /etc/pki/tls /etc/pki/ca-trust /etc/ca-certificates /etc/ca-certificates.conf /etc/crypto-policies
	/etc/profile /etc/profile.d /etc/bash.bashrc /etc/bash_completion /etc/bash_completion.d /etc/bashrc /etc/zsh /etc/zshrc /etc/zshenv /etc/inputrc
	/etc/terminfo /etc/mime.types /etc/magic /etc/manpath.config /etc/papersize /etc/skel
	/etc/gitconfig /etc/gitattributes /etc/vim /etc/nanorc /etc/emacs /etc/fonts /etc/java /etc/maven /etc/python3 /etc/perl /etc/php /etc/R /etc/ghc
	/etc/dpkg /etc/apt/sources.list /etc/apt/sources.list.d /etc/mtab /etc/fstab /etc/xdg /etc/npmrc /etc/cargo
`

// kernelRead are the kernel's own files. Of /proc everything can be opened at Base that its owner
// and Landlock's ptrace scope leave readable: command lines and states of other processes, not
// their environment, memory or descriptors.
const kernelRead = `
	/proc
	/sys/devices/system/cpu /sys/devices/system/node /sys/fs/cgroup /sys/kernel/mm/transparent_hugepage /sys/kernel/mm/hugepages
	/dev/random /dev/urandom
`

// devices are the device nodes that programs write to. /dev/tty is the child's own terminal, the
// process that opens it; the terminals in /dev/pts belong to others, and the child's own is added
// when the command has one.
const devices = `/dev/null /dev/zero /dev/full /dev/tty`

// Default returns the usual profile of one command: the system readable, workspace and tmp
// writable, hide out of reach, no network. Empty names are left out. The names must be absolute
// with links resolved; a system tree that is not there is passed over.
func Default(workspace, tmp string, hide ...string) Profile {
	p := Profile{Hide: hide}
	for _, list := range []string{systemRead, systemConfig, kernelRead} {
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
	return Profile{
		Read: append(optional(kernelRead), Path{Name: "/"}), Devices: optional(devices), Hide: hide,
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
