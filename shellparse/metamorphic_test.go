package shellparse_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// These tests need no expected result: they change a line in a way that bash does not
// notice, or that bash makes data of, and compare two readings.

var metamorphicShell = shellparse.Options{
	Dir: "/w", Home: "/home/dev", Name: "bash",
	Vars: map[string]string{"HOME": "/home/dev", "PATH": "/usr/bin:/bin", "USER": "dev",
		"PWD": "/w", "LANG": "C.UTF-8"},
}

// corpusLines are the lines of the development corpus, hostile and benign.
func corpusLines(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"hostile", "benign"} {
		data, err := os.ReadFile("../integration/testdata/corpus/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var l struct{ Cmd string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			out = append(out, l.Cmd)
		}
	}
	return out
}

// single quotes a text for bash.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// A change is a way to write a line so that bash does at least the same.
type change struct {
	name string
	// only for one simple command of literal words that is a program: env cannot start a builtin
	plain bool
	make  func(line string, argv []string) string
}

var changes = []change{
	{"bash -c", false, func(l string, _ []string) string { return "bash -c " + single(l) }},
	{"env bash -c", false, func(l string, _ []string) string {
		return "env OTHER=1 bash -c " +
			single(l)
	}},
	{"timeout bash -c", false, func(l string, _ []string) string {
		return "timeout 5 bash -c " +
			single(l)
	}},
	{"bash -c twice", false, func(l string, _ []string) string {
		return "bash -c " +
			single("bash -c "+single(l))
	}},
	{"eval", false, func(l string, _ []string) string { return "eval " + single(l) }},
	{"here-string", false, func(l string, _ []string) string { return "bash <<< " + single(l) }},
	{"base64", false, func(l string, _ []string) string {
		return "echo " + base64.StdEncoding.EncodeToString([]byte(l)) + " | base64 -d | bash"
	}},
	{"xxd", false, func(l string, _ []string) string {
		return "printf %s " + hex.EncodeToString([]byte(l)) + " | xxd -r -p > f; bash f"
	}},
	{"group", false, func(l string, _ []string) string { return "{ " + l + "\n}" }},
	{"subshell", false, func(l string, _ []string) string { return "(" + l + "\n)" }},
	{"if", false, func(l string, _ []string) string { return "if true; then " + l + "\nfi" }},
	{"and", false, func(l string, _ []string) string { return "true && { " + l + "\n}" }},
	{"function", false, func(l string, _ []string) string {
		return "wrapped() { " + l +
			"\n}; wrapped"
	}},
	{"substitution", false, func(l string, _ []string) string {
		return "echo \"$( " + l +
			"\n)\""
	}},
	{"sixty true", false, func(l string, _ []string) string {
		return strings.Repeat("true; ", 60) +
			l
	}},
	{"after a comment", false, func(l string, _ []string) string { return "# nothing\n" + l }},
	{"background", false, func(l string, _ []string) string { return "{ " + l + "\n} & wait" }},
	{"env", true, func(l string, _ []string) string { return "env OTHER=1 " + l }},
	{"timeout", true, func(l string, _ []string) string { return "timeout 5 " + l }},
	{"nice env -i", true, func(l string, _ []string) string { return "nice -n 5 env -i " + l }},
	{"nohup", true, func(l string, _ []string) string { return "nohup " + l }},
	{"xargs", true, func(l string, _ []string) string { return "xargs " + l + " < /dev/null" }},
	{"single quotes", true, func(_ string, w []string) string { return each(w, single) }},
	{"double quotes", true, func(_ string, w []string) string { return each(w, double) }},
	{"ANSI-C quotes", true, func(_ string, w []string) string { return each(w, ansi) }},
	{"backslashes", true, func(_ string, w []string) string { return each(w, escaped) }},
	{"halves", true, func(_ string, w []string) string { return each(w, halves) }},
	{"continued", true, func(_ string, w []string) string {
		return strings.Join(strings.Fields(each(w, func(s string) string { return single(s) })),
			" \\\n ")
	}},
	{"variables", true, func(_ string, w []string) string {
		var b strings.Builder
		for i, s := range w {
			fmt.Fprintf(&b, "v%d=%s; ", i, single(s))
		}
		for i := range w {
			fmt.Fprintf(&b, "\"$v%d\" ", i)
		}
		return b.String()
	}},
	{"array", true, func(_ string, w []string) string {
		return "a=(" + each(w, single) +
			"); \"${a[@]}\""
	}},
	{"positional", true, func(_ string, w []string) string {
		return "set -- " + each(w, single) +
			"; \"$@\""
	}},
}

func each(words []string, f func(string) string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = f(w)
	}
	return strings.Join(out, " ")
}

func double(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s) + `"`
}

func ansi(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		fmt.Fprintf(&b, `\x%02x`, s[i])
	}
	return b.String() + "'"
}

func escaped(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for _, c := range s {
		if c == '\n' {
			b.WriteString("'\n'")
			continue
		}
		b.WriteByte('\\')
		b.WriteRune(c)
	}
	return b.String()
}

func halves(s string) string {
	i := len(s) / 2
	for i > 0 && s[i]&0xc0 == 0x80 {
		i--
	}
	return single(s[:i]) + double(s[i:])
}

// readable reports whether every word can stand between blanks in a line of text.
func readable(words []string) bool {
	for _, w := range words {
		if strings.ContainsAny(w, "\n\t ") || w == "" {
			return false
		}
	}
	return true
}

// absolute is a name of an effect as it counts: what it starts from is put before it.
func absolute(n shellparse.Name) string {
	s := n.Text
	if !strings.HasPrefix(s, "/") && n.Dir != "" && n.User == "" {
		s = n.Dir + "/" + s
	}
	return n.User + ":" + path.Clean(s)
}

// weaker says what the changed script leaves out, or "".
func weaker(base, changed *shellparse.Script) string {
	if changed.Err != nil {
		return ""
	}
	worst := shellparse.InData + 1
	for _, o := range changed.Opaque {
		worst = min(worst, o.Place)
	}
	if worst <= shellparse.InCode {
		return "" // the worst that can be said: code that is not known
	}
	for _, e := range base.Effects {
		if e.Flags&command.Possible != 0 || e.Right == command.Exec ||
			e.Right == command.Read && e.Flags&command.Source != 0 {
			// quoting can turn a keyword into a program, and a wrapper can drop a shell's own
			// reading
			continue
		}
		if !hasEffect(changed, e) {
			return fmt.Sprintf("effect %d %d %q %+v", e.Right, e.Flags, absolute(e.Name), e.Net)
		}
	}
	for _, h := range base.Hazards {
		found := false
		for _, o := range changed.Hazards {
			found = found || o.Rule == h.Rule && o.Risk >= h.Risk
		}
		if !found {
			return "hazard " + h.Rule
		}
	}
	for _, o := range base.Opaque {
		if worst > o.Place && o.Place != shellparse.InData {
			return fmt.Sprintf("opaque place %d: %s", o.Place, o.Why)
		}
	}
	for _, c := range base.Commands {
		if !hasCommand(changed, c) {
			return "command " + c.Name
		}
	}
	return ""
}

func hasEffect(s *shellparse.Script, e shellparse.Effect) bool {
	for _, o := range s.Effects {
		if o.Right != e.Right || o.Flags&e.Flags != e.Flags {
			continue
		}
		if e.Net != nil {
			if o.Net != nil && o.Net.Host == e.Net.Host && o.Net.Port == e.Net.Port &&
				(o.Net.Upload || !e.Net.Upload) {
				return true
			}
			continue
		}
		if absolute(o.Name) == absolute(e.Name) {
			return true
		}
	}
	return false
}

func hasCommand(s *shellparse.Script, c shellparse.Command) bool {
	for _, o := range s.Commands {
		if o.Name == c.Name && len(o.Args) >= min(len(c.Args), 1) && (c.ReadOnly || !o.ReadOnly) {
			return true
		}
	}
	return false
}

// shards is into how many parallel parts the corpus is cut.
const shards = 4

// eachPair calls f with every line of the corpus and every number below n: with -all, or else
// with one pair in several, so that each number meets lines of every kind, since a kind has
// dozens of lines; with -short with a tenth of these.
func eachPair(t *testing.T, n, several int, f func(t *testing.T, line string, j int)) {
	lines := corpusLines(t)
	if testing.Short() {
		several *= 10
	}
	for part := range shards {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for i := part; i < len(lines); i += shards {
				for j := range n {
					if shellparse.All() || (i/shards+j)%several == 0 {
						f(t, lines[i], j)
					}
				}
			}
		})
	}
}

// TestChangedLinesAreNotWeaker wraps, re-quotes and continues every line of the corpus.
func TestChangedLinesAreNotWeaker(t *testing.T) {
	t.Parallel()
	eachPair(t, len(changes), 8, func(t *testing.T, line string, j int) {
		c := changes[j]
		base := shellparse.Parse(line, metamorphicShell)
		switch {
		case base.Err != nil:
			return
		case c.plain && (!base.Plain || strings.Contains(base.Argv[0], "=") ||
			base.Commands[0].Builtin || !readable(base.Argv) && strings.Contains(line, "\n")):
			return
		case c.name == "continued" && !readable(base.Argv):
			return
		case c.name == "nice env -i" && strings.Contains(line, "$"):
			return // without HOME it is another name
		case c.name == "function" && strings.Contains(line, "local "):
			return // outside of a function it fails
		case slices.Contains([]string{"here-string", "base64", "xargs"}, c.name) &&
			slices.ContainsFunc(base.Opaque,
				func(o shellparse.Opaque) bool {
					return strings.Contains(o.Why,
						"standard input")
				}):
			return // there its input is known: the rest of the text, or nothing
		}
		text := c.make(line, base.Argv)
		if got := weaker(base, shellparse.Parse(text, metamorphicShell)); got != "" {
			t.Errorf("%s loses %s\n  line %q\n  as   %q", c.name, got, line, text)
		}
	})
}

// asData are the ways to make a text data: nothing in it is executed.
var asData = []change{
	{"echo", false, func(l string, _ []string) string { return "echo " + single(l) }},
	{"echo in double quotes", false, func(l string, _ []string) string {
		return "echo " +
			double(l)
	}},
	{"printf", false, func(l string, _ []string) string { return "printf '%s\\n' " + single(l) }},
	{"colon", false, func(l string, _ []string) string { return ": " + single(l) }},
	{"here-document", false, func(l string, _ []string) string {
		return "cat <<'NEVER_IN_IT'\n" +
			l + "\nNEVER_IN_IT"
	}},
	{"here-string", false, func(l string, _ []string) string { return "wc -c <<< " + single(l) }},
	{"assignment", false, func(l string, _ []string) string {
		return "x=" + single(l) +
			"; echo \"$x\""
	}},
	{"grep", false, func(l string, _ []string) string {
		return "echo a | grep -F -e " +
			single(l)
	}},
	{"comment", false, func(l string, _ []string) string {
		return "echo a # " + strings.ReplaceAll(strings.ReplaceAll(l, "\n", " "), `\`, "/")
	}},
	{"test", false, func(l string, _ []string) string { return "[ a = " + single(l) + " ]" }},
}

// TestDataHasNoEffects puts every line of the corpus where it is only text.
func TestDataHasNoEffects(t *testing.T) {
	t.Parallel()
	eachPair(t, len(asData), 3, func(t *testing.T, line string, j int) {
		c := asData[j]
		switch {
		case len(shellparse.Parse("echo "+single(line), metamorphicShell).Marks) > 0,
			strings.Contains(line, "\r"), strings.Contains(line, "$\\\n"):
			return // bytes that are refused wherever they stand
		case c.name == "echo in double quotes" && strings.Contains(line, "!"):
			return
		}
		text := c.make(line, nil)
		s := shellparse.Parse(text, metamorphicShell)
		switch {
		case s.Err != nil:
			t.Errorf("%s: %q: %v", c.name, text, s.Err)
		case len(s.Effects) > 0:
			t.Errorf("%s: %q: effect %d %+v", c.name, text, s.Effects[0].Right, s.Effects[0].Name)
		case len(s.Hazards) > 0:
			t.Errorf("%s: %q: hazard %s", c.name, text, s.Hazards[0].Rule)
		case len(s.Opaque) > 0:
			t.Errorf("%s: %q: opaque %s: %s", c.name, text, s.Opaque[0].Text, s.Opaque[0].Why)
		case len(s.Codes) > 0:
			t.Errorf("%s: %q: code in %s", c.name, text, s.Codes[0].Lang)
		}
	})
}
