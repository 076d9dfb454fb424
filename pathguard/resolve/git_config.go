package resolve

import "strings"

// A gitFolders is where a repository is; the zero one is none.
type gitFolders struct {
	top    string // where git works, from which paths are meant
	place  string // $GIT_DIR
	common string // $GIT_COMMON_DIR, with what all worktrees share
}

// A gitRemotes is what git's settings say about remotes.
type gitRemotes struct {
	gitFolders
	includes bool   // a file includes others
	branch   string // that is checked out; "" for none
	settings []gitSetting
	isFolder func(name string) bool
	isFile   func(name string) bool
}

// value is the last value of a setting.
func (g *gitRemotes) value(section, name, key string) (value string) {
	for _, s := range g.settings {
		if s.section == section && s.name == name && s.key == key {
			value = s.value
		}
	}
	return value
}

// all are the values of a setting; an empty one takes back those before.
func (g *gitRemotes) all(section, name, key string) (list []string) {
	for _, s := range g.settings {
		if s.section != section || s.name != name || s.key != key {
			continue
		}
		if list = append(list, s.value); s.value == "" {
			list = nil
		}
	}
	return list
}

// remote is the name of the remote that git takes when the command line names none.
func (g *gitRemotes) remote(push bool) string {
	if push {
		for _, name := range []string{g.value("branch", g.branch, "pushremote"),
			g.value("remote", "", "pushdefault")} {
			if name != "" {
				return name
			}
		}
	}
	if name := g.value("branch", g.branch, "remote"); name != "" {
		return name
	}
	only := ""
	for _, s := range g.settings {
		if s.section != "remote" || s.key != "url" || s.name == only {
			continue
		}
		if only != "" {
			return "origin"
		}
		only = s.name
	}
	if only == "" {
		return "origin"
	}
	return only
}

// addresses are the addresses of a remote; none if they are not known.
func (g *gitRemotes) addresses(name string, push bool) (list []string) {
	if name == "" {
		name = g.remote(push)
	}
	if g.value("remote", name, "vcs") != "" || g.value("remote", name, "proxy") != "" {
		return nil
	}
	urls := g.all("remote", name, "url")
	if urls == nil &&
		(g.isFile(g.common+"/remotes/"+name) || g.isFile(g.common+"/branches/"+name)) {
		return nil // the forms of old versions
	}
	if pushed := g.all("remote", name, "pushurl"); push && pushed != nil {
		urls, push = pushed, false // pushInsteadOf is not for these
	}
	if urls == nil && g.isFolder(name) {
		urls = []string{name}
	}
	if !push && len(urls) > 1 && g.all("remote", name, "pushurl") == nil {
		urls = urls[:1]
	}
	for _, url := range urls {
		changed, ok := g.instead(url, "pushinsteadof")
		if !push || !ok {
			changed, _ = g.instead(url, "insteadof")
		}
		list = append(list, changed)
	}
	return list
}

// instead applies the longest rule for the beginning of an address.
func (g *gitRemotes) instead(url, key string) (changed string, ok bool) {
	longest := ""
	changed = url
	for _, s := range g.settings {
		if s.section == "url" && s.key == key && s.value != "" &&
			strings.HasPrefix(url, s.value) && len(s.value) > len(longest) {
			longest, changed, ok = s.value, s.name+url[len(s.value):], true
		}
	}
	return changed, ok
}
