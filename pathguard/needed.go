package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// neededNames are what a shell needs to start, and what programs read to find libraries, accounts,
// hosts, time and trust. A restricted path that holds some of them still denies every command
// line that names a file there; the sandbox withholds the rest of it and leaves these readable.
// A restricted path inside an entry is withheld unless it is or holds an entry of its own.
var neededNames = []string{
	// the shells
	"/bin/bash", "/bin/sh", "/bin/dash", "/bin/mksh", "/bin/zsh", "/bin/busybox", "/usr/bin/bats",
	"/usr/bin/env",
	"/usr/local/bin/bash", "/usr/local/bin/zsh", "/usr/local/bin/bats",
	"/run/current-system/sw/bin/bash", "/run/current-system/sw/bin/sh",
	// their loader and libraries: the folders, and in them what a shell is linked with
	"/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32",
	"/nix/store",
	"/lib/*-linux-*", "/lib/ld-*", "/lib/libc.*", "/lib64/ld-*",
	"/lib/*-linux-*/ld-*", "/lib/*-linux-*/libc.so*", "/lib/*-linux-*/libc-*.so",
	"/lib/*-linux-*/libm.so*", "/lib/*-linux-*/libm-*.so", "/lib/*-linux-*/libdl*.so*",
	"/lib/*-linux-*/libtinfo.so*", "/lib/*-linux-*/libreadline.so*", "/lib/*-linux-*/libcap.so*",
	"/lib/*-linux-*/libpthread*.so*", "/lib/*-linux-*/libnss_*.so*",
	"/lib64/libc.so*", "/lib64/libc-*.so", "/lib64/libm.so*", "/lib64/libm-*.so",
	"/lib64/libdl*.so*", "/lib64/libtinfo.so*", "/lib64/libreadline.so*",
	"/lib64/libcap.so*", "/lib64/libpthread*.so*", "/lib64/libnss_*.so*",
	"/usr/lib/locale", "/usr/share/locale", "/usr/share/terminfo", "/usr/share/zoneinfo",
	// the configuration of the loader, of the C library, of shells and of what nearly every program
	// reads
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
	"/etc/ld-musl-*",
	"/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/hostname",
	"/etc/host.conf", "/etc/resolv.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/terminfo", "/etc/inputrc",
	"/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshenv",
	"/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls",
	"/etc/pki/ca-trust", "/etc/crypto-policies",
	"/etc/gitconfig", "/etc/gitattributes", "/etc/python*", "/etc/npmrc",
	"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom",
}

// neededRoots are the directories in which neededNames are: a restricted path elsewhere, as nearly
// every one is, is not compared with them.
var neededRoots = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc",
	"/dev", "/nix", "/run/current-system"}

// needed returns what of a restricted path, real and existing, commands need all the same.
// All reports that it is the whole path.
func needed(d *walk.Disk, restricted string) (names []string, all bool) {
	if !slices.ContainsFunc(neededRoots,
		func(root string) bool {
			return pathname.Within(restricted, root) || pathname.Within(root, restricted)
		}) {
		return nil, false
	}
	for _, real := range d.Existing(nil, nil, neededIn(d, restricted)...) {
		switch {
		case real == restricted:
			return nil, true
		case pathname.Within(real, restricted):
			names = append(names, real)
		}
	}
	return pathname.SortUnique(names), false
}

// neededIn returns those of neededNames that are a path or could be below it, by their text: only
// these are asked of the disk. The folders at the root that are links into /usr on most systems are
// resolved where that could matter.
func neededIn(d *walk.Disk, restricted string) (names []string) {
	tops := map[string]string{}
	for _, name := range neededNames {
		top, rest, _ := strings.Cut(name[1:], "/")
		if top == "bin" || strings.HasPrefix(top, "lib") {
			if !pathname.Within(restricted, "/usr") && !pathname.Within(restricted, "/"+top) {
				continue
			}
			real, known := tops[top]
			if !known {
				real, _, _ = d.Real("/" + top)
				tops[top] = real
			}
			name = pathname.Join(real, rest)
		}
		if reaches(name[1:], strings.Trim(restricted, "/")) {
			names = append(names, name)
		}
	}
	return names
}
