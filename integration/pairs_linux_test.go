package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairs compares the programs with those of the commit BENCH_PAIRS, on a machine that is in no
// fleet: how large they are, and how long they take in pairs of starts, one right after the other.
// It is a report, not a check.
func TestPairs(t *testing.T) {
	commit := os.Getenv("BENCH_PAIRS")
	if commit == "" {
		t.Skip("a report for people: make bench-pairs")
	}
	before, now := programsOf(t, commit), programsOf(t, "")
	for _, name := range []string{"tada-run", "tadactl"} {
		was, is := sizeOf(t, filepath.Join(before, name)), sizeOf(t, filepath.Join(now, name))
		t.Logf("%-26s %6.2f MB, and it was %6.2f MB; ratio %.3f", name, is/1e6, was/1e6, is/was)
	}
	work := quiet(t)
	for _, line := range [][]string{{"tada-run", "true"}, {"tada-run", "ls | wc -l"},
		{"tada-run", "--check", "ls"}, {"tadactl", "pending"}} {
		var took, worked []float64
		for round := range rounds + 3 {
			first, second := before, now
			if round%2 == 1 { // the second of a pair finds warmer caches
				first, second = now, before
			}
			a, aWork := begun(first, work, line)
			b, bWork := begun(second, work, line)
			switch {
			case round < 3: // the first rounds fill caches
			case first == before:
				took, worked = append(took, b/a), append(worked, bWork/aWork)
			default:
				took, worked = append(took, a/b), append(worked, aWork/bWork)
			}
		}
		t.Logf("%-26s time %.3f, processor time %.3f (medians of the ratios of %d pairs)",
			strings.Join(line, " "), median(took), median(worked), rounds)
	}
}

// begun starts a program of a folder and returns how long it took, and the work of it and of what
// it started, in milliseconds.
func begun(dir, work string, line []string) (took, worked float64) {
	cmd := exec.Command(filepath.Join(dir, line[0]),
		append([]string{"--home", filepath.Join(dir, "state")}, line[1:]...)...)
	cmd.Dir = work
	took = elapsed(cmd)
	return took, float64((cmd.ProcessState.UserTime() +
		cmd.ProcessState.SystemTime()).Microseconds()) / 1000
}

// programsOf builds the programs of a commit and copies them, as a package would install them.
func programsOf(t *testing.T, commit string) string {
	t.Helper()
	bin, dir := t.TempDir(), quiet(t)
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "./cmd/tada-run", "./cmd/tadactl")
	build.Dir, build.Env = sourceOf(t, commit), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("cp", "-r", bin+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func sizeOf(t *testing.T, path string) float64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return float64(info.Size())
}
