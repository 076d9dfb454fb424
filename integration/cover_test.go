package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// C-10.7: the gate that the tests of the judgement have to pass lets the floor pass and nothing
// below it, and a package that told no coverage is not taken for one that did well.
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
		{"one below", strings.Replace(full, "92.0", "89.9", 1), "pathguard: the tests reach 89.9% of the statements"},
		{"another below", strings.Replace(full, "86.8", "9.9", 1), "shellparse/command: the tests reach 9.9%"},
		{"one is missing", strings.Replace(full, "pathguard/tamper", "other", 1), "pathguard/tamper: no coverage was told"},
		{"nothing", "", "no coverage was told"},
	} {
		file := filepath.Join(t.TempDir(), "report")
		if err := os.WriteFile(file, []byte(tt.report), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(gate, file).CombinedOutput()
		if passed := err == nil; passed != (tt.says == "") || !strings.Contains(string(out), tt.says) {
			t.Errorf("%s: passed %v\n%s", tt.name, passed, out)
		}
	}
}
