package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A peer is one way to start a command.
type peer struct {
	name string
	argv []string // what the words of a command are appended to
}

// TestPeers prints how long starting a command takes beside the peers that are installed. It
// measures nothing absolute: all peers run in turn, round by round, and what is printed is the
// median of each round's ratio to bare bash, because these are the only figures that survive
// a busy machine. It is a report, not a check, and runs only when it is asked for.
func TestPeers(t *testing.T) {
	if os.Getenv("BENCH_PEERS") == "" {
		t.Skip("a report for people: BENCH_PEERS=1 go test -run TestPeers -v ./integration")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", bin, "../cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := filepath.Join(bin, "tada-run")
	work := t.TempDir()
	for _, part := range []struct{ title, script string }{
		{"start of `true`", "true"},
		{"start of `ls | wc -l`", "ls | wc -l"},
	} {
		report(t, work, part.title, part.script, peers(t, run))
	}
	checkTime(t, run, work)
}

// peers lists what is installed. Base is forced by a remembered level: a file in the state
// directory can lower the level, never raise it.
func peers(t *testing.T, run string) []peer {
	list := []peer{
		{"bash -c", []string{"bash", "-c"}},
		{"tada-run (strong)", []string{run, "--home", filepath.Join(t.TempDir(), "strong")}},
		{"tada-run (base)", []string{run, "--home", baseHome(t, run)}},
	}
	if p, err := exec.LookPath("bwrap"); err == nil {
		list = append(list, peer{"bwrap --unshare-all", []string{p, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "bash", "-c"}})
	}
	if p, err := exec.LookPath("firejail"); err == nil {
		list = append(list, peer{"firejail --noprofile", []string{p, "--quiet", "--noprofile", "--net=none", "bash", "-c"}})
	}
	return list
}

func baseHome(t *testing.T, run string) string {
	home := filepath.Join(t.TempDir(), "base")
	if out, err := exec.Command(run, "--home", home, "true").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	level := filepath.Join(home, "run", "level")
	text, err := os.ReadFile(level)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(level, []byte(strings.Replace(string(text), "strong", "base", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

const rounds = 40

func report(t *testing.T, dir, title, script string, list []peer) {
	ratios := make([][]float64, len(list))
	for round := range rounds + 2 {
		var bare time.Duration
		for i, p := range list {
			took := timed(t, dir, append(slices.Clone(p.argv), script))
			if i == 0 {
				bare = took
			}
			if round >= 2 { // the first rounds fill caches
				ratios[i] = append(ratios[i], float64(took)/float64(bare))
			}
		}
	}
	fmt.Printf("\n%s, %d rounds, median of the ratio to bare bash\n\n| | ratio |\n|---|---|\n", title, rounds)
	for i, p := range list {
		fmt.Printf("| %s | %.2f |\n", p.name, median(ratios[i]))
	}
}

func timed(t *testing.T, dir string, argv []string) time.Duration {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return time.Since(began)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// checkTime prints what one judgement costs inside a process: many lines through one check.
func checkTime(t *testing.T, run, dir string) {
	lines := strings.Builder{}
	const n = 2000
	for i := range n {
		fmt.Fprintf(&lines, `{"id":"%d","cmd":"cd src && go test ./... 2>&1 | tail -%d"}`+"\n", i, i%40+1)
	}
	ctl := filepath.Join(filepath.Dir(run), "tadactl")
	spend := func(input string) time.Duration {
		cmd := exec.Command(ctl, "--home", filepath.Join(dir, ".state"), "check", "--jsonl")
		cmd.Stdin, cmd.Dir = strings.NewReader(input), dir
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return time.Since(began)
	}
	spend("")
	var per []float64
	for range 5 {
		empty := spend("")
		per = append(per, float64(spend(lines.String())-empty)/n/1e3)
	}
	fmt.Printf("\ncheck of one command line, files resolved, %d lines in one process: %.0f µs\n", n, median(per))
}
