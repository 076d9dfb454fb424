package resolve

import (
	"errors"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// ErrNoDir is what Resolve returns for a caller without an absolute working directory.
var ErrNoDir = errors.New("the working directory is not an absolute path")

// The bounds of one plan. Whatever is beyond them asks, with the count.
const (
	maxTargets = 5000    // effects and matches together
	maxMatches = 4096    // of one pattern that become targets
	maxNames   = 1 << 20 // directory entries read for one pattern
	maxHeld    = 256     // targets kept open; the others are bound by device and inode alone
	maxContent = 16 << 20
)

// nameOf returns where an effect's name starts and what it says below there: dir is ""
// when the name is absolute or when its start is not known.
func nameOf(n shellparse.Name, home string,
	users func(string) string) (dir, text string, known bool) {
	text, known = n.Text, n.Static || n.Glob
	if n.User != "" {
		base := home
		if n.User != "~" {
			base = users(n.User)
		}
		if base == "" {
			return "", "~" + n.User, false
		}
		return "", base + "/" + strings.TrimPrefix(text, "/"), known
	}
	if strings.HasPrefix(text, "/") {
		return "", text, known
	}
	if n.Dir == "" {
		return "", text, false
	}
	return n.Dir, text, known
}

// follows reports whether the kernel follows a symbolic link at the end of the name:
// unlink(2), rename(2), lstat(2) and their like take the link itself.
func follows(right command.Right, flags command.Flags) bool {
	return right != command.Delete && flags&command.NoFollow == 0
}

// prefixDir is the directory part of a name of which only the beginning is known: the last
// component may be a piece of a longer one.
func prefixDir(text string) string {
	i := strings.LastIndexByte(text, '/')
	return text[:i+1]
}

// sayers take the names that a pattern matches as words, and open nothing.
var sayers = []string{"echo", "printf", "for", "test", "[", "[[", "set"}

// OnlyNames reports whether the matches of an effect's pattern are used as words alone: by the
// shell itself, by what prints them, or by ls -d.
func OnlyNames(s *shellparse.Script, effect int) bool {
	if effect < 0 || effect >= len(s.Effects) {
		return false
	}
	e := &s.Effects[effect]
	if e.Right != command.Read || e.Flags != command.List {
		return false
	}
	if e.Command < 0 || e.Command >= len(s.Commands) {
		return true
	}
	c := &s.Commands[e.Command]
	return slices.Contains(sayers, c.Name) ||
		c.Name == "ls" && slices.ContainsFunc(c.Args, func(w shellparse.Word) bool {
			return w.Static && (w.Text == "-d" || w.Text == "-ld" || w.Text == "-1d")
		})
}
