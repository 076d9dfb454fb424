//go:build amd64 || arm64

package broker

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// fileCalls is all of them on both architectures; those of old come with legacyFiles.
var fileCalls = append([]fileCall{
	{nr: unix.SYS_OPENAT, at: 0, path: 1, other: -1, flags: 2, mode: 3,
		act: (*files).open, does: opens},
	{nr: unix.SYS_MKDIRAT, at: 0, path: 1, other: -1, flags: -1, mode: 2,
		act: (*files).mkdir, does: makes},
	{nr: unix.SYS_UNLINKAT, at: 0, path: 1, other: -1, flags: 2, mode: -1,
		act: (*files).remove, does: removes},
	{nr: unix.SYS_RENAMEAT, at: 0, path: 1, to: 2, other: 3, flags: -1, mode: -1,
		act: (*files).rename, does: moves},
	{nr: unix.SYS_RENAMEAT2, at: 0, path: 1, to: 2, other: 3, flags: 4, mode: -1,
		act: (*files).rename, does: moves},
	{nr: unix.SYS_LINKAT, at: 0, path: 1, to: 2, other: 3, flags: 4, mode: -1,
		act: (*files).link, does: links},
	{nr: unix.SYS_SYMLINKAT, at: 1, path: 2, other: 0, to: -1, flags: -1, mode: -1,
		act: (*files).symlink, does: makes},
	{nr: unix.SYS_MKNODAT, at: 0, path: 1, other: -1, flags: -1, mode: 2,
		act: (*files).mknod, does: makes},
	{nr: unix.SYS_TRUNCATE, at: -1, path: 0, other: -1, flags: -1, mode: -1,
		act: (*files).truncate, does: cuts},
	{nr: unix.SYS_FACCESSAT, at: 0, path: 1, other: -1, flags: -1, mode: 2, act: (*files).access},
	{nr: unix.SYS_FACCESSAT2, at: 0, path: 1, other: -1, flags: 3, mode: 2, act: (*files).access},
	{nr: unix.SYS_UMASK, at: -1, path: -1, other: -1, flags: -1, mode: 0, act: (*files).setUmask},
}, legacyFiles...)

// fileRules hand over opens only when they are for more than reading, or of folders, and what asks
// about access where the mounts of the run would say no.
func fileRules(p *Profile, answered bool) []seccomp.Rule {
	if p.View == nil && p.Guard == nil && !p.Terminals && p.Changes == nil || !answered {
		return nil
	}
	decides := p.View != nil || p.Guard != nil && len(p.Guard.Trees) > 0
	asked, changes := uint32(0), decides || p.Changes != nil
	if changes {
		asked = writing
	}
	if p.Guard != nil && len(p.Guard.Lead) > 0 {
		asked |= unix.O_DIRECTORY
	}
	if p.Terminals {
		asked |= unix.O_RDWR
	}
	list := make([]seccomp.Rule, 0, len(fileCalls))
	for i := range fileCalls {
		switch c := &fileCalls[i]; c.nr {
		case unix.SYS_OPENAT, legacyOpen:
			if p.View != nil && p.View.Reads || p.Guard.reads() {
				list = append(list, seccomp.On(c.nr, seccomp.Ask))
				break
			}
			if asked != 0 {
				list = append(list, seccomp.On(c.nr, seccomp.Ask, seccomp.Bits(c.flags, asked)))
			}
			list = append(list, scriptRules(p, c)...)
		case unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, legacyAccess:
			if !p.Shared && decides {
				list = append(list, seccomp.On(c.nr, seccomp.Ask, seccomp.Bits(c.mode, unix.W_OK)))
			}
		default:
			if changes {
				list = append(list, seccomp.On(c.nr, seccomp.Ask))
			}
		}
	}
	return list
}

func fileNumbers(yield func(uint32) bool) {
	for i := range fileCalls {
		yield(fileCalls[i].nr)
	}
}

func openFiles(p *Profile, r *run) customer {
	if r.files == nil {
		return nil
	}
	return &fileAnswers{r.files, r.changes}
}

// answer looks a name up in what the kernel has in memory. Where that is not enough, as on a slow
// file system, it is done beside.
func (f *fileAnswers) answer(c *call) {
	i := 0
	for fileCalls[i].nr != uint32(c.Nr) {
		i++
	}
	r := &fileRequest{call: c, fileCall: &fileCalls[i], cached: resolveCached}
	if err := r.copy(); err != nil {
		c.reply(err)
		return
	}
	if f.reads(r) && !f.scripts.has(r.first) {
		r.proceed()
		return
	}
	f.make(r)
}

func (f *fileAnswers) make(r *fileRequest) {
	if r.cached != 0 {
		r.holdForks(-1)
	}
	f.changeScript(r)
	fd, err := f.openPlain(r)
	if err == errApart {
		fd, err = f.act(r)
	}
	switch {
	case err == errSlow:
		r.letForks()
		r.cached, r.cwd = 0, ""
		f.work.beside(func() { f.make(r) })
		return
	case err == errElsewhere, err == errApart:
		r.proceed()
	case err == nil && fd >= 0:
		r.give(fd, int(r.flags)&unix.O_CLOEXEC)
	default:
		r.reply(err)
	}
	r.letForks()
}

// act makes a call, or leaves it to the kernel, after what it changes was announced.
func (f *fileAnswers) act(r *fileRequest) (int, error) {
	alone, err := f.changes.announce(r)
	switch {
	case err != nil:
		return -1, err
	case f.changes != nil && f.changes.Strict && r.loses():
		return f.strictly(r)
	case alone && !(f.provides && r.does == opens && r.changesInPlace()):
		return -1, errApart
	}
	return r.act(f.files, r)
}

func (f *fileAnswers) close() {
	f.files.close()
	f.changes.close() // after what was done beside
}

// ending is how long the end of a run's calls is waited for after the run.
const ending = time.Second

func (f *files) awaitEnd() {
	select {
	case <-f.own.ended:
	case <-time.After(ending):
	}
}

func (f *files) close() {
	f.work.cancel()
	f.work.wait()
	f.closeInside()
	f.guard.close()
	f.inPlace.close()
	close(f.own.ended)
	f.shared.close()
	if f.book.made != nil {
		f.book.made.Close()
	}
}
