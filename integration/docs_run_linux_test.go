package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docsPlace is a workspace, a git repository in a home of its own, and a function that runs a
// command there.
func docsPlace(t *testing.T) func(string) string {
	t.Helper()
	dir := t.TempDir()
	begin(t, dir)
	key := filepath.Join(dir, ".ssh", "id_ed25519")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, []byte("a key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR",
		"QWEN_HOME", "COPILOT_HOME"} {
		t.Setenv(name, "")
	}
	run := shellIn(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tada-run", "tadactl"} {
		// each looks for the other beside itself, through every link
		path := filepath.Join(dir, "bin", name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := linkOrCopy(self, path); err != nil {
			t.Fatal(err)
		}
	}
	run("git init -q .")
	return run
}

// failed matches what tadactl prints when it does not do what was typed.
var failed = regexp.MustCompile(`(?m)^tadactl: [^o]|^tadactl: o[^l]`) // not "older runs are ..."

// TestDocsRun types what the pages tell the reader to type, each page in a new account, and
// compares what is printed. See TestReadmeDemo.
func TestDocsRun(t *testing.T) {
	for name, page := range pages(t) {
		var blocks []string
		for _, b := range blocksOf(t, page) {
			if b.language == "console" {
				blocks = append(blocks, b.text)
			}
		}
		if len(blocks) == 0 {
			continue
		}
		t.Run(strings.TrimSuffix(name, ".md"), func(t *testing.T) {
			place := docsPlace(t)
			run := func(command string) string {
				out := place(command)
				if failed.MatchString(out) {
					t.Errorf("$ %s\n%s", command, out)
				}
				return out
			}
			perform(t, run, strings.Join(blocks, ""))
		})
	}
}

// TestDocsConfigurations: what a page shows as a configuration is one.
func TestDocsConfigurations(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := shellIn(t, dir)
	n := 0
	for name, page := range pages(t) {
		for _, b := range blocksOf(t, page) {
			if b.language != "yaml" {
				continue
			}
			n++
			state := filepath.Join(dir, fmt.Sprint(n))
			if err := os.Mkdir(state, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(state, "config.yaml"), []byte(b.text),
				0o600); err != nil {
				t.Fatal(err)
			}
			if got := run("unset TRANSCRIPT_HOME; tadactl --home " + state +
				" policy show >/dev/null && echo fine"); got != "fine\n" {
				t.Errorf("%s: %s\n%s", name, b.text, got)
			}
		}
	}
	if n < 6 {
		t.Errorf("only %d configurations", n)
	}
}

// TestDocsVerbs: every command of tadactl that a page names exists, with its options.
func TestDocsVerbs(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := shellIn(t, dir)
	all := run("tadactl man man && ls man && cat man/*")
	named := regexp.MustCompile(`\b(tadactl|tada-run)((?:\s+[a-z][a-z-]*)*)((?:\s+[^\s'"$|]+)*)`)
	option := regexp.MustCompile(`(?:^|\s)(--[a-z-]+)`)
	code := regexp.MustCompile("(?s)`([^`]+)`")
	found := 0
	for name, page := range allPages(t) {
		if name == "seeds.md" { // TestNames has it
			continue
		}
		texts := indented(page)
		for _, b := range blocksOf(t, page) {
			for line := range strings.Lines(b.text) {
				if typed, ok := strings.CutPrefix(line, "$ "); ok || b.language == "sh" {
					texts = append(texts, typed)
				}
			}
			page = strings.Replace(page, b.text, "", 1)
		}
		page = strings.ReplaceAll(page, "```", "")
		for _, m := range code.FindAllStringSubmatch(page, -1) {
			texts = append(texts, strings.Join(strings.Fields(m[1]), " "))
		}
		for _, text := range texts {
			text, _, _ = strings.Cut(text, "    #")
			m := named.FindStringSubmatch(text)
			if m == nil || m[1] != "tadactl" || strings.HasPrefix(text, "tada-run:") {
				continue
			}
			words := strings.Fields(m[2])
			for len(words) > 0 && !strings.Contains(all,
				"tadactl-"+strings.Join(words, "-")+".1\n") {
				words = words[:len(words)-1]
			}
			if len(words) == 0 && m[2] != "" {
				t.Errorf("%s: no command in %q", name, text)
				continue
			}
			page := "man/" + strings.Join(append([]string{"tadactl"}, words...), "-") + ".1"
			manual := run("cat " + page)
			for _, o := range option.FindAllStringSubmatch(m[3], -1) {
				if o[1] != "--help" &&
					!strings.Contains(manual, strings.ReplaceAll(o[1], "-", `\-`)) {
					t.Errorf("%s: %s has no option %s", name, page, o[1])
				}
			}
			found++
		}
	}
	if found < 75 {
		t.Errorf("only %d commands were found", found)
	}
}

// allPages are those of docs/, and those that are read on the web.
func allPages(t *testing.T) map[string]string {
	all := pages(t)
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"} {
		all[name] = read(t, "../"+name)
	}
	return all
}

// indented are the lines of a page that are literal because they are indented.
func indented(page string) (lines []string) {
	for line := range strings.Lines(page) {
		if text, ok := strings.CutPrefix(line, "    "); ok {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	return lines
}

// TestDocsMake: every target of make that a page names exists, with its variables, and so does
// every folder of the source that a page names in a command.
func TestDocsMake(t *testing.T) {
	makefile := read(t, "../Makefile")
	called := regexp.MustCompile(`\bmake((?: [a-z][a-z0-9-]*)+)((?: [A-Z]+=[^\s]*)*)`)
	variable := regexp.MustCompile(` ([A-Z]+)=`)
	folder := regexp.MustCompile(`\s\.(/[a-z][a-z/-]*)`)
	code := regexp.MustCompile("(?s)`([^`]+)`")
	found := 0
	for name, page := range allPages(t) {
		texts := indented(page)
		for _, b := range blocksOf(t, page) {
			if b.language == "sh" && b.reason != "it needs a Mac" {
				texts = append(texts, strings.Split(b.text, "\n")...)
			}
			page = strings.Replace(page, b.text, "", 1)
		}
		for _, m := range code.FindAllStringSubmatch(strings.ReplaceAll(page, "```", ""), -1) {
			texts = append(texts, strings.Join(strings.Fields(m[1]), " "))
		}
		for _, text := range texts {
			text, _, _ = strings.Cut(text, "  ") // what follows is a comment
			for _, m := range folder.FindAllStringSubmatch(text, -1) {
				if _, err := os.Stat(".." + m[1]); err != nil && strings.HasPrefix(text, "go ") {
					t.Errorf("%s: %q: %v", name, text, err)
				}
			}
			m := called.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			for target := range strings.FieldsSeq(m[1]) {
				found++
				if !strings.Contains(makefile, "\n"+target+":") {
					t.Errorf("%s: make has no %s: %q", name, target, text)
				}
			}
			for _, v := range variable.FindAllStringSubmatch(m[2], -1) {
				use := regexp.MustCompile(`\$(\(if \$)?[({]` + v[1] + `\b|\$\$` + v[1] + `\b`)
				if !use.MatchString(makefile) {
					t.Errorf("%s: make knows no %s: %q", name, v[1], text)
				}
			}
		}
	}
	if found < 25 {
		t.Errorf("only %d targets were found", found)
	}
}
