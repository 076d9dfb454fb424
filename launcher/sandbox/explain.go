package sandbox

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Denial says why the sandbox refused something, and the smallest change by which it would not.
type Denial struct {
	Object string // the path, or what was tried: "network", "unix socket"
	// the part of the profile that decides, as Profile.Text has it, or what is missing from it
	Rule   string
	Change string // the smallest change, as a line of the profile; "" when no profile allows it
}

// String says it in one line.
func (d Denial) String() string {
	text := fmt.Sprintf("%s: blocked by the sandbox: %s", d.Object, d.Rule)
	if d.Change == "" {
		return text + "; no profile can allow it"
	}
	return text + "; to allow it: " + d.Change
}

// Access is what was tried with a file.
type Access string

// The accesses.
const (
	Reading   Access = "read"
	Writing   Access = "write"
	Executing Access = "execute"
)

// Explain returns why the profile does not let name, which is absolute with links resolved, be
// accessed so; ok is false when it does, and then the refusal came from elsewhere: the mode of the
// file, or the program itself. It looks at the profile and at nothing else.
func (p Profile) Explain(name string, access Access) (d Denial, ok bool) {
	name = filepath.Clean(name)
	d = Denial{Object: fmt.Sprintf("%s %q", access, name)}
	if hidden := innermost(p.Hide, name); hidden != "" && !p.reveals(hidden, name, access) {
		d.Rule, d.Change = fmt.Sprintf("hide %q", hidden), fmt.Sprintf("no hide for %q", name)
		return d, true
	}
	kept := innermost(p.ReadOnly, name)
	if access == Writing && kept != "" {
		d.Rule, d.Change = fmt.Sprintf("keep %q", kept), fmt.Sprintf("no keep for %q", name)
		return d, true
	}
	if p.PrivateTmp && inside(tempNames, name) && !p.brought(name, access) {
		d.Rule, d.Change = "private-tmp", fmt.Sprintf("%s %q", access.word(), name)
		return d, true
	}
	if access == Writing && p.View != nil && inside(p.View.Dirs, name) && !p.brought(name, access) {
		return Denial{}, false // only the broker knows whose it is
	}
	switch {
	case covered(p.Write, name, access == Executing),
		covered(p.Devices, name, false) && access != Executing:
		return Denial{}, false
	case access != Writing && covered(p.Read, name, access == Executing) && !p.device(name):
		return Denial{}, false
	}
	d.Rule, d.Change = "no rule allows it", fmt.Sprintf("%s %q", access.word(), name)
	if p.device(name) {
		d.Change = fmt.Sprintf("device %q", name)
	}
	return d, true
}

// within reports whether name is root or is below it. Both are clean and absolute.
func within(name, root string) bool {
	return name == root || root == "/" || strings.HasPrefix(name, root) && name[len(root)] == '/'
}

// tempNames are where temporary files go by default, and what PrivateTmp replaces.
var tempNames = []string{"/tmp", "/var/tmp"}

// inside reports whether name is in one of the trees.
func inside(trees []string, name string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return within(name, tree) })
}

// brought reports whether a tree of the profile in temporary files holds name.
func (p Profile) brought(name string, access Access) bool {
	holds := func(list []Path) bool {
		return slices.ContainsFunc(list, func(r Path) bool {
			return within(name, r.Name) && inside(tempNames, r.Name) &&
				!slices.Contains(tempNames, r.Name)
		})
	}
	return holds(p.Write) || access != Writing && holds(p.Read)
}

func (a Access) word() string {
	if a == Writing {
		return "write"
	}
	return "read"
}

// device reports whether name is a device that no readable tree above /dev includes.
func (p Profile) device(name string) bool {
	return within(name, "/dev") && !within(name, "/dev/shm") &&
		!slices.ContainsFunc(p.Read,
			func(r Path) bool { return within(r.Name, "/dev") && within(name, r.Name) })
}

// reveals reports whether something inside a hidden tree is allowed again.
func (p Profile) reveals(hidden, name string, access Access) bool {
	holds := func(list []Path) bool {
		return slices.ContainsFunc(list,
			func(r Path) bool { return within(r.Name, hidden) && within(name, r.Name) })
	}
	return holds(p.Write) || access != Writing && holds(p.Read)
}

// covered reports whether name is in a tree of the list.
func covered(list []Path, name string, exec bool) bool {
	return slices.ContainsFunc(list,
		func(p Path) bool { return within(name, p.Name) && !(exec && p.NoExec) })
}

// innermost returns the longest of names that contains name.
func innermost(names []string, name string) (found string) {
	for _, n := range names {
		if within(name, n) && len(n) > len(found) {
			found = n
		}
	}
	return found
}

// complaints are how programs say that they were refused. The first group of each is the name. They
// are ours to read and no promise, so what they lead to is a hint: the process that can print
// to the terminal can make one appear. They are text until they are needed: compiling them takes
// longer than starting a command.
var complaints = []struct {
	pattern string
	access  Access // "" when the message does not tell
}{
	{`(?:cannot|can't) (?:create|touch|remove|make|overwrite|write|move|rename|unlink|set|change)[^'"‘` + "`" + `:]*['"‘` + "`" + `]([^'"’]+)['"’](?:.*)?: (?:Permission denied|Read-only file system|Operation not permitted|Device or resource busy)`, Writing},
	{`(?:(?:changing|setting|preserving) \w+ (?:of|for)|failed to (?:create|preserve|set)[^'"‘]*) ['"‘]([^'"’]+)['"’].*: (?:Permission denied|Read-only file system|Operation not permitted)`, Writing},
	{`(?:cannot|can't) (?:open|access|stat|read)[^'"‘` + "`" + `:]*['"‘` + "`" +
		`]([^'"’]+)['"’](?:.*)?: (?:Permission denied|Operation not permitted)`, Reading},
	{`(?:Permission denied|Operation not permitted|Read-only file system|EACCES|EPERM|EROFS)[^'"\n]*['"]([^'"\n]+)['"]`, ""},
	{`(?:open|mkdir|rename|unlink|remove|rmdir|chmod|symlink|link) (/[^:\n]+): (?:permission denied|operation not permitted|read-only file system)`, ""},
	// ssh goes on with (publickey)
	{`(?:^|[: ])((?:/|\./|\.\./|~)?[^\s:'"]+): (?:Permission denied|Read-only file system|Operation not permitted)(?: at |\.?$)`, ""},
}

// calls are refusals that name no file. The first match is used, so more specific ones come first.
var calls = []struct {
	pattern string
	denial  Denial
	caused  func(Profile) bool // by the profile; nil where every profile does
}{
	{
		`(?i)file size limit exceeded|file too large`,
		Denial{"a larger file", "limits.file_size", "limits.file_size"},
		func(p Profile) bool { return p.Limits.FileSize != 0 },
	},
	{
		`(?i)\bfork(?:\(\))?\b.*resource temporarily unavailable|cannot fork\b|BlockingIOError: \[Errno 11\]` +
			`|can't (?:start new|create) thread|failed to create new OS thread|spawn\w* .*\bEAGAIN\b` +
			`|pthread_create.*(?:fail|resource temporarily unavailable)`,
		Denial{"another process", "limits.processes", "limits.processes"},
		func(p Profile) bool { return p.Limits.Processes != 0 },
	},
	{
		`(?i)cannot connect to the docker daemon|docker\.sock|connect: permission denied.*unix` +
			`|unix socket.*(?:denied|not permitted)|dial unix|error connecting to /tmp/tmux` +
			`|could not open a connection to your authentication agent`,
		Denial{"Unix socket", "commands cannot connect to programs outside with this network", ""},
		func(p Profile) bool { return p.Network != Hosts }, // where the broker knows which it was
	},
	{
		`(?i)could not resolve host|temporary failure in name resolution|name or service not known` +
			`|network is unreachable|EAI_AGAIN|ENETUNREACH|getaddrinfo` +
			`|lookup [^ ]+.*(?:no such host|denied)|(?:dial|listen) (?:tcp|udp).*(?:denied|unreachable|refused)` +
			`|(?:\bsocket(?:\(\))?:|/dev/(?:tcp|udp)/|cannot open netlink).*(?:denied|not permitted)` +
			`|_socket\.socket\.__init__|\b(?:listen|connect) EACCES`,
		Denial{"network", "network off", "network full"},
		func(p Profile) bool { return p.Network == Off },
	},
	{
		`(?i)ptrace.*(?:not permitted|denied)|could not trace|LeakSanitizer has encountered a fatal error`,
		Denial{"ptrace", "no debug", "debug"},
		func(p Profile) bool { return !p.Debug },
	},
	{
		`(?i)^(?:unshare|bwrap|newuidmap|chroot|mount|umount): .*(?:operation not permitted|permission denied)`,
		Denial{"namespaces and mounts", "the sandbox cannot be changed from inside", ""}, nil,
	},
	{
		`(?i)/dev/ptmx|openpty|forkpty|out of pty devices|failed to create pseudo-terminal`,
		Denial{"new terminals", "no terminals", "terminals"},
		func(p Profile) bool { return !p.Terminals },
	},
}

// setIDBits explains a refused chmod of a file that may be written.
var setIDBits = struct {
	pattern string
	denial  Denial
}{`changing permissions of .*: Operation not permitted`,
	Denial{"set-uid and set-gid bits", "commands cannot make set-uid or set-gid files", ""}}

// unnamed is a refusal whose message says neither what nor where. It is used when nothing else
// matches.
var unnamed = struct {
	pattern string
	denial  Denial
}{
	`(?i)^(?:[\w.]*error: )?(?:\[Errno (?:1|13)\] )?(?:permission denied|operation not permitted)\.?$`,
	Denial{"a system call that the message does not name",
		"commands cannot connect to other programs' sockets, mount, or access other processes", ""},
}

// Unnamed reports whether the message that led here says neither what was refused nor where.
func (d Denial) Unnamed() bool { return d == unnamed.denial }

// maxExplained bounds the denials of one run, and maxTold how much of what it said is looked at:
// people read the first few.
const (
	maxExplained = 5
	maxTold      = 64 << 10
	maxLine      = 4 << 10
)

// ExplainOutput reads what a command that failed has said, most of all on its standard error, and
// returns the refusals in it that the profile accounts for, in their order, each once. dir is the
// directory that it ran in. A guess from words: for people, not for decisions.
func (p Profile) ExplainOutput(said, dir string) []Denial {
	said = said[max(0, len(said)-maxTold):]
	files, others := make([]*regexp.Regexp, len(complaints)), make([]*regexp.Regexp, len(calls))
	for i := range complaints {
		files[i] = regexp.MustCompile(complaints[i].pattern)
	}
	for i := range calls {
		others[i] = regexp.MustCompile(calls[i].pattern)
	}
	setIDs, bare, silent := regexp.MustCompile(setIDBits.pattern),
		regexp.MustCompile(unnamed.pattern), false
	var list []Denial
	add := func(d Denial) {
		if len(list) < maxExplained && !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if len(line) > maxLine {
			continue
		}
		found := false
		for i, c := range calls {
			found = others[i].MatchString(line)
			if found && (c.caused == nil || c.caused(p)) {
				add(c.denial)
			}
			if found {
				break
			}
		}
		if found {
			continue
		}
		if d, ok := p.explainLine(files, line, dir); ok {
			add(d)
		} else if setIDs.MatchString(line) {
			add(setIDBits.denial)
		}
		silent = silent || bare.MatchString(line)
	}
	if len(list) == 0 && silent {
		add(unnamed.denial)
	}
	return list
}

// quotes surround names in messages.
const quotes = "'\"`‘’“”"

// explainLine finds a file in one line and says why it was refused.
func (p Profile) explainLine(patterns []*regexp.Regexp, line, dir string) (Denial, bool) {
	for i, c := range complaints {
		m := patterns[i].FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.Trim(m[1], quotes)
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		tries := []Access{c.access}
		if c.access == "" {
			tries = []Access{Reading, Writing}
		}
		for _, access := range tries {
			if d, ok := p.Explain(name, access); ok {
				return d, true
			}
		}
	}
	return Denial{}, false
}
