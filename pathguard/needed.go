package pathguard

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// neededNames are what a shell needs to start, and what programs read to find libraries, accounts,
// hosts, time and trust. A restricted path that holds some of them still denies every command
// line that names a file there; the sandbox withholds the rest of it and leaves these readable.
// A restricted path inside an entry is withheld unless it is or holds an entry of its own.
var neededNames = []string{
	// the shells
	"/bin/bash", "/bin/sh", "/bin/dash", "/bin/mksh", "/bin/zsh", "/bin/busybox", "/usr/bin/bats", "/usr/bin/env",
	"/usr/local/bin/bash", "/usr/local/bin/zsh", "/usr/local/bin/bats", "/run/current-system/sw/bin/bash", "/run/current-system/sw/bin/sh",
	// their loader and libraries: the folders, and in them what a shell is linked with
	"/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/nix/store",
	"/lib/*-linux-*", "/lib/ld-*", "/lib/libc.*", "/lib64/ld-*",
	"/lib/*-linux-*/ld-*", "/lib/*-linux-*/libc.so*", "/lib/*-linux-*/libc-*.so", "/lib/*-linux-*/libm.so*", "/lib/*-linux-*/libm-*.so", "/lib/*-linux-*/libdl*.so*",
	"/lib/*-linux-*/libtinfo.so*", "/lib/*-linux-*/libreadline.so*", "/lib/*-linux-*/libcap.so*", "/lib/*-linux-*/libpthread*.so*", "/lib/*-linux-*/libnss_*.so*",
	"/lib64/libc.so*", "/lib64/libc-*.so", "/lib64/libm.so*", "/lib64/libm-*.so", "/lib64/libdl*.so*", "/lib64/libtinfo.so*", "/lib64/libreadline.so*",
	"/lib64/libcap.so*", "/lib64/libpthread*.so*", "/lib64/libnss_*.so*",
	"/usr/lib/locale", "/usr/share/locale", "/usr/share/terminfo", "/usr/share/zoneinfo",
	// the configuration of the loader, of the C library, of shells and of what nearly every program
	// reads
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/ld-musl-*",
	"/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/hostname", "/etc/host.conf", "/etc/resolv.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
	"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/terminfo", "/etc/inputrc", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshenv",
	"/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls", "/etc/pki/ca-trust", "/etc/crypto-policies",
	"/etc/gitconfig", "/etc/gitattributes", "/etc/python*", "/etc/npmrc",
	"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom",
}

// neededRoots are the directories in which neededNames are: a restricted path elsewhere, as nearly
// every one is, is not compared with them.
var neededRoots = []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/dev", "/nix", "/run/current-system"}

// needed returns what of a restricted path, real and existing, commands need all the same.
// All reports that it is the whole path.
func (d *disk) needed(restricted string) (names []string, all bool) {
	if !slices.ContainsFunc(neededRoots, func(root string) bool { return within(restricted, root) || within(root, restricted) }) {
		return nil, false
	}
	for _, real := range d.existing(nil, nil, d.neededIn(restricted)...) {
		switch {
		case real == restricted:
			return nil, true
		case within(real, restricted):
			names = append(names, real)
		}
	}
	return tidy(names), false
}

// neededIn returns those of neededNames that are a path or could be below it, by their text: only
// these are asked of the disk. The folders at the root that are links into /usr on most systems are
// resolved where that could matter.
func (d *disk) neededIn(restricted string) (names []string) {
	tops := map[string]string{}
	for _, name := range neededNames {
		top, rest, _ := strings.Cut(name[1:], "/")
		if top == "bin" || strings.HasPrefix(top, "lib") {
			if !within(restricted, "/usr") && !within(restricted, "/"+top) {
				continue
			}
			real, known := tops[top]
			if !known {
				real, _, _ = d.realOf("/" + top)
				tops[top] = real
			}
			name = join(real, rest)
		}
		if reaches(name[1:], strings.Trim(restricted, "/")) {
			names = append(names, name)
		}
	}
	return names
}

// Stops says in plain sentences what the restricted paths take from every command in dir that
// finds its programs in the folders of search: programs, libraries, the working directory.
// It returns one sentence for each path that takes anything, in the order of the configuration.
func (p Policy) Stops(dir string, search []string) []string {
	if p.tree == nil {
		return nil
	}
	d := openDisk()
	defer d.close()
	here, _, _ := d.realOf(dir)
	var told []string
	for _, name := range p.set.RestrictedPaths {
		for _, real := range tidy(d.existing(nil, p.reals, name)) {
			if what := stops(d, p.reals, real, here, search); what != "" {
				told = append(told, fmt.Sprintf("restricted_paths: %q %s", name, what))
			}
		}
	}
	return slices.Compact(told)
}

func stops(d *disk, homes []string, restricted, dir string, search []string) string {
	if within(dir, restricted) {
		return fmt.Sprintf("holds the working directory %q, in which no command line runs", dir)
	}
	programs := d.programsIn(restricted, search)
	needed, all := d.needed(restricted)
	var parts []string
	if len(programs) > 0 {
		const most = 4
		some := strings.Join(programs[:min(len(programs), most)], ", ")
		if more := len(programs) - most; more > 0 {
			some += ", and " + strconv.Itoa(more) + " more"
		}
		parts = append(parts, "denies every command line that starts a program there ("+some+")")
	}
	if slices.ContainsFunc(homes, func(home string) bool { return within(home, restricted) }) {
		parts = append(parts, "holds the home: no command reads its settings, caches or projects there")
	}
	switch {
	case restricted == "/proc" || restricted == "/dev" || restricted == "/sys":
		parts = append(parts, "denies every command line that names a file there, /dev/null and <( ) included where they are in it")
	case all:
		parts = append(parts, "denies every command line that names it; what runs can still load it, because no command starts without it")
	case len(needed) > 0:
		parts = append(parts, "is out of reach of what runs but for "+strconv.Itoa(len(needed))+" names without which no shell starts")
	}
	return strings.Join(parts, "; ")
}

// programsIn returns the names of programs that a search of the folders finds below a path, or that
// are that path.
func (d *disk) programsIn(restricted string, search []string) []string {
	var names []string
	for _, folder := range search {
		real, _, ok := d.realOf(folder)
		switch {
		case !ok || !path.IsAbs(folder):
		case within(real, restricted):
			for _, e := range d.list(real).entries {
				if !e.isDir() {
					names = append(names, e.name)
				}
			}
		case path.Dir(restricted) == real:
			names = append(names, path.Base(restricted))
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return everyday(a) - everyday(b) })
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool { was := seen[n]; seen[n] = true; return was })
}

// everyday puts the programs that a reader knows first.
func everyday(name string) int {
	if i := slices.Index(exactPrograms, name); i >= 0 {
		return i
	}
	return len(exactPrograms)
}
