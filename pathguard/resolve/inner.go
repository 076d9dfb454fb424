package resolve

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// The bounds of what is read inside files. Beyond them a file is bound by its content and not
// judged: the sandbox contains it, as it contains a program in machine code.
const (
	maxInnerText  = 64 << 10 // of one file; generated ones (configure) are longer
	maxInnerDepth = 3        // npm script, shell script, what that calls
	maxInnerFiles = 16       // together
	maxInnerNames = 512      // targets of one file
)

// A reading is one text inside a file, before it is parsed.
type reading struct {
	lang  string // "sh" or a language of inlineCommands
	text  string
	lines []int // as in Inner
	name  string
	args  []shellparse.Word
	zsh   bool
	given map[string]bool // see givenTo
}

// Shells execute a file line by line; what is not here is another language.
var Shells = []string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"}

// inlineCommands take the text of a program as an argument: a file of it is read as if it
// had been given there.
var inlineCommands = map[string]string{"python": "python3 -c ", "javascript": "node -e ",
	"perl": "perl -e ", "ruby": "ruby -e ", "sql": "psql -c ", "mongo": "mongosh --eval "}

var interpreters = map[string]string{"python": "python", "python2": "python", "python3": "python",
	"node": "javascript", "nodejs": "javascript", "perl": "perl", "ruby": "ruby"}

// langOf reads the first line of a file that is executed. A text without one is given to the
// shell by execvp(3) and by every shell; anything with a zero byte is no text.
func langOf(text string) (lang string, zsh bool) {
	if !strings.HasPrefix(text, "#!") {
		if text == "" || strings.IndexByte(text, 0) >= 0 {
			return "", false
		}
		return "sh", false
	}
	base := path.Base(interpreter(text))
	if slices.Contains(Shells, base) {
		return "sh", base == "zsh"
	}
	return interpreters[base], false
}

// interpreter is the program that the first line of a file names, "" for none; of env(1), the one
// that it is to start.
func interpreter(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	words := strings.Fields(line)
	if !ok || len(words) == 0 {
		return ""
	}
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
		for len(words) > 1 && (strings.HasPrefix(words[0], "-") ||
			strings.Contains(words[0], "=")) {
			words = words[1:]
		}
	}
	return words[0]
}

// unknownArgs are added after the known arguments. How many arguments the file gets, and whether
// one is missing, would be certain only with the whole program around it: assumed empty, a missing
// "$1" would turn "$1/*" into "/*".
const (
	unknownArgs = 12
	unknownArg  = "tada_arg" // the variable that is none of them
)

// settledVars are the variables of the environment whose values a script takes for granted; all
// others are unknown, because an earlier part of the line, or an "if" in the script, may set them.
var settledVars = []string{"HOME", "USER", "LOGNAME", "TMPDIR"}

// parse reads the text as a separate script, started in dir.
func (rd *reading) parse(dir string, c *Caller) (s *shellparse.Script, skip int) {
	o := shellparse.Options{Dir: dir, Home: c.Home, Name: rd.name, Snapshots: c.Moved}
	if rd.zsh {
		o.Dialect = shellparse.Zsh
	}
	if rd.given != nil {
		o.Unset = func(name string) bool {
			_, inherited := c.Env[name]
			return !inherited && !rd.given[name] && name != unknownArg
		}
	}
	if rd.lang == "redis" {
		return shellparse.Parse(redisLines(rd.text), o), 0
	}
	if rd.lang != "sh" {
		text := rd.text
		if rd.lang == "javascript" && strings.HasPrefix(text, "#!") {
			// node passes over it in a file only
			text = "//" + text
		}
		for _, end := range []string{"\n__END__\n", "\n__DATA__\n"} {
			text, _, _ = strings.Cut(text, end)
		}
		return shellparse.Parse(inlineCommands[rd.lang]+quoted(text), o), 0
	}
	var b strings.Builder
	for _, name := range settledVars {
		if v, ok := c.Env[name]; ok && v != "" && len(v) < maxSettled {
			b.WriteString(name + "=" + quoted(v) + "; ")
		}
	}
	b.WriteString("set --")
	for _, w := range rd.args {
		if !w.Static {
			break
		}
		b.WriteString(" " + quoted(w.Text))
	}
	b.WriteString(strings.Repeat(` "$`+unknownArg+`"`, unknownArgs) + "; ")
	skip = b.Len()
	s = shellparse.Parse(b.String()+rd.text, o)
	return s, skip
}

// redisLines is a file of commands for redis-cli(1), as the lines that have them as arguments.
func redisLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			b.WriteString("redis-cli")
			for _, w := range words {
				b.WriteString(" " + quoted(w))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// maxSettled bounds a value that is put before a text: no path is longer.
const maxSettled = 4096

// quoted is text as one word of the shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// argsOf returns the words that a command hands to a file that it executes.
func argsOf(c *shellparse.Command, name string) []shellparse.Word {
	for i, w := range c.Args {
		if w.Static && w.Text == name {
			return c.Args[i+1:]
		}
	}
	return nil
}

// packageScripts are the commands of npm, pnpm, yarn and bun that run a package.json script of a
// fixed name.
var packageScripts = map[string][]string{
	"test": {"test"}, "t": {"test"}, "tst": {"test"}, "start": {"start"}, "stop": {"stop"},
	"restart": {"restart", "stop", "start"},
	"install": {"preinstall", "install", "postinstall", "prepare"},
	"i":       {"preinstall", "install", "postinstall", "prepare"},
	"ci":      {"preinstall", "install", "postinstall", "prepare"},
	"add":     {"preinstall", "install", "postinstall", "prepare"},
	"pack":    {"prepack", "prepare", "postpack"},
	"publish": {"prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"},
	"version": {"preversion", "version", "postversion"},
}

// packageReadings returns the scripts of a package.json that a command of npm or its like
// runs, with those before and after each.
func packageReadings(text string, c *shellparse.Command) []reading {
	verb, rest := firstWord(c.Args)
	names, known := packageScripts[verb]
	switch {
	case verb == "" && path.Base(c.Name) == "yarn":
		names = packageScripts["install"]
	case verb == "run" || verb == "run-script" || verb == "rum" || verb == "urn":
		verb, rest = firstWord(append([]shellparse.Word{{}}, rest...))
		names = []string{verb}
	case !known && path.Base(c.Name) != "npm": // the others take a script for a command
		names = []string{verb}
	}
	if len(names) == 0 || names[0] == "" {
		return nil
	}
	scripts := packageTexts(text)
	var out []reading
	for _, name := range names {
		for _, n := range []string{"pre" + name, name, "post" + name} {
			script := scripts[n]
			if script == "" {
				continue
			}
			if n == name {
				for _, w := range rest {
					if w.Static && w.Text != "--" {
						script += " " + quoted(w.Text)
					}
				}
			}
			at := 1 + strings.Count(text[:max(0, strings.Index(text, strconv.Quote(n)+":"))], "\n")
			lines := make([]int, 1+strings.Count(script, "\n"))
			for i := range lines {
				lines[i] = at
			}
			out = append(out, reading{lang: "sh", text: script, lines: lines, name: "sh"})
		}
	}
	return out
}

// packageTexts reads "scripts" as npm does: names in their exact case, the last of two that
// are equal, a byte order mark passed over, and what is no text left out by itself.
func packageTexts(text string) map[string]string {
	var file, raw map[string]json.RawMessage
	if json.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &file) != nil ||
		json.Unmarshal(file["scripts"], &raw) != nil {
		return nil
	}
	texts := make(map[string]string, len(raw))
	for name, value := range raw {
		var script string
		if json.Unmarshal(value, &script) == nil {
			texts[name] = script
		}
	}
	return texts
}

// valued are options of npm and similar programs whose value is the next word.
var valued = []string{"--prefix", "-C", "--dir", "--cwd", "--loglevel", "-w", "--workspace",
	"--filter", "-F", "--script-shell", "--registry", "--cache", "--userconfig"}

// firstWord returns the first word behind the program that is no option, and what follows it.
func firstWord(args []shellparse.Word) (string, []shellparse.Word) {
	for i, w := range args {
		switch {
		case i == 0:
		case i > 1 && args[i-1].Static && slices.Contains(valued, args[i-1].Text):
		case !w.Static:
			return "", nil
		case !strings.HasPrefix(w.Text, "-"):
			return w.Text, args[i+1:]
		}
	}
	return "", nil
}
