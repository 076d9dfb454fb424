package integration

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A peer is one way to start a command.
type peer struct {
	name string
	argv []string // what the words of a command are appended to
}

// TestPeers prints how long starting a command takes compared with the installed peers. It measures
// nothing absolute: all peers run in turn, round by round, and the test prints the median of each
// round's ratio to bare bash, because only these figures are meaningful on a busy machine. It is a
// report, not a check, and runs only on request.
func TestPeers(t *testing.T) {
	if os.Getenv("BENCH_PEERS") == "" {
		t.Skip("a report for people: BENCH_PEERS=1 go test -run TestPeers -v ./integration")
	}
	run := installed(t, "../cmd/...", "./testdata/fence")
	work, homes := quiet(t), quiet(t)
	for _, part := range []struct{ title, script string }{
		{"start of `true`", "true"},
		{"start of `ls | wc -l`", "ls | wc -l"},
	} {
		report(t, work, part.title, part.script, peers(t, run, work, homes))
	}
	burst(t, work, peers(t, run, work, homes))
	memory(t, run, work, homes)
	checkTime(t, run, work)
}

// installed builds programs and copies them, as a package would install them, and returns the path
// of tada-run. PATH loses the folders that the tests have in /tmp: at level base every name beside
// one costs the sandbox a rule. The linker writes a file to memory page by page, a copy is written
// in larger pieces, and a start of a copy takes a twentieth less.
func installed(t *testing.T, packages ...string) string {
	t.Setenv("PATH", strings.Join(slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")),
		func(dir string) bool { return strings.HasPrefix(dir, os.TempDir()) }), ":"))
	bin, dir := t.TempDir(), quiet(t)
	build := exec.Command("go", "build", "-trimpath", "-o", bin)
	build.Args = append(build.Args, packages...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("cp", "-r", bin+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "tada-run")
}

// quiet makes a folder in the account's cache, not in the home that tests have in /tmp. The usual
// place for temporary files contains what others left there, and every name beside the state
// directory, and at level base beside the programs, costs the sandbox a rule.
func quiet(t *testing.T) string {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(account.HomeDir, ".cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(cache, "tada-peers-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// peers lists the installed ones. Base is forced by a remembered level: a file in the state
// directory can lower the level, never raise it.
func peers(t *testing.T, run, work, homes string) []peer {
	fence := filepath.Join(filepath.Dir(run), "fence")
	list := []peer{
		{"bash -c", []string{"bash", "-c"}},
		{"tada-run (strong)", []string{run, "--home", filepath.Join(homes, "strong")}},
		{"tada-run (base)", []string{run, "--home", baseHome(t, run, homes)}},
		{"sandbox alone (strong)", []string{fence, "strong", work}},
		{"sandbox alone (base)", []string{fence, "base", work}},
	}
	if p, err := exec.LookPath("bwrap"); err == nil {
		list = append(list, peer{"bwrap --unshare-all",
			[]string{p, "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
				"bash", "-c"}})
	}
	if p, err := exec.LookPath("firejail"); err == nil {
		list = append(list, peer{"firejail --noprofile",
			[]string{p, "--quiet", "--noprofile", "--net=none", "bash", "-c"}})
	}
	if p, err := exec.LookPath("sudo"); err == nil && exec.Command(p, "-n", "true").Run() == nil {
		list = append(list, peer{"sudo", []string{p, "-n", "bash", "-c"}})
	}
	if p, err := exec.LookPath("script"); err == nil {
		list = append(list, peer{"script (records only)", []string{p, "-qec"}})
	}
	// Two that agents use; each takes as long as the rest together, so they come last.
	if p, err := exec.LookPath("srt"); err == nil && exec.Command(p, "-c", "true").Run() == nil {
		list = append(list, peer{"srt", []string{p, "-c"}})
	}
	// Codex makes its helpers in its home, and never in the usual place for temporary files, where
	// the home of tests is.
	codex := []string{"env", "TMPDIR=/var/tmp", "codex", "sandbox", "--", "bash", "-c"}
	if exec.Command(codex[0], append(codex[1:len(codex):len(codex)], "true")...).Run() == nil {
		list = append(list, peer{"codex sandbox", codex})
	}
	return list
}

func baseHome(t *testing.T, run, homes string) string {
	home := filepath.Join(homes, "base")
	if out, err := exec.Command(run, "--home", home, "true").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	level := filepath.Join(home, "run", "level")
	text, err := os.ReadFile(level)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(level, []byte(strings.Replace(string(text), "strong", "base", 1)),
		0o600); err != nil {
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
	fmt.Printf("\n%s, %d rounds, median of the ratio to bare bash\n\n| | ratio |\n|---|---|\n",
		title, rounds)
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

// burst prints how long 200 commands take, eight at a time, as ratios to bwrap by round.
func burst(t *testing.T, dir string, list []peer) {
	at := slices.IndexFunc(list, func(p peer) bool { return strings.HasPrefix(p.name, "bwrap") })
	if at < 0 {
		fmt.Println("\nburst: bwrap is not installed")
		return
	}
	list = slices.Concat([]peer{list[at]}, list[:at])
	ratios := make([][]float64, len(list))
	for range 7 {
		var base time.Duration
		for i, p := range list {
			took := timed(t, dir, append([]string{"xargs", "-a", numbers(t, 200), "-P8", "-I{}"},
				append(slices.Clone(p.argv), "true {}")...))
			if i == 0 {
				base = took
			}
			ratios[i] = append(ratios[i], float64(took)/float64(base))
		}
	}
	fmt.Printf("\n200 commands, 8 at a time, 7 rounds, median of the ratio to bwrap\n\n" +
		"| | ratio |\n|---|---|\n")
	for i, p := range list {
		fmt.Printf("| %s | %.2f |\n", p.name, median(ratios[i]))
	}
}

// numbers is a file of n lines.
func numbers(t *testing.T, n int) string {
	name := filepath.Join(t.TempDir(), "numbers")
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// memory prints what tada-run uses while a command runs. The processes of the sandbox share its
// address space, so it is counted once.
func memory(t *testing.T, run, dir, homes string) {
	cmd := exec.Command(run, "--home", filepath.Join(homes, "strong"), "echo up; sleep 3")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = out.Read(make([]byte, 3))
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, "Pss:"); ok {
			fmt.Printf("\nheld while a command runs (Pss): %s", kb)
		}
	}
	_ = cmd.Wait()
}

// checkTime prints what one judgement costs inside a process: many lines through one check.
func checkTime(t *testing.T, run, dir string) {
	lines := strings.Builder{}
	const n = 2000
	for i := range n {
		fmt.Fprintf(&lines, `{"id":"%d","cmd":"cd src && go test ./... 2>&1 | tail -%d"}`+"\n", i,
			i%40+1)
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
	fmt.Printf("\ncheck of one command line, files resolved, %d lines in one process: %.0f µs\n", n,
		median(per))
}
