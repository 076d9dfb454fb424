// Package environ divides the caller's environment into what passes to a command and what does not,
// and what passes into what an approval depends on and what it does not. It is a pure function of
// the table of variables (shellparse/catalog/environ.txt).
//
// What passes is what is known to be harmless: a name of the table, or any other name whose value
// is too plain to be a credential; and what the user keeps by name, whatever it is. An approval
// depends on every variable that passes, for it may decide what the command does, except those that
// only say which call, window or terminal it is.
package environ

import (
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// ActsFirst reports whether a shell, or the loader of programs, acts on a variable before it runs
// what it is started for.
func ActsFirst(name string) bool { return catalog.Variable(name).Has("first") }

// An Environ is an environment, divided into what the command gets and what it does not.
type Environ struct {
	Kept    []string // NAME=value, in the caller's order, the last of each name
	Removed []string // names, sorted
}

// Scrub divides the caller's environment. Entries without "=" or with an empty name are removed: no
// shell could have made them.
func Scrub(caller, keep []string) Environ {
	var e Environ
	last := make(map[string]int, len(caller))
	for i, kv := range caller {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
			last[name] = i
		}
	}
	for i, kv := range caller {
		name, value, _ := strings.Cut(kv, "=")
		switch at, named := last[name]; {
		case !named || at != i:
		case listed(name, keep) || harmless(name, value):
			e.Kept = append(e.Kept, kv)
		default:
			e.Removed = append(e.Removed, name)
		}
	}
	slices.Sort(e.Removed)
	return e
}

// listed reports whether a list of names and prefixes holds the name.
func listed(name string, list []string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return isNamed(name, n) })
}

// isNamed reports whether an entry of a table, a name or a prefix with * behind it, means name.
func isNamed(name, entry string) bool {
	if last := len(entry) - 1; last >= 0 && entry[last] == '*' {
		return strings.HasPrefix(name, entry[:last])
	}
	return name == entry
}

// harmless reports whether a command gets a variable, by its entry in the table and by its value.
func harmless(name, value string) bool {
	e := catalog.Variable(name)
	if e.Has("removed", "secret", "caller") || namesSecret(name, e) || credential(value) {
		return false
	}
	switch {
	case e.Has("shown"):
		return shows(value)
	case e.Has("passes"):
		return true
	case e.Has("plain"):
		return plain(value)
	}
	return !e.Has("runs", "starts", "sources", "loads", "prompts", "options") && plain(value)
}

// namesSecret reports whether a variable has the name of a credential. The entry of the name itself
// knows better: GOPRIVATE is a list of modules.
func namesSecret(name string, e catalog.Entry) bool {
	return (e.Key != name || !e.Has("passes", "plain")) && catalog.SecretName(name)
}

// NamesSecret reports whether a text has the name or the value of a variable that has the name of a
// credential or contains one.
func NamesSecret(vars map[string]string, text string) bool {
	for name, value := range vars {
		if (strings.Contains(text, name) || value != "" && strings.Contains(text, value)) &&
			(namesSecret(name, catalog.Variable(name)) || credential(value)) {
			return true
		}
	}
	return false
}

// shows reports whether the value of a variable is an editor or a pager with options that make it
// nothing else, or that nothing is to be shown.
func shows(value string) bool {
	words := strings.Fields(value)
	if len(words) == 0 {
		return value == ""
	}
	dir, program := path.Split(words[0])
	ours := dir == "" || strings.HasPrefix(dir, "/") && listed(path.Clean(dir), programFolders)
	return ours && slices.Contains(showers, program) &&
		!slices.ContainsFunc(words[1:], func(option string) bool {
			return !slices.Contains(plainOptions, option) || option == "-S" && program != "less"
		})
}

// credential reports whether a value contains the shape of a secret: a key in PEM, a token with the
// mark of its issuer, a password in a URL.
func credential(value string) bool {
	if strings.Contains(value, "-----BEGIN ") {
		return true
	}
	for word := range pieces(value, " \t\n,;'\"=") {
		if len(word) > 12 && beginsLikeToken(word) {
			return true
		}
		if _, rest, ok := strings.Cut(word, "://"); ok {
			authority, _, _ := strings.Cut(rest, "/")
			if user, _, ok := cutLast(authority, "@"); ok && user != "" && user != "git" {
				return true
			}
		}
	}
	return false
}

// pieces returns what is between the separators, which are ASCII, but for what is empty.
func pieces(value, separators string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for value != "" {
			end := strings.IndexAny(value, separators)
			switch {
			case end < 0:
				yield(value)
				return
			case end > 0 && !yield(value[:end]):
				return
			}
			value = value[end+1:]
		}
	}
}

// beginsLikeToken reports whether a word begins with the mark of a token, and has 12 bytes more.
func beginsLikeToken(word string) bool {
	tokens := catalog.Tokens()
	for i := range tokens {
		mark := tokens[i].Mark
		if word[0] == mark[0] && strings.HasPrefix(word, mark) && len(word) >= len(mark)+12 {
			return true
		}
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// mixed is how many characters of a plain value may be in pieces that mix letters and digits:
// x86_64 and python3.11 need a few, the shortest tokens in use have 20.
const mixed = 18

// plain reports whether a value is numbers, words, paths or versions, and so no credential: a
// password that is a word of a dictionary passes, a random one does not.
func plain(value string) bool {
	left := mixed
	if paths(value) {
		left = len(value) // temporary directories have random names
	}
	for piece := range pieces(value, " /:;,.=_-+@%") {
		letters, digits := 0, 0
		for _, c := range []byte(piece) {
			switch {
			case 'a' <= c|0x20 && c|0x20 <= 'z':
				letters++
			case '0' <= c && c <= '9':
				digits++
			default:
				return false
			}
		}
		if letters > 0 && digits > 0 || letters > 24 || digits > 20 {
			if left -= len(piece); left < 0 {
				return false
			}
		}
	}
	return true
}

// paths reports whether a value is a list of absolute paths, by the look of them: a token may
// begin with a slash, but hardly with a short word between two.
func paths(value string) bool {
	for part := range strings.SplitSeq(value, ":") {
		top, _, more := strings.Cut(strings.TrimPrefix(part, "/"), "/")
		if !strings.HasPrefix(part, "/") || !more || len(top) > 12 ||
			strings.Trim(top, "abcdefghijklmnopqrstuvwxyzU") != "" {
			return false
		}
	}
	return true
}

// Vars is what was kept, as the shell would see it.
func (e Environ) Vars() map[string]string {
	vars := make(map[string]string, len(e.Kept))
	for _, kv := range e.Kept {
		name, value, _ := strings.Cut(kv, "=")
		vars[name] = value
	}
	return vars
}

// InDir is an environment in which PWD says where the command runs. An agent's program passes on
// the directory that it was started in itself, and a shell in between corrects it: the command gets
// the same through either.
func InDir(env []string, dir string) []string {
	if !filepath.IsAbs(dir) {
		return env
	}
	env = slices.DeleteFunc(slices.Clone(env),
		func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
	return append(env, "PWD="+dir)
}

// showers are editors and pagers, and the programs by which one says that there shall be none.
var showers = strings.Fields(`
	: true false none cat less more most lv ov moar moor bat batcat delta diff-so-fancy w3m
	vi vim vim.basic vim.tiny nvim view gvim mvim neovide nano pico micro hx helix kak ed joe jed ne mg mcedit emacs emacsclient
	code code-insiders codium cursor windsurf zed zeditor subl mate atom gedit kate kwrite mousepad pluma xed notepad idea pycharm goland webstorm rubymine clion phpstorm
	editor sensible-editor pager sensible-pager sensible-browser xdg-open open wslview firefox chromium google-chrome lynx links
`)

// plainOptions are those with which none of the showers reads another file, or takes for commands
// the one that it shows: with -S, vim does.
var plainOptions = strings.Fields(`
	-w --wait -W -n -nw -f --nofork --new-window --reuse-window +Man!
	-R -F -X -S -i -r -FR -FX -RX -RS -SR -iR -iRX -FRX -FRSX -FRXS -SRX -XRS -FRi -FRXi -FRXMK --no-init --RAW-CONTROL-CHARS --quit-if-one-screen --chop-long-lines -x4 -x8 --tabs=4
	--plain --paging=never --paging=always --side-by-side --line-numbers --dark --light --color-only --color=always --style=plain
`)

// programFolders are where programs lie that no command of an ordinary user has put there.
var programFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/usr/libexec", "/snap/bin",
	"/home/linuxbrew/.linuxbrew/bin", "/opt/homebrew/bin", "/opt/local/bin", "/nix/store/*",
	"/run/current-system/sw/bin"}
