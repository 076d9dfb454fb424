package resolve

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	"mvdan.cc/sh/v3/pattern"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// glob expands a pattern as the shell would, from the directory that is known, and makes a
// target of every match. When nothing matches, the pattern itself is the name: bash passes
// it on as it is written.
func (r *resolver) glob(t Target, from walk.Dir, text string) {
	x := expansion{r: r, left: maxNames}
	start := from
	if strings.HasPrefix(text, "/") {
		start = r.Root
	}
	if !x.made(r.plan.Script.Effects[t.Effect].Name.Of, text, start.Path) {
		x.expand(start.Path, pathname.Split(text))
	}
	slices.Sort(x.names)
	g := Glob{Effect: t.Effect, Pattern: pathname.Join(start.Path,
		strings.Join(pathname.Split(text), "/")), Count: x.count, Kept: len(x.names)}
	r.plan.Globs = append(r.plan.Globs, g)
	if x.left <= 0 {
		r.limit("names", maxNames, t.Effect)
	}
	t.Glob, t.One = true, r.plan.Script.Effects[t.Effect].Name.One
	follow := follows(t.Right, t.Flags) && !OnlyNames(r.plan.Script, t.Effect)
	if len(x.names) == 0 {
		r.bind(&t, r.Walk(from, pathname.Unescape(text), follows(t.Right, t.Flags)))
		return
	}
	for i, name := range x.names {
		if len(r.plan.Targets) >= maxTargets {
			r.limit("targets", x.count, t.Effect)
			r.plan.Globs[len(r.plan.Globs)-1].Kept = i
			return
		}
		match := t
		match.Name = name
		r.bind(&match, r.Walk(r.Root, name, follow))
	}
}

// An expansion is one pattern being matched against directories.
type expansion struct {
	r     *resolver
	names []string
	count int
	left  int // directory entries that may still be read
}

// made expands a pattern from whose matches a script makes other names, and adds those names: text,
// with its star replaced by what the star of the first pattern matches. It reports whether the
// names are certain: outside quotes, a blank or a pattern in a name makes more names of it.
func (x *expansion) made(of, text, dir string) bool {
	if of == "" {
		return false
	}
	x.expand("/", pathname.Split(of))
	before, behind, _ := strings.Cut(pathname.Join("/", strings.Join(pathname.Split(of), "/")), "*")
	for i, name := range x.names {
		star := strings.TrimSuffix(strings.TrimPrefix(name, before), behind)
		if strings.ContainsAny(star, " \t\n*?[") {
			x.names, x.count = nil, 0
			return false
		}
		if name = strings.Replace(text, "*", star, 1); !strings.HasPrefix(name, "/") {
			name = dir + "/" + name
		}
		x.names[i] = name
	}
	return true
}

// expand matches the components against the names below dir, an absolute path.
func (x *expansion) expand(dir string, parts []string) {
	for i, part := range parts {
		if pattern.HasMeta(part, 0) {
			x.match(dir, part, parts[i+1:])
			return
		}
		dir = pathname.Join(dir, pathname.Unescape(part))
	}
	var st unix.Stat_t
	if unix.Lstat(dir, &st) == nil {
		x.keep(dir)
	}
}

func (x *expansion) match(dir, part string, rest []string) {
	deep := part == "**" // with globstar it crosses directories; without, it is "*"
	w, err := pathname.Compile(part)
	if err != nil {
		return
	}
	if deep {
		x.expand(dir, rest)
	}
	for _, e := range x.read(dir) {
		name := e.Name()
		if name[0] == '.' && part[0] != '.' || !w.Match(name) {
			continue
		}
		below := pathname.Join(dir, name)
		switch {
		case len(rest) == 0:
			x.keep(below)
		case !deep || !e.IsDir():
			x.expand(below, rest)
		}
		if deep && e.IsDir() {
			x.match(below, part, rest)
		}
	}
}

func (x *expansion) keep(name string) {
	x.count++
	if len(x.names) < maxMatches {
		x.names = append(x.names, name)
	}
}

// read lists a directory. O_DIRECTORY makes sure that nothing but a directory is opened.
func (x *expansion) read(dir string) []os.DirEntry {
	if x.left <= 0 {
		return nil
	}
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	entries, _ := f.ReadDir(x.left)
	x.left -= len(entries)
	return entries
}
