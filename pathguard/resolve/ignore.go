package resolve

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The bounds of what is read to learn what a workspace holds to be build output.
const (
	maxIgnore = 64 << 10 // .gitignore
	maxIndex  = 8 << 20  // .git/index: some 80,000 files
)

// ignored finds the names that the workspace calls build output: they are in .gitignore or in the
// repository's own info/exclude, and git tracks nothing below them. An attacker that can write
// .gitignore could have written the other file too, but the index shows what was there before. It
// is only computed when something is deleted, because nothing else depends on it.
func (r *resolver) ignored() map[string]bool {
	if r.plan.Workspace == "" || !slices.ContainsFunc(r.plan.Targets,
		func(t Target) bool { return t.Right == command.Delete }) {
		return nil
	}
	root := r.from(r.plan.Workspace)
	if root.FD < 0 {
		return nil
	}
	text, _ := readFile(root.FD, ".gitignore", maxIgnore)
	repo, ok := r.repository(root)
	if !ok {
		return nil
	}
	defer repo.close()
	if repo.common >= 0 {
		more, _ := readFile(repo.common, "info/exclude", maxIgnore)
		text = append(append(text, '\n'), more...)
	}
	names := ignoredNames(text)
	if len(names) == 0 || repo.dir < 0 {
		return names // no repository: nothing is tracked
	}
	var st unix.Stat_t
	if unix.Fstatat(repo.dir, "index", &st, unix.AT_SYMLINK_NOFOLLOW) == unix.ENOENT {
		return names // nothing was ever added
	}
	index, ok := readFile(repo.dir, "index", maxIndex)
	if !ok {
		return nil
	}
	for name := range names {
		if tracks(index, strings.TrimPrefix(name, "/")) {
			delete(names, name)
		}
	}
	return names
}

// A repository is where git keeps what belongs to a workspace; see gitrepository-layout(5).
type repository struct {
	dir    int // $GIT_DIR, with the index; -1 when there is none
	common int // $GIT_COMMON_DIR, with info/exclude; the same but for a worktree
}

func (r repository) close() {
	if r.dir >= 0 {
		unix.Close(r.dir)
	}
	if r.common >= 0 && r.common != r.dir {
		unix.Close(r.common)
	}
}

// repository finds the repository of a workspace. In a worktree or a submodule .git is a file that
// names the repository, and the repository must point back: otherwise a line in a file could choose
// the index that decides what is tracked.
func (r *resolver) repository(root walk.Dir) (repository, bool) {
	none := repository{-1, -1}
	var st unix.Stat_t
	switch err := unix.Fstatat(root.FD, ".git", &st, unix.AT_SYMLINK_NOFOLLOW); {
	case err == unix.ENOENT:
		return none, true
	case err != nil:
		return none, false
	case st.Mode&unix.S_IFMT == unix.S_IFDIR:
		fd, err := walk.OpenIn(root.FD, ".git", unix.O_DIRECTORY)
		return repository{fd, fd}, err == nil
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return none, false
	}
	text, ok := readFile(root.FD, ".git", walk.PathMax)
	name, found := strings.CutPrefix(line(text), "gitdir: ")
	if !ok || !found {
		return none, false
	}
	end := r.Walk(root, name, true)
	if end.Missing != "" || end.FD < 0 || end.Stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		end.Close()
		return none, false
	}
	repo := repository{end.FD, end.FD}
	back, worktree := readFile(end.FD, "gitdir", walk.PathMax)
	common, _ := readFile(end.FD, "commondir", walk.PathMax)
	switch at := (walk.Dir{FD: end.FD, Path: end.Real}); {
	case worktree && r.text(at, line(back)) == pathname.Join(root.Path, ".git") && len(common) > 0:
		shared := r.Walk(at, line(common), true)
		repo.common = shared.FD
		return repo, shared.FD >= 0 && shared.Missing == ""
	case !worktree && strings.Contains(end.Real, "/.git/modules/"):
		return repo, true
	}
	repo.close()
	return none, false
}

// line is the first line of a small file.
func line(text []byte) string {
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimRight(first, "\r")
}

// text is the path of a name in a directory, without a symbolic link but for its end.
func (r *resolver) text(from walk.Dir, name string) string {
	end := r.Walk(from, name, false)
	end.Close()
	return pathname.Join(end.Real, end.Missing)
}

// ignoredNames reads a .gitignore for the names that builds make and people use too, if they are
// there as plain names: "build", "build/", and "/build" for the root alone, which keeps its slash.
// A file that takes something back with "!" yields nothing here, because then the order of all its
// lines decides.
func ignoredNames(text []byte) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		// blanks at the end mean nothing, at the beginning they are the name's
		line = strings.TrimRight(line, " \r\n")
		if strings.HasPrefix(line, "!") {
			return nil
		}
		name := strings.TrimSuffix(line, "/")
		if slices.Contains(pathname.PerhapsRegenerable, strings.TrimPrefix(name, "/")) {
			names[name] = true
		}
	}
	return names
}

// tracks reports whether a git index has a file below a directory of that name. The index contains
// the path of an entry literally, so searching for the bytes finds every one, and at worst one too
// many. Version 4 shortens the paths: then everything is assumed to be tracked.
func tracks(index []byte, name string) bool {
	if len(index) < 12 || string(index[:4]) != "DIRC" || index[7] > 3 {
		return true
	}
	return bytes.Contains(index, []byte(name+"/"))
}

// readFile reads a regular file up to a bound; a longer one is not read at all. Anything that
// is not a regular file is never opened.
func readFile(dir int, name string, most int64) ([]byte, bool) {
	held, err := walk.OpenIn(dir, name, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(held)
	var st unix.Stat_t
	if unix.Fstat(held, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > most {
		return nil, false
	}
	fd, err := walk.Reopen(held)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	text, err := io.ReadAll(io.LimitReader(reader(fd), most+1))
	return text, err == nil && int64(len(text)) <= most
}
