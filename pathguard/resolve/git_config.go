package resolve

import "strings"

// A gitSetting is one value of git's settings (git-config(1)).
type gitSetting struct{ section, name, key, value string }

// gitSettings reads a file of settings.
func gitSettings(text string) (list []gitSetting) {
	section, name := "", ""
	text = strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			end := headerEnd(line)
			section, name = header(line[1:end])
			line = strings.TrimSpace(strings.TrimPrefix(line[end:], "]"))
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		list = append(list, gitSetting{section, name,
			strings.ToLower(strings.TrimSpace(key)), unquoted(strings.TrimSpace(value))})
	}
	return list
}

// headerEnd is where the bracket of a section's line closes, outside of quotes.
func headerEnd(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i
		}
	}
	return len(line)
}

// header is the name of a section: section, section "name", section.name.
func header(text string) (section, name string) {
	section, rest, quoted := strings.Cut(text, "\"")
	if quoted {
		return strings.ToLower(strings.TrimSpace(section)),
			unquoted(strings.TrimSuffix(rest, "\""))
	}
	section, name, _ = strings.Cut(strings.ToLower(strings.TrimSpace(text)), ".")
	return section, name
}

// unquoted is a value without its quotes, escapes and comment.
func unquoted(value string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && i+1 < len(value):
			i++
			b.WriteByte(value[i])
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// A gitRemotes is what git's settings say about remotes.
type gitRemotes struct {
	top      string // where git works, from which paths are meant
	branch   string // that is checked out; "" for none
	settings []gitSetting
	isFolder func(name string) bool
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
