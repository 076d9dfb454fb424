//go:build amd64 || arm64

package sandbox

import (
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// rulesets makes the two Landlock rulesets: the guard's, which is only a scope, and the child's.
func (b *builder) rulesets() error {
	all := b.landlock.handled()
	if b.level == Base && all.scoped&unix.LANDLOCK_SCOPE_SIGNAL != 0 {
		// Every domain refuses renames and links from one folder to another (EXDEV) unless it
		// allows them, even one that is about signals only.
		scope, err := b.newRuleset(abi{fs: all.fs & unix.LANDLOCK_ACCESS_FS_REFER,
			scoped: all.scoped})
		if err == nil {
			err = scope.allowPath(Path{Name: "/"}, unix.LANDLOCK_ACCESS_FS_REFER)
		}
		if err != nil {
			return err
		}
		b.scope, b.setup.scoped = scope, true
	}
	switch {
	case b.profile.Network == Hosts:
		all.net &= netTCP // the launcher connects for the child
	case b.profile.Network == Full || b.ownLoopback():
		all.net = 0 // handled and nothing granted would be "no TCP"
	}
	files, err := b.newRuleset(all)
	if err != nil {
		return err
	}
	b.files = files
	return nil
}

func (b *builder) newRuleset(a abi) (*ruleset, error) {
	r, err := newRuleset(a)
	if err != nil {
		return nil, err
	}
	r.fd, err = b.own(r.fd)
	return r, err
}

// rules fills the child's ruleset, which waits for them.
func (b *builder) rules() error {
	p := b.profile
	for _, w := range p.Write {
		if err := b.allowWriting(w); err != nil {
			return err
		}
	}
	if err := b.spares(); err != nil {
		return err
	}
	hide := b.hidden
	if b.level == Strong {
		hide = b.replaceable()
		if v := p.View; v != nil { // mounts alone hide there, as in a tree that is written
			hide = slices.DeleteFunc(hide, func(name string) bool { return inside(v.Dirs, name) })
		}
	}
	for _, r := range p.Read {
		if b.level == Strong && within(r.Name, "/proc") {
			continue // allowed later, on the private one
		}
		hidden := hide
		// A tree above /dev does not mean the devices: there are the disks, and the terminals of
		// others with what is typed there.
		if r.Name != "/dev" && within("/dev", r.Name) {
			hidden = append(slices.Clip(hidden), "/dev")
		}
		a := around{rights: fsRead | fsExec, list: fsList}
		if g := b.mediated().Guard; g != nil && len(g.Lead) > 0 {
			a.list = 0
		}
		if err := b.files.allowAround(r, a, hidden); err != nil {
			return err
		}
	}
	for _, n := range p.List {
		if err := b.files.allowPath(n, fsList); err != nil {
			return err
		}
	}
	for _, d := range p.Devices {
		if err := b.files.allowPath(d, fsDevice); err != nil {
			return err
		}
	}
	if b.command.HasTTY {
		tty := b.command.Files[b.command.TTY]
		return b.files.allowPath(Path{Name: tty.Name(), File: tty}, fsDevice)
	}
	return nil
}

// replaceable returns the hidden names that a mount does not cover, or not for sure: when a program
// outside renames another object to the name, the kernel takes the mount away with the old one, so
// that the new one would be seen. Left out are, because a rule for each of a name's neighbours
// costs time, what this user may not read anyway (an administrator who replaces a password file
// keeps its mode), and what only an administrator could replace (/etc/machine-id).
func (b *builder) replaceable() []string {
	names, ours := b.openly(), folders{}
	for _, name := range b.hidden {
		if unix.Faccessat(unix.AT_FDCWD, name, unix.R_OK, unix.AT_EACCESS) == nil &&
			ours.changeable(filepath.Dir(name)) {
			names = append(names, name)
		}
	}
	return names
}

// folders remembers of directories whether this user can put another object under a name in them,
// or another directory in the place of one.
type folders map[string]bool

func (f folders) changeable(dir string) bool {
	can, known := f[dir]
	if !known {
		can = unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK, unix.AT_EACCESS) == nil ||
			dir != "/" && f.changeable(filepath.Dir(dir))
		f[dir] = can
	}
	return can
}
