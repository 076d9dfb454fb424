package pathguard

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// location puts the target on the map.
func (j *judgement) location(f *finding, t *resolve.Target, full string, action Action) {
	switch {
	case t.Kind == walk.Foreign || foreignProcess(t, full):
		f.put(InProcess, "")
	case t.Kind == walk.Descriptor:
	case isDevice(t, full) && (!pathname.WithinAny(full, pathname.HarmlessDevices) ||
		action == ToDelete || t.Flags&command.Meta != 0):
		f.put(IsDevice, "")
	case pathname.Within(full, "/proc") || pathname.Within(full, "/sys"):
		f.put(InKernel, "")
		if action != ToList && path.Base(full) == "environ" {
			f.put(InSecret, "") // every token that a program was started with
		}
	case pathname.WithinAny(full, pathname.HarmlessDevices) && !pathname.Within(full, "/dev/shm"):
	case t.Unknown && t.Real == "":
		f.put(InUnknown, "")
	default:
		j.ground(f, t, full, action)
	}
	if t.Unknown && action >= ToDelete && action <= ToSweep {
		f.put(InUnknown, "")
	}
}

// isDevice reports whether a target is a device, or has a name where devices are.
func isDevice(t *resolve.Target, full string) bool {
	return t.Exists && t.Mode&os.ModeDevice != 0 || full != "/dev" &&
		pathname.Within(full, "/dev") && !pathname.Within(full, "/dev/shm")
}

// ground finds the place of an ordinary file.
func (j *judgement) ground(f *finding, t *resolve.Target, full string, action Action) {
	ws := j.plan.Workspace
	if t.Below() {
		full = pathname.Join(full, "*") // the names that are meant are in it
	}
	broad := action == ToSweep || action == ToWipe || t.Flags&command.Recursive != 0 ||
		action == ToDelete || action == ToChange
	switch {
	case broad && (full == "/" || isTop(full) || t.Glob && isTop(path.Dir(full)) && bareGlob(j, t)):
		f.put(IsRoot, "")
	case j.isHome(full), broad && t.Glob && j.isHome(path.Dir(full)) && bareGlob(j, t):
		f.put(IsHome, "")
	case full == ws:
		f.put(IsWorkspace, "")
	case ws != "" && pathname.Within(full, ws):
		if j.isRegenerable(full[len(ws):]) || absentBuild(t, full[len(ws):]) ||
			t.Below() && (j.findsRegenerable(t.Command) || j.foundRegenerable(t)) {
			f.put(InRegenerable, "")
		} else {
			f.put(InWorkspace, "")
		}
	case pathname.WithinAny(full, j.homes) && !f.in[InCache] && !f.in[InToolDir]:
		f.put(InHome, "")
	case pathname.WithinAny(full, pathname.TempDirs):
		if pathname.IsTemp(full) && action >= ToChange && action <= ToSweep && !t.Below() {
			f.put(InSystem, "")
		} else {
			f.put(InTemp, "")
		}
	case f.in[InCache], f.in[InToolDir]:
	case j.inHome(full):
		f.put(InHome, "")
	case pathname.IsSystem(full):
		f.put(InPrograms, "")
	case pathname.WithinAny(full, pathname.SystemDirs):
		f.put(InSystem, "")
	default:
		f.put(InOutside, "")
	}
}

// isTop reports whether a path is a directory directly below the root.
func isTop(full string) bool {
	return full == "/" || strings.Count(full, "/") == 1 && full != "/tmp" &&
		pathname.WithinAny(full, append([]string{"/home", "/dev", "/proc", "/sys", "/mnt",
			"/media"}, pathname.SystemDirs...))
}

func (j *judgement) inHome(full string) bool {
	return pathname.Within(full, "/home") || pathname.Within(full, "/root")
}

// foreignProcess reports whether a path below /proc belongs to a process given by number, or to an
// unknown one: its memory, environment and files are there.
func foreignProcess(t *resolve.Target, full string) bool {
	rest, ok := strings.CutPrefix(full, "/proc/")
	if !ok {
		return t.Unknown && full == "/proc"
	}
	first, file, _ := strings.Cut(rest, "/")
	if first == "" || first[0] < '0' || first[0] > '9' {
		return t.Unknown && first == ""
	}
	switch file {
	case "", "stat", "status", "statm", "comm", "cmdline", "cgroup", "limits", "io", "sched",
		"wchan", "loginuid":
		return false
	}
	return true
}

// behindRoot returns the name of a path behind /proc/PID/root, or behind that of one of its
// threads, as if the process had the same root. A process in a container has another one, but a
// process that may not be inspected does not say which.
func behindRoot(full string) (string, bool) {
	parts := strings.SplitN(full, "/", 7) // "", proc, PID, task, TID, root, rest
	if len(parts) < 5 || parts[1] != "proc" {
		return "", false
	}
	at := 3
	if parts[at] == "task" && len(parts) == 7 {
		at = 5
	}
	if parts[at] != "root" {
		return "", false
	}
	return "/" + strings.Join(parts[at+1:], "/"), true
}

// isRegenerable reports whether a path in the workspace is in a directory that a build makes again.
func (j *judgement) isRegenerable(rel string) bool {
	first := true
	for part := range strings.SplitSeq(rel, "/") {
		if part == "" {
			continue
		}
		if slices.Contains(pathname.Regenerable, part) || strings.HasSuffix(part, ".egg-info") {
			return true
		}
		if slices.Contains(pathname.PerhapsRegenerable, part) &&
			(j.plan.Ignored[part] || first && j.plan.Ignored["/"+part]) {
			return true
		}
		first = false
	}
	return false
}

// findsRegenerable reports whether the find(1) that a command belongs to can only come to
// names that a build makes again: every -name is such a name, and nothing widens them.
func (j *judgement) findsRegenerable(cmd int) bool {
	c := j.finder(cmd)
	if c == nil || path.Base(c.Name) != "find" {
		return false
	}
	named := false
	for i, w := range c.Args {
		if !named && command.ActsOnFound(w.Text) {
			return false
		}
		switch w.Text {
		case "!", "-not", ",":
			return false
		case "-o", "-or":
			if !named {
				return false
			}
			named = false // each alternative has a name of its own
		case "-name", "-iname":
			if i+1 == len(c.Args) || !c.Args[i+1].Static {
				return false
			}
			if !regenerableName(c.Args[i+1].Text) {
				return false
			}
			named = true
		}
	}
	return named
}

// foundRegenerable reports whether all that a command of the text finds, and that a loop or another
// command takes, are such names.
func (j *judgement) foundRegenerable(t *resolve.Target) bool {
	return t.Effect >= 0 && regenerableName(j.script.Effects[t.Effect].Base)
}

// regenerableName reports whether a build makes again what has the name, or the ending, of a
// pattern for the last component.
func regenerableName(base string) bool {
	return slices.Contains(pathname.Regenerable, base) ||
		slices.Contains(pathname.RegenerableEndings, path.Ext(base)) || strings.HasSuffix(base, "~")
}

// absentBuild reports whether a name is that of build output and does not exist: a build that
// starts with "rm -rf build" takes nothing away the first time.
func absentBuild(t *resolve.Target, rel string) bool {
	if t.Exists || t.Unknown {
		return false
	}
	for part := range strings.SplitSeq(rel, "/") {
		if part == "build" || part == "out" {
			return true
		}
	}
	return false
}

func (j *judgement) regenerableEnd(full string) bool {
	return slices.Contains(pathname.RegenerableEndings, path.Ext(full)) ||
		strings.HasSuffix(full, "~")
}
