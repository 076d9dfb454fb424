package pathguard

import (
	"os"
	"strings"
	"testing"
)

// spellings are ways to write a line that change nothing of what it does.
var spellings = []func(line string) string{
	func(l string) string { return l },
	func(l string) string { return "(" + l + "\n)" },
	func(l string) string { return "{ " + l + "\n}" },
	func(l string) string { return "true && " + l },
	func(l string) string { return "if true; then " + l + "\nfi" },
	func(l string) string { return "for i in 1; do " + l + "\ndone" },
	func(l string) string { return "f() { " + l + "\n}; f" },
	func(l string) string { return "sh -c " + singleQuoted(l) },
	func(l string) string { return "env bash -c " + singleQuoted(l) },
	func(l string) string { return "timeout 60 nohup bash -c " + singleQuoted(l) },
	func(l string) string { return "eval " + singleQuoted(l) },
	func(l string) string { return "bash <<'EOF'\n" + l + "\nEOF" },
	func(l string) string { return "echo " + singleQuoted(l) + " | bash" },
	func(l string) string { return "cat > s.sh <<'EOF'\n" + l + "\nEOF\nbash s.sh" },
	func(l string) string { return "x=" + singleQuoted(l) + "; bash -c \"$x\"" },
}

func singleQuoted(line string) string { return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'" }

// J3: what does the same gets the same verdict: whether the text is an argument, the value of an
// option, a file, standard input or a variable, whichever of several programs it is given to, and
// whatever is around it.
func TestTwins(t *testing.T) {
	t.Parallel()
	g, root := desk(t, "", "home/dev/.ssh/id_rsa", "home/dev/.bashrc", "w/a.txt")
	put(t, root, map[string]string{"w/drop.sql": "drop table t;\n", "w/flush.txt": "flushall\n",
		"w/source.sql": "source drop.sql\n", "w/drop.js": "db.dropDatabase()\n",
		"w/manage.py": "#!/usr/bin/env python3\n"})
	text, err := os.ReadFile("testdata/twins.txt")
	if err != nil {
		t.Fatal(err)
	}
	class, want, exact := "", Allow, false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		title, isTitle := strings.CutPrefix(line, "# ")
		switch {
		case line == "":
		case isTitle:
			var word string
			if class, word, isTitle = strings.Cut(title, ": "); isTitle {
				_ = want.UnmarshalText([]byte(word))
				exact = want == Allow
			}
		default:
			g.twin(t, class, line, want, exact)
		}
	}
}

func (g Guard) twin(t *testing.T, class, line string, want Decision, exact bool) {
	t.Helper()
	line = strings.ReplaceAll(line, "/home/dev", g.Caller.Home)
	for _, spelled := range spellings {
		text := spelled(line)
		r, err := g.AnalyzeShellCommand(text)
		if err != nil || r.Verdict > want || exact && r.Verdict != want {
			t.Errorf("%s: %q: %v (%v) %s", class, text, r.Verdict, err, r.Reason)
		}
	}
}
