package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
)

// TestReadmeDemo runs the demo of the README in a new workspace and compares the output; "..." and
// the digits before it match anything. The approval is given without a terminal here, and so has to
// name the plan, which the README's reader does by looking at it.
func TestReadmeDemo(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```console\n")
	demo, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("README.md has no console block")
	}
	dir := t.TempDir()
	begin(t, dir)
	perform(t, shellIn(t, dir), demo)
}

// begin makes the workspace in which the demo and the pages begin.
func begin(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"one", "two", "build/a.o"} {
		p := filepath.Join(dir, "repo", name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// perform types the commands of a block and compares what they print with what follows them there.
func perform(t *testing.T, run func(string) string, block string) {
	t.Helper()
	for _, step := range strings.Split("\n"+block, "\n$ ")[1:] {
		line, want, _ := strings.Cut(step, "\n")
		command, _, _ := strings.Cut(line, "    #")
		got := run(answered(t, run, strings.TrimSpace(command)))
		if want = strings.TrimSpace(want); want == "" {
			continue
		}
		// three dots alone on a line are any lines
		want = strings.ReplaceAll(regexp.QuoteMeta(want)+"\n", "\n"+`\.\.\.`+"\n", "(?s:.*)")
		pattern := regexp.MustCompile(`[0-9a-f-]*\\\.\\\.\\\.`).ReplaceAllString(
			strings.TrimSuffix(want, "\n"), ".*")
		if !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("$ %s\n got %q\nwant %q", command, got, want)
		}
	}
}

// shellIn returns a function that runs a command of the demo: with both streams, in a folder below
// dir.
func shellIn(t *testing.T, dir string) func(string) string {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tada-run", "tadactl", "person"} {
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return func(command string) string {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = filepath.Join(dir, "repo")
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"),
			"TRANSCRIPT_HOME="+filepath.Join(dir, "state"))
		out, _ := cmd.CombinedOutput() // a refusal is part of the demo
		return string(out)
	}
}

// answered is a command as a person gives it: with the id and the plan of the only open question
// where it approves.
func answered(t *testing.T, run func(string) string, command string) string {
	for _, own := range []string{"tadactl undo", "tadactl redo", "tadactl setup"} {
		if strings.HasPrefix(command, own) {
			return "person " + command
		}
	}
	if !strings.HasPrefix(command, "tadactl approve") {
		return command
	}
	pending := run("tadactl pending --json")
	find := func(field string) string {
		m := regexp.MustCompile(`"` + field + `":"([^"]*)"`).FindStringSubmatch(pending)
		if m == nil {
			t.Fatalf("nothing is pending: %s", pending)
		}
		return m[1]
	}
	return "person tadactl approve --plan " + find("plan_hash")[:12] + " " + find("id")
}

// TestPagesAreThere: the pages that a newcomer looks for exist, and what they name exists. For the
// pages of docs/ see TestDocsLinks.
func TestPagesAreThere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)[^):]*\)`)
	code := regexp.MustCompile("`((?:cmd|launcher|shellparse|pathguard|approval|audit|" +
		"integration)/[a-z_./-]*)`")
	for _, page := range []string{"README.md", "SECURITY.md", "CONTRIBUTING.md"} {
		text := read(t, "../"+page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s links to %q: %v", page, m[1], err)
			}
		}
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s names %q: %v", page, m[1], err)
			}
		}
	}
}

// TestReadmeTestCommandIsWhatCIRuns: a newcomer and the gate run the same tests.
func TestReadmeTestCommandIsWhatCIRuns(t *testing.T) {
	need(t, "bash")
	if !strings.Contains(read(t, "../README.md"), "go test ./...\n") {
		t.Error("README.md does not say how to run the tests")
	}
	// the gate runs those of some packages itself, and says which are left
	run, static := read(t, "../.ci/run"), read(t, "../.ci/static")
	if !strings.Contains(run, "\nothers=$(.ci/cover others)\ngo test -vet=off $others\n") ||
		!strings.Contains(run, "\nwait $static || ") ||
		!strings.Contains(static, "\ngo vet ./...\n") {
		t.Error(".ci/run does not vet all, or does not test what .ci/cover leaves")
	}
	lines := func(name string, args ...string) []string {
		cmd := exec.Command(name, args...)
		cmd.Dir = ".."
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v", name, args, err)
		}
		return strings.Fields(string(out))
	}
	all, tested := lines("go", "list", "./..."), lines(".ci/cover", "others")
	for name := range floorsOf(t) {
		tested = append(tested, "github.com/tada-run/tada-run/"+name)
	}
	slices.Sort(tested)
	if slices.Sort(all); !slices.Equal(all, tested) {
		t.Errorf("tested are %q, and there are %q", tested, all)
	}
}

// B-N1, B-NR1, B-NR2: the pages say what is not promised, where a user looks for it.
func TestWhatIsNotPromised(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## What it does not protect against\n")
	section, _, found := strings.Cut(rest, "\n## ")
	if !found {
		t.Fatal("SECURITY.md does not say what it does not protect against")
	}
	for row, words := range map[string][]string{
		"B-N1":  {"compromised host", "model being persuaded", "network in between"},
		"B-NR1": {"Encryption at rest", "0600", "0700"},
		"B-NR2": {"no login", "are no roles", "this account"},
	} {
		for _, w := range words {
			if !strings.Contains(section, w) {
				t.Errorf("%s: the section does not say %q", row, w)
			}
		}
	}
}

// The README says of each thing that can be at stake what happens, in the words that the product
// uses.
func TestReadmeStakes(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, "../README.md"), "\n| a command that | |\n|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	var got, want []string
	for row := range strings.Lines(table + "\n") {
		got = append(got, strings.Split(row, " | ")[0])
	}
	for _, s := range pathguard.Stakes() {
		want = append(want, "| "+s.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the README has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
