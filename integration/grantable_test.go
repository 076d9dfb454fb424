package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/shell"
)

// E-std-3: no grant covers a wrapper, because its name does not say what it starts. This holds for
// each program that the parser knows as one: the two lists must agree.
func TestNoGrantCoversAWrapper(t *testing.T) {
	table, err := os.ReadFile("../shellparse/command/table/wrap.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l, err := launcher.Place{State: filepath.Join(dir, "state"),
		Account: filepath.Join(dir, "account")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	grantable := func(line string) bool {
		j, err := l.Judge(launcher.Request{Shell: shell.Call{Text: line, Name: "tada-run"},
			Dir: work, Env: []string{"PATH=/usr/bin:/bin"}})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		defer j.Close()
		return len(approval.Grantable(j.Payload())) == 0
	}
	if !grantable("ls a b") {
		t.Fatal("nothing can be granted here")
	}
	names := regexp.MustCompile(`(?m)^([A-Za-z0-9_.+-]+)(?:, [^:]*)?(?::| = )`).FindAllStringSubmatch(string(table), -1)
	if len(names) < 100 {
		t.Fatalf("%d wrappers", len(names))
	}
	for _, name := range names {
		if line := name[1] + " a b"; grantable(line) {
			t.Errorf("%q may be granted", line)
		}
	}
}
