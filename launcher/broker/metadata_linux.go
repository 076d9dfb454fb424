//go:build amd64 || arm64

package broker

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// metadata is the customer for the mode, owner, times and attributes of files. Landlock has no
// right for them, and a filter sees no paths. In a private mount namespace, a read-only mount
// refuses to change them; without one, the broker examines the object and changes it itself. So the
// examined object is the one that is changed, whatever the caller does to the name in between. The
// broker has the launcher's rights, so it does only what the caller could do without a sandbox: the
// object must be the user's own.
type metadata struct {
	trees  *trees
	files  *files // nil without a view
	keeps  *capture
	shared bool // else mounts decide about all that is not in the view
	uid    uint32
}

// metadataCalls is all of them on both architectures; those of old come with legacyMetadata.
var metadataCalls = append([]metadataCall{
	{nr: unix.SYS_FCHMOD, dir: 0, path: -1, flags: -1, first: 1, act: chmod},
	{nr: unix.SYS_FCHMODAT, dir: 0, path: 1, flags: -1, first: 2, act: chmod},
	{nr: unix.SYS_FCHMODAT2, dir: 0, path: 1, flags: 3, first: 2, act: chmod},
	{nr: unix.SYS_FCHOWN, dir: 0, path: -1, flags: -1, first: 1, act: chown},
	{nr: unix.SYS_FCHOWNAT, dir: 0, path: 1, flags: 4, first: 2, act: chown},
	{nr: unix.SYS_UTIMENSAT, dir: 0, path: 1, flags: 3, emptyOK: true, first: 2, act: utimens},
	{nr: unix.SYS_SETXATTR, dir: -1, path: 0, flags: -1, first: 1, act: setxattr},
	{nr: unix.SYS_LSETXATTR, dir: -1, path: 0, flags: -1, nofollow: true, first: 1, act: setxattr},
	{nr: unix.SYS_FSETXATTR, dir: 0, path: -1, flags: -1, first: 1, act: setxattr},
	{nr: unix.SYS_REMOVEXATTR, dir: -1, path: 0, flags: -1, first: 1, act: removexattr},
	{nr: unix.SYS_LREMOVEXATTR, dir: -1, path: 0, flags: -1, nofollow: true, first: 1,
		act: removexattr},
	{nr: unix.SYS_FREMOVEXATTR, dir: 0, path: -1, flags: -1, first: 1, act: removexattr},
}, legacyMetadata...)

// metadataRules come after those that refuse set-uid bits. Where the broker cannot answer, the
// calls are refused if nothing is writable, and else the run may change what its user may.
func metadataRules(p *Profile, answered bool) []seccomp.Rule {
	v, named := seccomp.Ask, false
	switch {
	case !p.Shared && answered && p.Changes != nil: // all are announced
	case !p.Shared && answered && p.View != nil:
		named = true // the mount of a descriptor tells the kernel whether it may
	case !p.Shared, !answered && len(p.Write) > 0:
		return nil
	case !answered:
		v = seccomp.Errno(unix.EPERM)
	}
	list := make([]seccomp.Rule, 0, len(metadataCalls)+1)
	for i := range metadataCalls {
		c := &metadataCalls[i]
		switch {
		case named && c.nr == unix.SYS_FCHMOD: // see chmod
			list = append(list, seccomp.On(c.nr, seccomp.Ask, seccomp.Bits(1, unix.S_ISVTX)))
			continue
		case named && c.path < 0:
			continue
		case named && c.emptyOK:
			list = append(list, seccomp.On(c.nr, seccomp.Allow,
				seccomp.Arg(c.path, 0), seccomp.High(c.path, 0)))
		}
		list = append(list, seccomp.On(c.nr, v))
	}
	return list
}

func metadataNumbers(yield func(uint32) bool) {
	for i := range metadataCalls {
		yield(metadataCalls[i].nr)
	}
}

func openMetadata(p *Profile, r *run) customer {
	return &metadata{trees: r.trees, files: r.files, keeps: r.changes, shared: p.Shared,
		uid: uint32(os.Geteuid())}
}

func (m *metadata) answer(c *call) {
	i := slices.IndexFunc(metadataCalls,
		func(what metadataCall) bool { return what.nr == uint32(c.Nr) })
	switch err := m.change(&metadataCalls[i], c); {
	case err == errElsewhere:
		c.proceed()
	default:
		c.reply(err)
	}
}

func (m *metadata) close() {}

// change makes the change, or returns why not.
func (m *metadata) change(what *metadataCall, c *call) error {
	if !m.shared && what.isOpen(c) && !what.isSticky(c) && m.keeps.isNew(c, c.Args[what.dir]) {
		return errElsewhere
	}
	fd, err := openObject(what, c)
	if err != nil {
		if !m.shared {
			return errElsewhere
		}
		return err
	}
	defer func() { unix.Close(fd) }()
	// What was read of the caller's memory and folders was its own only if it still waits: its
	// number may be another's by now.
	if !c.waits() {
		return unix.ESRCH
	}
	name, err := nameOf(fd)
	made := &change{call: c, uid: m.uid}
	if err == nil {
		m.keeps.marks(fd, name)
	}
	switch {
	case err == nil && m.files != nil && m.files.inView(name):
		own, err := m.files.ownObject(c, name, fd)
		if err != nil {
			return err
		}
		unix.Close(fd)
		fd, made.view = own, true
	case !m.shared:
		return errElsewhere
	case err != nil || !m.trees.writable(name):
		return unix.EPERM
	}
	object := selfFile(fd)
	if err := unix.Fstat(fd, &made.object); err != nil {
		return err
	}
	switch made.object.Mode & unix.S_IFMT {
	case unix.S_IFCHR, unix.S_IFBLK: // the right to write one is for what it takes
		return unix.EPERM
	}
	return what.act(made, object, c.Args[what.first:])
}
