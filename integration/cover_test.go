package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// C-10.7: the gate that the tests of the judgement must pass accepts the required coverage and
// nothing below it, and a package that reported no coverage does not pass.
func TestCoverageGate(t *testing.T) {
	need(t, "bash")
	gate, err := filepath.Abs("../.ci/cover")
	if err != nil {
		t.Fatal(err)
	}
	const ok = "ok  \tgithub.com/tada-run/tada-run/"
	full := ok + "pathguard\t26.2s\tcoverage: 92.0% of statements\n" +
		ok + "pathguard/tamper\t1.0s\tcoverage: 91.2% of statements\n" +
		ok + "shellparse/command\t(cached)\tcoverage: 86.8% of statements\n" +
		ok + "shellparse/code\t7.4s\tcoverage: 85.6% of statements\n"
	for _, tt := range []struct {
		name, report, says string
	}{
		{"all reach their floor", full, ""},
		{"exactly the floor", strings.Replace(full, "92.0", "90.0", 1), ""},
		{"one below", strings.Replace(full, "92.0", "89.9", 1),
			"pathguard: the tests reach 89.9% of the statements"},
		{"another below", strings.Replace(full, "86.8", "9.9", 1),
			"shellparse/command: the tests reach 9.9%"},
		{"one is missing", strings.Replace(full, "pathguard/tamper", "other", 1),
			"pathguard/tamper: no coverage was told"},
		{"nothing", "", "no coverage was told"},
	} {
		file := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(file, []byte(tt.report), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(gate, file).CombinedOutput()
		if passed := err == nil; passed != (tt.says == "") ||
			!strings.Contains(string(out), tt.says) {
			t.Errorf("%s: passed %v\n%s", tt.name, passed, out)
		}
	}
}

// C-10.7: the checks that must pass before a change lands include the gate, and each required
// coverage belongs to an existing folder.
func TestCoverageGateIsAsked(t *testing.T) {
	if !strings.HasSuffix(strings.TrimSpace(read(t, "../.ci/run")), "\n.ci/cover") {
		t.Error(".ci/run does not end with the gate")
	}
	floors := floorsOf(t)
	for name, n := range floors {
		if _, missing := os.Stat("../" + name); missing != nil || n < 80 || n > 100 {
			t.Errorf("%s: %d, %v", name, n, missing)
		}
	}
	for _, where := range parts {
		if where[0] == "pathguard" && floors[where[0]] == 0 { // the others' tests take minutes
			t.Errorf("%s has no floor", where[0])
		}
	}
}

// floorsOf are the packages whose coverage the gate asks for, and how much.
func floorsOf(t *testing.T) map[string]int {
	t.Helper()
	line := regexp.MustCompile(`(?m)^floors='(.*)'$`).FindStringSubmatch(read(t, "../.ci/cover"))
	if line == nil {
		t.Fatal("the gate has no floors")
	}
	floors := map[string]int{}
	for f := strings.Fields(line[1]); len(f) > 1; f = f[2:] {
		n, err := strconv.Atoi(f[1])
		if err != nil {
			t.Errorf("%s: %v", f[0], err)
		}
		floors[f[0]] = n
	}
	return floors
}
