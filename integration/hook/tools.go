package hook

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher"
)

// A builtin is what is known about a tool that several platforms have.
type builtin struct {
	use   launcher.Use
	path  string // the argument that names the file, or the directory to start from
	here  bool   // without it, the working directory is used
	glob  string // an argument with a pattern below path
	shell bool   // it runs the argument "command"
	patch bool   // it applies the argument "patch", which names the files itself
}

// builtins are the tools that are judged by what they do.
var builtins = map[string]builtin{
	"Bash":         {shell: true},
	"Read":         {use: launcher.Reads, path: "path"},
	"Grep":         {use: launcher.Searches, path: "path", here: true},
	"Glob":         {use: launcher.Lists, path: "path", here: true, glob: "pattern"},
	"LS":           {use: launcher.Lists, path: "path", here: true},
	"Write":        {use: launcher.Changes, path: "path"},
	"Edit":         {use: launcher.Changes, path: "path"},
	"MultiEdit":    {use: launcher.Changes, path: "path"},
	"NotebookEdit": {use: launcher.Changes, path: "path"},
	"Delete":       {use: launcher.Deletes, path: "path"},
	"apply_patch":  {patch: true},
}

// arg returns an argument of a built-in tool by its name in this package.
func (c Call) arg(name string) (string, bool) {
	return c.Args.Text(c.spelled(name))
}

func (c Call) spelled(name string) string {
	if own, ok := c.As.Names[name]; ok {
		return own
	}
	return name
}

// dir returns where a command runs: if a platform has an argument for it, the names call it "dir".
func (c Call) dir() string {
	own, known := c.As.Names["dir"]
	dir, sent := c.Args.Text(own)
	switch {
	case !known || !sent || dir == "":
		return c.Dir
	case path.IsAbs(dir):
		return dir
	}
	return path.Join(c.Dir, dir)
}

// access lists the names that a built-in file tool takes.
func (c Call) access(b builtin) ([]launcher.Access, error) {
	if b.patch {
		text, ok := c.arg("patch")
		if !ok {
			return nil, malformed("%s has no %s", c.Tool, c.spelled("patch"))
		}
		return patched(text)
	}
	names, ok := c.files(b)
	if !ok {
		return nil, malformed("%s has no %s that is a text", c.Tool, c.spelled(b.path))
	}
	var list []launcher.Access
	for _, name := range names {
		if name == "" && b.here {
			name = "."
		}
		for _, from := range c.starts(b, name) {
			a, err := named(b.use, from)
			if err != nil {
				return nil, err
			}
			list = append(list, a)
		}
	}
	return list, nil
}

// starts are the directories from which a tool searches: for patterns below dir, one or a list of
// them, where each begins; otherwise dir itself.
func (c Call) starts(b builtin, dir string) (list []string) {
	for _, pattern := range texts(c.Args[c.spelled(b.glob)]) {
		list = append(list, start(dir, pattern))
	}
	if len(list) == 0 {
		return []string{dir}
	}
	return list
}

// files returns the names that a file tool was given, one or a list of them, and whether they are
// valid: without any, the working directory, if that is what the tool then uses.
func (c Call) files(b builtin) (names []string, ok bool) {
	raw, sent := c.Args[c.spelled(b.path)]
	if !sent || string(raw) == "null" {
		return []string{""}, b.here
	}
	var one *string
	if json.Unmarshal(raw, &one) == nil && one != nil {
		return []string{*one}, true
	}
	var some []*string
	if json.Unmarshal(raw, &some) != nil || len(some) == 0 {
		return nil, false
	}
	for _, name := range some {
		if name == nil {
			return nil, false
		}
		names = append(names, *name)
	}
	return names, true
}

// start returns the directory in which a pattern below dir begins to search.
func start(dir, pattern string) string {
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		pattern = pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
	}
	if path.IsAbs(pattern) || strings.HasPrefix(pattern, "~") {
		return pattern
	}
	return dir + "/" + pattern
}

// named returns one name as the policy takes it. A URL is refused: it is unknown what a tool would
// do with it.
func named(use launcher.Use, name string) (launcher.Access, error) {
	if name == "" || strings.Contains(name, "://") {
		return launcher.Access{}, malformed("%q is not the name of a file", name)
	}
	return launcher.Access{Use: use, Path: name}, nil
}

// Arguments of unknown tools, by their names.
var (
	pathWords = []string{"path", "file", "dir", "directory", "folder", "filename", "notebook",
		"cwd", "root"}
	commandWords = []string{"command", "cmd", "commandline", "cmdline", "script", "shell", "bash",
		"sh", "exec", "argv"}
)

// looksLike reports whether one of the words in an argument's name is listed: file_path, filePath,
// paths.
func looksLike(name string, words []string) bool {
	spaced := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return ' '
		}
		return r
	}, name)
	var b strings.Builder
	for i, r := range spaced {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return slices.ContainsFunc(strings.Fields(strings.ToLower(b.String())), func(w string) bool {
		return slices.Contains(words, w) || slices.Contains(words, strings.TrimSuffix(w, "s"))
	})
}

// others returns the arguments as texts, for the person who is asked: for a tool that writes, what
// it writes.
func (c Call) others() map[string]string {
	texts := map[string]string{}
	for name, raw := range c.Args {
		if text, ok := c.Args.Text(name); ok {
			texts[name] = text
		} else {
			texts[name] = string(raw)
		}
	}
	delete(texts, c.spelled("path"))
	return texts
}

// guessed lists the file names that an unknown tool seems to take, as if it changed them.
func (c Call) guessed() []launcher.Access {
	var list []launcher.Access
	for _, name := range sorted(c.Args) {
		if !looksLike(name, pathWords) {
			continue
		}
		for _, text := range texts(c.Args[name]) {
			if a, err := named(launcher.Changes, text); err == nil {
				list = append(list, a)
			}
		}
	}
	return list
}

// commands returns the command lines that an unknown tool seems to run, anywhere in its arguments.
// A list is one command of several words, unless its name says that there are several: "commands".
func (c Call) commands() []string {
	var list []string
	for _, name := range sorted(c.Args) {
		var v any
		_ = json.Unmarshal(c.Args[name], &v) // it was read as JSON before
		list = append(list, commandsIn(name, v)...)
	}
	return list
}

func commandsIn(name string, v any) (list []string) {
	runs := looksLike(name, commandWords)
	switch v := v.(type) {
	case string:
		if runs && strings.TrimSpace(v) != "" {
			return []string{v}
		}
	case []any:
		words := make([]string, 0, len(v))
		for _, each := range v {
			if word, ok := each.(string); ok {
				words = append(words, word)
			} else {
				list = append(list, commandsIn(name, each)...)
			}
		}
		switch {
		case !runs || len(words) == 0:
		case strings.HasSuffix(strings.ToLower(name), "s"):
			list = append(list, words...)
		default:
			for i, word := range words {
				words[i] = quoteWord(word)
			}
			list = append(list, strings.Join(words, " "))
		}
	case map[string]any:
		for _, inner := range slices.Sorted(maps.Keys(v)) {
			list = append(list, commandsIn(inner, v[inner])...)
		}
	}
	return list
}

// texts returns a string, or the strings of a list.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var some []any
	_ = json.Unmarshal(raw, &some) // anything else has none
	var list []string
	for _, v := range some {
		if s, ok := v.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

func sorted(o Object) []string {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
