package integration

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// hint finds the command about protected files in a message.
var hint = pattern(`tadactl tamper [a-z]+[^'"\x60;,()\n]*`)

// U7: every command about protected files in a message does, exactly as it is printed, what the
// message says. The messages come from situations; the test checks against the source that none is
// missing.
func TestTamperHintsWork(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	// a name that a shell would split into two words
	p.state = filepath.Join(filepath.Dir(p.dir), "the state")
	for i, v := range p.env {
		if strings.HasPrefix(v, "TRANSCRIPT_HOME=") {
			p.env[i] = "TRANSCRIPT_HOME=" + p.state
		}
	}
	p.run(`mkdir -m 700 "$TRANSCRIPT_HOME"; printf 'security: {tamper_proof: true, protect: ["*.md"]}\n' > "$TRANSCRIPT_HOME/config.yaml"
		chmod 600 "$TRANSCRIPT_HOME/config.yaml"; echo one > TODO.md; echo one > 'b c.md'; tada-run ls`)
	one, two := "echo x >> TODO.md; ", "echo x >> TODO.md; echo x >> 'b c.md'; "
	config := `echo '# mine' >> "$TRANSCRIPT_HOME/config.yaml"; `
	loose := `sed -i s/true/false/ "$TRANSCRIPT_HOME/config.yaml"; `
	settle := `(printf 'security: {tamper_proof: true, protect: ["*.md"]}\n' > "$TRANSCRIPT_HOME/config.yaml"; chmod 600 "$TRANSCRIPT_HOME/config.yaml"
		tadactl tamper accept; tada-run ls) >/dev/null 2>&1; `
	ends := map[string]string{"diff": "status 77\nthen 77", "status": "status 77\nthen 77",
		"accept": "status 0\nthen 0", "restore": "status 0\nthen 0", "log": "status 0"}
	ran := map[string]bool{}
	for _, situation := range []string{
		two + "tada-run ls", config + "tada-run ls",
		two + loose + "tada-run ls; tadactl tamper status",
		"export LANG=zh_CN.UTF-8; " + two + loose + "tada-run ls",
		one + "tada-run --check ls; tadactl tamper diff", two + "tadactl tamper diff 'b c.md'",
		"tada-run --force ls", two + "tadactl tamper accept nothing --reason x",
		loose + "(tada-run ls; tadactl tamper accept) >/dev/null 2>&1; " + one + "tada-run ls",
		one + "tadactl tamper diff; " + one + "tadactl tamper accept TODO.md --digest 0123456789ab",
		`ln -sf "$PWD/TODO.md" "$TRANSCRIPT_HOME/config.yaml"; EDITOR=true tadactl policy edit; rm "$TRANSCRIPT_HOME/config.yaml"; ` + config,
		// the last one: nothing repairs it
		`for f in "$TRANSCRIPT_HOME"/shadow/*/manifest; do echo x > "$f"; done; tada-run ls`,
	} {
		printed := p.answered(settle + situation)
		said := hint().FindAllString(printed, -1)
		for i := range said {
			said[i] = strings.TrimRight(said[i], " .\r")
		}
		slices.Sort(said)
		for _, command := range slices.Compact(said) {
			ran[command] = true
			if strings.Contains(situation, "--force") {
				situation = one // it is refused whatever was changed
			}
			out := p.answered(settle + "(" + situation + ") >/dev/null 2>&1; " + command +
				"; echo status $?; tada-run ls >/dev/null 2>&1; echo then $?")
			want := ends[strings.Fields(command)[2]]
			if strings.HasSuffix(command, "tamper_proof") {
				want = "status 0" // which is about the setting alone
			}
			if !strings.Contains(out, want) || want == "" {
				t.Errorf("after %q, %q: no %q: %s\nit was told to: %s", situation, command, want,
					out, printed)
			}
		}
	}
	for command, where := range hintsInSource(t) {
		if !ran[command] {
			t.Errorf("%s: no situation of this test makes anything print %q", where, command)
		}
	}
}

// hintsInSource are the commands about protected files in the strings of the product.
func hintsInSource(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "tadactl tamper ") {
			return err
		}
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Errorf("%s: %v", files.Position(lit.Pos()), err)
			}
			for _, command := range hint().FindAllString(s, -1) {
				command, _, _ = strings.Cut(strings.TrimRight(command, " ."), ". ")
				if strings.HasSuffix(command, "tamper accept %s") ||
					strings.HasSuffix(s, "tadactl tamper accept ") {
					// the only name that is put into one
					command = "tadactl tamper accept security.tamper_proof"
				}
				found[command] = fmt.Sprint(files.Position(lit.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
