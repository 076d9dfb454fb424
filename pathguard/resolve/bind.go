package resolve

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/mounts"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// commandDirs makes a target of every directory that a command would run in: to enter a
// directory is to list it.
func (r *resolver) commandDirs() {
	seen := map[string]bool{"": true, r.plan.Caller.Dir: true}
	for i, c := range r.plan.Script.Commands {
		if seen[c.Dir] || !strings.HasPrefix(c.Dir, "/") {
			continue
		}
		seen[c.Dir] = true
		t := Target{Right: command.Read, Flags: command.List, Name: c.Dir, Effect: -1, Command: i}
		r.bind(&t, r.Walk(r.Root, c.Dir, true))
	}
}

// bind makes a target of the end of a walk and takes over its file.
func (r *resolver) bind(t *Target, end walk.End) {
	t.Real, t.Missing, t.Links, t.Crossed, t.Kind = end.Real, end.Missing, end.Links, end.Crossed,
		end.Kind
	t.Exists = end.Exists() && !t.Unknown
	if end.Why != "" {
		t.Why = end.Why
	}
	if end.FD >= 0 || t.Exists {
		t.ID, t.Mode, t.Own = end.ID(), end.Mode(), int(end.Stat.Uid) == r.plan.Caller.UID
		if r.share.held < maxHeld {
			t.file = r.hold(walk.Hold(end))
		} else {
			end.Close()
		}
	}
	if t.Kind == walk.Plain {
		t.Others, _ = mounts.Now().Others(t.Path())
		if t.Exists && t.Mode.IsRegular() && end.Stat.Nlink > 1 {
			r.linked(t, int(end.Stat.Nlink))
		}
	}
	if t.Exists && t.Kind == walk.Plain && t.file != nil &&
		(t.Right == command.Delete || t.Right == command.Write || t.Right == command.Create) {
		t.dir = r.holder(t)
	}
	r.add(*t)
	if t.Flags&command.WriteAhead != 0 && t.Exists && writesAhead(t.file) {
		t.Right = command.Write
		t.dir = r.holder(t)
		r.add(*t)
	}
}

// holder opens the directory of a target: to remove or replace a name is a right to that. It
// is nil when the name does not lead to the target any more.
func (r *resolver) holder(t *Target) *walk.Held {
	cut := strings.LastIndexByte(t.Real, '/')
	if cut < 0 || len(t.Real) == 1 || r.share.held >= maxHeld {
		return nil
	}
	dir := t.Real[1:max(cut, 1)]
	if dir == "" {
		dir = "."
	}
	fd, err := r.OpenFolder(dir)
	if err != nil {
		return nil
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, t.Real[cut+1:], &st, unix.AT_SYMLINK_NOFOLLOW) != nil ||
		walk.IDOf(&st) != t.ID {
		unix.Close(fd)
		return nil
	}
	return r.hold(walk.NewHeld(fd, "/"+dir))
}

func (r *resolver) add(t Target) {
	r.plan.Targets = append(r.plan.Targets, t)
	if t.Flags&command.Source != 0 || t.Right == command.Exec {
		r.content(&r.plan.Targets[len(r.plan.Targets)-1])
	}
}
