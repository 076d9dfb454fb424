package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// lists says how many names from a table of shellparse/catalog one file may have in its code. More
// are a second list, which will miss the next change of the table.
var lists = map[string]struct {
	table *catalog.Table
	most  int
}{
	"git.txt":     {catalog.GitTable(), 0},
	"environ.txt": {catalog.Variables(), 2},
	"later.txt":   {catalog.Later(), 2},
	"secrets.txt": {catalog.Secrets(), 2},
}

// ownLists are the files that may have more, with the reason.
var ownLists = map[string]string{
	"launcher/sandbox/gitmeta/change.go": "it looks the merge strategies up",
	"launcher/reach.go":                  "the variables by which programs find their proxy",
	"packaging/release/build.go":         "the variables that a build may see",
	"shellparse/code/make.go":            "the values that make itself gives to its variables",
	"shellparse/command/kinds.go":        "roles of arguments that are called as some variables are",
	"shellparse/command/tools.go":        "the variables whose values makefiles run, given as arguments",
	"shellparse/eval/builtin_dir.go":     "the variables that cd reads and sets",
	"shellparse/eval/environ.go":         "the three variables whose values have a form of their own",
	"shellparse/eval/environment.go":     "the variables that the abstract shell itself has",
	"shellparse/eval/settings.go":        "what is known of the account",
	"shellparse/eval/special.go":         "the variables that bash itself sets",
	"pathguard/resolve/inner.go":         "the variables that do not change from start to start",
	"pathguard/pathname/names.go":        "of the secrets, those that also run or are made again",

	"pathguard/resolve/git_remotes.go": "where git looks for its repository and its settings",
}

// J3: what is known about a name is in its table and nowhere else.
func TestNoKeyIsInCodeAndTable(t *testing.T) {
	found := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if s.test || s.folder == ownSurroundings {
			continue
		}
		file := path.Join(s.folder, s.file)
		for _, word := range literals(t, file) {
			for name, list := range lists {
				if e := list.table.Lookup(word); word != "" && e.Key == word {
					if found[name+" "+file] == nil {
						found[name+" "+file] = map[string]bool{}
					}
					found[name+" "+file][word] = true
				}
			}
		}
	}
	needed := map[string]bool{}
	for name, list := range lists {
		for _, s := range sources(t) {
			file := path.Join(s.folder, s.file)
			words := found[name+" "+file]
			if len(words) <= list.most {
				continue
			}
			needed[file] = true
			if ownLists[file] == "" {
				t.Errorf("%s has a list of its own of what shellparse/catalog/%s knows: %q", file,
					name,
					slices.Sorted(maps.Keys(words)))
			}
		}
	}
	for file := range ownLists {
		if !needed[file] {
			t.Errorf("%s has no list of its own any more; take it out of ownLists", file)
		}
	}
}

// literals returns the texts between quotes in a file.
func literals(t *testing.T, file string) (words []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path.Join("..", file), nil,
		parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, _ := strconv.Unquote(lit.Value)
			words = append(words, word)
		}
		return true
	})
	return words
}

// namesAgents are the files that may name an agent's program in code, with the reason. The adapters
// may too.
var namesAgents = map[string]string{
	"approval/plan/plantest/plantest.go": "an example of a plan, for tests",
	"cmd/tada-run/cli/args.go":           "an example in a message about usage",
	"cmd/tada-run/cli/cli.go":            "what to set in the sandboxes of two programs",
	"pathguard/judge_code.go":            "a number in languages",
	"pathguard/judge_compiler.go":        "a flag of compilers that has such a name in it",
}

// J3: what is known about an agent's program is in shellparse/catalog/agents, and how its hook
// works in its adapter: no other code names one.
func TestNoAgentIsNamedInCode(t *testing.T) {
	var names []string
	for f := range agents.Of("platform") {
		names = append(names, regexp.QuoteMeta(f.Agent), regexp.QuoteMeta(f.Text()))
	}
	if len(names) < 10 {
		t.Fatalf("%q", names)
	}
	named := regexp.MustCompile(`(?i)(?:^|[^a-z])(?:` + strings.Join(names, "|") + `)(?:$|[^a-z])`)
	needed := map[string]bool{}
	for _, s := range sources(t) {
		file := path.Join(s.folder, s.file)
		if s.test || s.folder == ownSurroundings || s.folder == "integration/hook/platform" {
			continue
		}
		for _, word := range literals(t, file) {
			if found := named.FindString(word); found != "" && !isOfTerminals(word) {
				if needed[file], needed[s.folder] = true,
					true; namesAgents[file] == "" && namesAgents[s.folder] == "" {
					t.Errorf("%s names an agent: %q; put what is known into its file in shellparse/catalog/agents", file, word)
				}
			}
		}
	}
	for file := range namesAgents {
		if !needed[file] {
			t.Errorf("%s names no agent any more; take it out of namesAgents", file)
		}
	}
}

// isOfTerminals reports whether a text is about a terminal's cursor.
func isOfTerminals(word string) bool { return strings.Contains(word, "cursor") }
