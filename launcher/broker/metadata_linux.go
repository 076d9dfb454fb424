//go:build amd64 || arm64

package broker

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// metadata is the customer for the mode, owner, times and attributes of files. Landlock has no
// right for them, and a filter sees no paths. With mounts of the run's own, a read-only one refuses
// to change them; without, the broker looks at the object and changes it itself. So what was looked
// at is what is changed, whatever the caller does to the name meanwhile. It has the launcher's
// rights, and so does only what the caller could do without a sandbox: the object must be the
// user's own.
type metadata struct {
	trees *trees
	uid   uint32
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
	v := seccomp.Ask
	switch {
	case !p.Shared, !answered && len(p.Write) > 0:
		return nil
	case !answered:
		v = seccomp.Errno(unix.EPERM)
	}
	list := make([]seccomp.Rule, 0, len(metadataCalls))
	for i := range metadataCalls {
		list = append(list, seccomp.On(metadataCalls[i].nr, v))
	}
	return list
}

func metadataNumbers(yield func(uint32) bool) {
	for i := range metadataCalls {
		yield(metadataCalls[i].nr)
	}
}

func openMetadata(_ *Profile, r *run) customer {
	return &metadata{trees: r.trees, uid: uint32(os.Geteuid())}
}

func (m *metadata) answer(c *call) {
	i := slices.IndexFunc(metadataCalls,
		func(what metadataCall) bool { return what.nr == uint32(c.Nr) })
	c.reply(m.change(&metadataCalls[i], c))
}

func (m *metadata) close() {}

// change makes the change, or returns why not.
func (m *metadata) change(what *metadataCall, c *call) error {
	fd, err := openObject(what, c)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// What was read of the caller's memory and folders was its own only if it still waits: its
	// number may be another's by now.
	if !c.waits() {
		return unix.ESRCH
	}
	object := selfFile(fd)
	name, err := os.Readlink(object)
	if err != nil || !m.trees.writable(name) {
		return unix.EPERM
	}
	made := &change{call: c, uid: m.uid}
	if err := unix.Fstat(fd, &made.object); err != nil {
		return err
	}
	return what.act(made, object, c.Args[what.first:])
}
