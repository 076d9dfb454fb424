package pathguard

import (
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Resolve finds the real files behind every name of the script, opens each once, and binds
// the programs and the files of code that would run. It reads directories for patterns and
// regular files for their content, and nothing else: a FIFO or a device is never opened.
//
// A name that does not exist, cannot be reached, or is not wholly known is no error; it is
// a Target that says so. The error is for what leaves no ground to stand on. The plan is
// the caller's to Close.
func Resolve(script *shellparse.Script, c Caller) (*Plan, error) {
	if !strings.HasPrefix(c.Dir, "/") {
		return nil, ErrNoDir
	}
	w, err := newWalker()
	if err != nil {
		return nil, err
	}
	r := &resolver{walker: w, plan: &Plan{Script: script, Caller: c}, dirs: map[string]spot{}, share: &opening{}}
	defer r.close()
	r.start()
	for i := range script.Effects {
		r.effect(i)
	}
	r.plan.Ignored = r.ignored()
	r.commandDirs()
	r.programs()
	r.manifests()
	r.remotes()
	r.inners()
	r.plan.Linked = r.linkedOutside()
	return r.plan, nil
}

type resolver struct {
	*walker
	plan  *Plan
	dirs  map[string]spot // the starting directories that were opened, by their spelling
	bound map[string]bool // contents by path
	share *opening
	depth int // of files that execute files
}

// hold keeps a file open until the plan is closed.
func (r *resolver) hold(f *held) *held {
	if f != nil {
		r.plan.files = append(r.plan.files, f)
		r.share.held++
	}
	return f
}

// start opens the working directory and finds the workspace around it.
func (r *resolver) start() {
	p := r.plan
	end := r.walk(r.root, p.Caller.Dir, true)
	p.Dir = join(end.real, end.missing)
	if end.missing == "" {
		p.dirFile = r.hold(file(end))
		p.DirID = end.id()
		r.cwd = spot{end.fd, end.real}
	} else {
		end.close()
		r.cwd = spot{-1, p.Dir}
	}
	r.dirs[p.Caller.Dir] = r.cwd
	p.Workspace = r.workspace()
}

func (r *resolver) close() {
	for _, d := range r.dirs {
		if d.fd >= 0 && d.fd != r.cwd.fd {
			unix.Close(d.fd)
		}
	}
	r.walker.close()
}

// from returns the directory that relative names of a command start in.
func (r *resolver) from(dir string) spot {
	if s, ok := r.dirs[dir]; ok {
		return s
	}
	end := r.walk(r.root, dir, true)
	s := spot{end.fd, end.real}
	if end.missing != "" {
		end.close()
		s = spot{-1, join(end.real, end.missing)}
	}
	r.dirs[dir] = s
	return s
}

func (r *resolver) effect(i int) {
	e := &r.plan.Script.Effects[i]
	if e.Right == command.Net {
		return
	}
	if len(r.plan.Targets) >= maxTargets {
		r.limit("targets", len(r.plan.Script.Effects), i)
		return
	}
	t := Target{Right: e.Right, Flags: e.Flags, Name: e.Name.Text, Effect: i, Command: e.Command}
	dir, text, known := nameOf(e.Name, r.plan.Caller.Home, r.homeOf)
	if dir == "" && !strings.HasPrefix(text, "/") {
		t.Unknown, t.Why = true, "the directory that the name starts from is not known"
		r.add(t)
		return
	}
	from := r.root
	if dir != "" {
		from = r.from(dir)
	}
	if found := r.sourced(e, text); found != "" {
		text = found
	}
	if from.fd < 0 && !strings.HasPrefix(text, "/") { // mkdir a && cd a && ...: what exists is nearer to the root
		from, text = r.root, from.path+"/"+text
	}
	switch {
	case !known:
		t.Unknown, t.Why = true, "only the beginning of the name is known"
		r.bind(&t, r.walk(from, prefixDir(text), true))
	case e.Name.Glob:
		r.glob(t, from, text)
	default:
		r.bind(&t, r.walk(from, text, follows(e.Right, e.Flags)))
	}
	if e.Flags&command.Source != 0 && e.Flags&command.Below != 0 || e.Right == command.Exec {
		r.foundScripts(r.plan.Targets[len(r.plan.Targets)-1], e.Base)
	}
	if e.Right == command.Create && e.Flags&command.Link != 0 {
		r.link(&r.plan.Targets[len(r.plan.Targets)-1])
	}
}

// sourced returns where bash finds the operand of "." and source: a name without a slash in PATH
// before the working directory. It need not be executable there. "" leaves the name as it is.
func (r *resolver) sourced(e *shellparse.Effect, text string) string {
	if e.Flags&command.Source == 0 || e.Command < 0 || !e.Name.Static || strings.Contains(text, "/") {
		return ""
	}
	if c := &r.plan.Script.Commands[e.Command]; !c.Builtin || c.Name != "." && c.Name != "source" {
		return ""
	}
	for _, dir := range strings.Split(r.searchPath(e.Command), ":") {
		var st unix.Stat_t
		if name := dir + "/" + text; strings.HasPrefix(dir, "/") && unix.Fstatat(unix.AT_FDCWD, name, &st, 0) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
			return name
		}
	}
	return ""
}

// homeOf finds the home of an account by name. The caller's own may be one that only the
// name service knows, not the passwd file; it is known by its home.
func (r *resolver) homeOf(user string) string {
	if home := accountHome(user); home != "" {
		return home
	}
	if user != "" && (path.Base(r.plan.Caller.Home) == user || r.plan.Caller.Env["USER"] == user) {
		return r.plan.Caller.Home
	}
	return ""
}

// link remembers a link that the script makes: later names may lead through it. What it
// points to is the name that the same command touches just before.
func (r *resolver) link(made *Target) {
	if r.made == nil {
		r.made = map[string]string{}
	}
	for i := len(r.plan.Targets) - 2; i >= 0; i-- {
		t := &r.plan.Targets[i]
		if t.Command != made.Command || t.Flags&command.Link == 0 || t.Right != command.Read {
			break
		}
		if t.Real == "" {
			continue
		}
		name := made.Path()
		if made.Exists && made.Mode.IsDir() { // ln(1) makes it in there
			name = join(name, path.Base(t.Path()))
		}
		r.made[name] = t.Path()
	}
}

// bind makes a target of the end of a walk and takes over its file.
func (r *resolver) bind(t *Target, end way) {
	t.Real, t.Missing, t.Links, t.Crossed, t.Kind = end.real, end.missing, end.links, end.crossed, end.kind
	t.Exists = end.missing == "" && end.fd >= 0 && !t.Unknown
	if end.why != "" {
		t.Why = end.why
	}
	if end.fd >= 0 {
		t.ID, t.Mode, t.Own = end.id(), modeOf(end.stat.Mode), int(end.stat.Uid) == r.plan.Caller.UID
		if r.share.held < maxHeld {
			t.file = r.hold(file(end))
		} else {
			end.close()
		}
	}
	if t.Kind == Plain {
		t.Others, _ = mountsNow().others(t.Path())
		if t.Exists && t.Mode.IsRegular() && end.stat.Nlink > 1 {
			r.linked(t, int(end.stat.Nlink))
		}
	}
	if t.Exists && t.Kind == Plain && t.file != nil && (t.Right == command.Delete || t.Right == command.Write || t.Right == command.Create) {
		t.dir = r.holder(t)
	}
	r.add(*t)
}

// holder opens the directory of a target: to remove or replace a name is a right to that. It
// is nil when the name does not lead to the target any more.
func (r *resolver) holder(t *Target) *held {
	cut := strings.LastIndexByte(t.Real, '/')
	if cut < 0 || len(t.Real) == 1 || r.share.held >= maxHeld {
		return nil
	}
	dir := t.Real[1:max(cut, 1)]
	if dir == "" {
		dir = "."
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(r.root.fd, dir, &how)
	if err != nil {
		return nil
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, t.Real[cut+1:], &st, unix.AT_SYMLINK_NOFOLLOW) != nil || (ID{uint64(st.Dev), st.Ino}) != t.ID {
		unix.Close(fd)
		return nil
	}
	return r.hold(newHeld(fd, "/"+dir))
}

func (r *resolver) add(t Target) {
	r.plan.Targets = append(r.plan.Targets, t)
	if t.Flags&command.Source != 0 || t.Right == command.Exec {
		r.content(&r.plan.Targets[len(r.plan.Targets)-1])
	}
}

func (r *resolver) limit(what string, count, effect int) {
	for _, l := range r.plan.Limits {
		if l.What == what && l.Effect == effect || what == "targets" && l.What == what {
			return
		}
	}
	r.plan.Limits = append(r.plan.Limits, Limit{what, count, effect})
}

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
		r.bind(&t, r.walk(r.root, c.Dir, true))
	}
}

func (e way) id() ID { return ID{uint64(e.stat.Dev), e.stat.Ino} }

func (e way) close() {
	if e.fd >= 0 {
		unix.Close(e.fd)
	}
}

// file is the end of a walk, for the plan to hold.
func file(e way) *held {
	if e.fd < 0 {
		return nil
	}
	return newHeld(e.fd, e.real)
}

// modeOf translates the kernel's mode bits.
func modeOf(m uint32) os.FileMode {
	mode := os.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= os.ModeDir
	case unix.S_IFLNK:
		mode |= os.ModeSymlink
	case unix.S_IFIFO:
		mode |= os.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= os.ModeSocket
	case unix.S_IFCHR:
		mode |= os.ModeDevice | os.ModeCharDevice
	case unix.S_IFBLK:
		mode |= os.ModeDevice
	}
	if m&unix.S_ISUID != 0 {
		mode |= os.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= os.ModeSetgid
	}
	return mode
}
