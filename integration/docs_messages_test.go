package integration

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// systems are messages of the system, and not of ours.
var systems = []string{"Permission denied", "Read-only file system", "Disk quota exceeded"}

// TestDocsMessages: each message that docs/troubleshooting.md explains is one that the programs
// print. Between the dots of a heading is what a text of the sources has, in this order.
func TestDocsMessages(t *testing.T) {
	texts := messages(t)
	quoted := regexp.MustCompile("`([^`]+)`")
	n := 0
	page := read(t, "../docs/troubleshooting.md")
	for line := range strings.Lines(page) {
		var said []string
		if strings.HasPrefix(line, "### ") {
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				said = append(said, m[1])
			}
		}
		if cause, ok := strings.CutPrefix(line, "- `"); ok {
			text, _, _ := strings.Cut(cause, "`")
			said = append(said, text)
		}
		for _, message := range said {
			n++
			if !slices.Contains(systems, message) && !isPrinted(texts, message) {
				t.Errorf("no program prints %q", message)
			}
		}
	}
	if n < 25 {
		t.Errorf("only %d messages were found", n)
	}
}

// isPrinted reports whether one text of the sources has the parts of a message, in order.
func isPrinted(texts []string, message string) bool {
	var parts []string
	for _, part := range strings.Split(message, "...") {
		parts = append(parts, regexp.QuoteMeta(strings.TrimSpace(part)))
	}
	pattern := regexp.MustCompile(strings.Join(parts, ".*"))
	for _, text := range texts {
		if pattern.MatchString(text) {
			return true
		}
	}
	return false
}

// messages are the texts in the sources, and those of the tables from which messages are made.
func messages(t *testing.T) (texts []string) {
	t.Helper()
	for _, table := range []string{"approval/render/failures.txt", "launcher/refusal/phrases.txt",
		"pathguard/table/rules.txt"} {
		texts = append(texts, strings.Split(read(t, filepath.Join("..", table)), "\n")...)
	}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		name := filepath.Join("..", s.folder, s.file)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if said := literal(e); said != "" {
					texts = append(texts, said)
				}
			}
			return true
		})
	}
	return texts
}

// literal is the text of an expression as far as it is literal.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return literal(e.X) + literal(e.Y)
		}
	}
	return ""
}
