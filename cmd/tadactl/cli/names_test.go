package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/pathguard"
)

// said runs a verb and returns its status and everything that it printed.
func said(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var b bytes.Buffer
	c := &ctl{place: launcher.Place{State: filepath.Join(t.TempDir(), "state"),
		Account: t.TempDir()}, in: os.Stdin, out: &b, err: &b}
	root := c.command(nil)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	if err != nil {
		return c.report(err, cmd.CommandPath()), b.String()
	}
	return c.status, b.String()
}

// TestNamesPage: docs/seeds.md agrees with the table. After a change of the table, run it with
// UPDATE=1.
func TestNamesPage(t *testing.T) {
	page := filepath.Join("..", "..", "..", "docs", "seeds.md")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(namesPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || string(text) != namesPage() {
		t.Errorf("%v: run UPDATE=1 go test -run %s ./cmd/tadactl/cli", err, t.Name())
	}
}

// TestNames: each name in the documents works, or using it prints what to use instead, in the words
// of the page.
func TestNames(t *testing.T) {
	field := map[string]json.RawMessage{}
	text, _ := json.Marshal(entryOf(approval.Envelope{ID: "i", Payload: []byte("{}")}))
	if err := json.Unmarshal(text, &field); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, k := range pathguard.Keys() {
		keys[k.Name] = true
	}
	seen := map[string]int{}
	for _, n := range names() {
		seen[n.kind]++
		works := n.how == "works"
		if seen[n.kind+" "+n.name]++; seen[n.kind+" "+n.name] > 1 || n.say == "" ||
			!works && n.how != "instead" && n.how != "no" {
			t.Errorf("%+v stands twice or lacks a column", n)
		}
		switch n.kind {
		case "variable":
			t.Run(n.name, func(t *testing.T) {
				t.Setenv(n.name, "nonsense")
				status, out := said(t, "doctor")
				if works != (status == exit.Config) ||
					!works && !strings.Contains(out, n.name+" ") ||
					!works && !strings.Contains(out, n.say) {
					t.Errorf("doctor ends with %d:\n%s", status, out)
				}
			})
		case "key":
			file := filepath.Join(t.TempDir(), "config.yaml")
			section, name, nested := strings.Cut(n.name, ".")
			line := section + ": {" + name + ": 1}\n"
			if !nested {
				line = n.name + ": {}\n"
			}
			_ = os.WriteFile(file, []byte(line), 0o600)
			_, err := pathguard.Load(pathguard.Account{Home: "/home/dev", UID: os.Getuid()},
				pathguard.ConfigFile{Path: file, Layer: pathguard.UserLayer})
			if keys[n.name] != works ||
				!works && (err == nil || !strings.Contains(err.Error(), n.say)) {
				t.Errorf("%s: known %v: %v", n.name, keys[n.name], err)
			}
		case "field":
			if _, ok := field[n.name]; ok != works {
				t.Errorf("show --json has %s: %v", n.name, ok)
			}
		case "verb":
			args := strings.Fields(n.name)
			if works {
				args = append(args, "--help")
			}
			if status, out := said(t, args...); works && status != 0 ||
				!works && (status != exit.Usage || !strings.Contains(out, n.say)) {
				t.Errorf("tadactl %s ends with %d:\n%s", n.name, status, out)
			}
		case "flag":
			if status, out := said(t, "pending", n.name); status != exit.Usage ||
				!strings.Contains(out, n.say) {
				t.Errorf("%s ends with %d:\n%s", n.name, status, out)
			}
		case "platform":
			if works != strings.Contains(platform.Names(), n.name) {
				t.Errorf("platform %s", n.name)
			}
			if status, out := said(t, "hook", "status", n.name); !works &&
				(status != exit.Usage || !strings.Contains(out, n.say)) {
				t.Errorf("hook status %s ends with %d:\n%s", n.name, status, out)
			}
		case "tool", "error", "outcome", "action", "template", "uri", "file":
			if works && !inSource(t, n.name) {
				t.Errorf("%s %s works by the page, and nothing in the source has it", n.kind,
					n.name)
			}
		case "input":
		default:
			t.Errorf("kind %q", n.kind)
		}
	}
	if len(seen) < 100/2 {
		t.Errorf("only %d names", len(seen))
	}
}

// inSource reports whether the source, without tests and this table, has the name in quotes or in a
// template.
func inSource(t *testing.T, name string) bool {
	t.Helper()
	found := errors.New("found")
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".txt") ||
			strings.HasSuffix(path, "_test.go") || d.Name() == "names.txt" {
			return nil
		}
		if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte(name)) {
			return cmp.Or(err, found)
		}
		return nil
	})
	return errors.Is(err, found)
}

// namesPage is docs/seeds.md.
func namesPage() string {
	var b strings.Builder
	b.WriteString(`# Names in the documents that tada-run follows

The design documents that tada-run follows name variables, fields, verbs, keys and files. For each that
does not work, this page says what to use instead. STATE is the state directory, ~/.tada. ` + "`" + `tadactl doctor` + "`" + ` lists
variables that are set but ignored; an unsupported verb, flag, key or platform is answered with its line below. Names of
functions and of source files in other languages are not an interface, and are not listed.

This page is generated from cmd/tadactl/cli/names.txt: ` + "`" + `UPDATE=1 go test -run TestNamesPage ./cmd/tadactl/cli` + "`" + `.
`)
	kind := ""
	for _, n := range names() {
		if n.kind != kind {
			kind = n.kind
			fmt.Fprintf(&b, "\n## %s\n\n| name | | what to use, or what it is |\n|---|---|---|\n",
				strings.ToUpper(kind[:1])+kind[1:]+"s")
		}
		how := map[string]string{"works": "works", "instead": "use instead",
			"no": "not available"}[n.how]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", n.name, how, strings.ReplaceAll(n.say, "|", "\\|"))
	}
	return b.String()
}
