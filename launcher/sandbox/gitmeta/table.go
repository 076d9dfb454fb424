package gitmeta

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// unless are the settings of which most values are ordinary, by the word that catalog/git.txt has
// for them: for these the value decides, in the repository dir.
var unless = map[string]func(dir string, s setting) bool{
	"plain-alias":  func(_ string, s setting) bool { return plainAlias(s.value) },
	"own-worktree": ownWorktree,
	"network-protocol": func(_ string, s setting) bool {
		return s.value == "user" && slices.Contains(network, s.sub)
	},
}

// network are the protocols that run no program of the repository's choice.
var network = []string{"file", "git", "http", "https", "ssh"}

// noHelper reports whether an address names no helper: git runs git-remote-NAME for NAME::..., and
// ext:: runs any command (gitremote-helpers(7)).
func noHelper(address string) bool {
	name, _, ok := strings.Cut(address, "::")
	return !ok || strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune("+-.", c))
	})
}

// ownWorktree reports whether the work tree is that of a submodule, inside the root. Elsewhere the
// setting makes git change files that no one expects it to.
func ownWorktree(dir string, s setting) bool {
	top := path.Join(dir, s.value)
	return strings.Contains("/"+dir+"/", "/modules/") && !path.IsAbs(s.value) && top != ".." &&
		!strings.HasPrefix(top, "../")
}

// runs reports whether git would run something because of a setting in the repository dir.
func runs(dir string, s setting) bool {
	e := catalog.Git(s.String())
	switch {
	case !e.Has("sh", "helper", "path", "switch", "address"):
		return false
	case e.Has("address"):
		return !noHelper(s.value)
	}
	for _, word := range e.Values("unless") {
		if ordinary := unless[word]; ordinary != nil && ordinary(dir, s) {
			return false
		}
	}
	return !slices.ContainsFunc(e.Values("safe"),
		func(v string) bool { return strings.EqualFold(v, s.value) })
}
