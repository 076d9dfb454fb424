//go:build amd64 || arm64

package broker

import (
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// linkFlags are O_LARGEFILE, which musl always sets, and O_NOFOLLOW: on either architecture, one is
// the other.
const linkFlags = 0x8000 | 0x20000

// scriptRules hand over the opens by which a script may be read: those that nothing before has
// decided about.
func scriptRules(p *Profile, c *fileCall) []seccomp.Rule {
	if len(p.Scripts) == 0 {
		return nil
	}
	others := uint32(unix.O_PATH | unix.O_DIRECTORY)
	if !slices.ContainsFunc(p.Scripts, func(s Script) bool { return !s.Plain }) {
		others = ^uint32(linkFlags)
	}
	return []seccomp.Rule{seccomp.On(c.nr, seccomp.Allow, seccomp.Bits(c.flags, others)),
		seccomp.On(c.nr, seccomp.Ask)}
}

// reads reports whether a call is asked about for the scripts alone.
func (f *files) reads(r *fileRequest) bool {
	return r.does == opens && r.flags&(writing|unix.O_DIRECTORY) == 0 && !f.view.Reads &&
		(f.guard == nil || !f.guard.reads())
}

// changeScript notes that a call changes an entry. What only makes entries leaves those that are
// there.
func (f *files) changeScript(r *fileRequest) {
	switch {
	case r.does == removes, r.does == moves, r.does == cuts,
		r.does == opens && r.flags&writing != 0 && r.flags&exclusive != exclusive:
		f.scripts.change(r.first)
		f.scripts.change(r.second)
	}
}

// readScript opens a script for reading: by its spelling, because what is at the name cannot be
// relied on. Only programs that execute such files are handed it; others read what is there.
func (f *files) readScript(r *fileRequest) (int, error) {
	const other = writing | unix.O_PATH | unix.O_DIRECTORY
	if len(f.scripts) == 0 || r.flags&other != 0 || !f.scripts.has(r.first) {
		return -1, errApart
	}
	name, err := r.full(r.at, r.first)
	if err != nil {
		return -1, errApart
	}
	script := f.scripts.named(Spelling(name))
	if script == nil {
		return -1, errApart
	}
	program := programOf(r.process())
	mine := slices.Contains(script.By, program)
	if mine && slices.Contains(script.Again, program) {
		mine = program != programOf(proc.Dir(parentOf(int(r.PID))))
	}
	switch {
	case !r.waits():
		return -1, unix.ESRCH
	case !mine:
		return -1, errApart
	}
	return openAgain(script.fd, int(r.flags&^unix.O_NOFOLLOW)|unix.O_CLOEXEC)
}

// programOf is the base name of a process's program, without a version.
func programOf(process string) string {
	program, _ := os.Readlink(process + "exe")
	return strings.TrimRight(path.Base(program), "0123456789.-")
}
