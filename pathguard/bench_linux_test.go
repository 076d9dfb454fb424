package pathguard

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// BenchmarkCheck is one check end to end: parsing, resolving and judging. The first group
// touches no file but the program that is looked up.
func BenchmarkCheck(b *testing.B) {
	g, _ := desk(b, "security: {restricted_paths: [/etc/shadow, ~/.aws], readonly_paths: [~/.ssh]}",
		"w/a.txt", "w/b.txt")
	for _, line := range []string{"true", "echo hello && echo $HOME", "x=1; [ $x = 1 ] && echo ok",
		"date", "git status", "ps aux | sort | head -5", "npm test", "go test ./...",
		"ls", "cat a.txt", "cd src && grep -rn x . | head", "cat a.txt b.txt > c.txt",
		"sed -n 1,3p /etc/passwd", "cat *.txt", "rm -rf dist"} {
		b.Run(strings.ReplaceAll(line, "/", "∕"), func(b *testing.B) {
			b.ReportAllocs()
			before := cpuTime()
			for b.Loop() {
				check(g, line)
			}
			b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// cpuTime is the processor time of this process, independent of the load of the machine.
func cpuTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// check is what every door does with a line.
func check(g Guard, line string) Verdict {
	script := shellparse.Parse(line,
		shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env})
	plan, err := resolve.Resolve(script, g.Caller)
	if err != nil {
		return Verdict{}
	}
	defer plan.Close()
	return g.Policy.Judge(plan)
}

// pathsLine names n files.
func pathsLine(n int) string {
	var b strings.Builder
	b.WriteString("cat")
	for i := range n {
		fmt.Fprintf(&b, " src/f%d.go", i)
	}
	return b.String()
}

// BenchmarkPaths grows with the paths of a line: at most linear. A plan of more than
// [maxTargets] names asks, and looks no further.
func BenchmarkPaths(b *testing.B) {
	g, _ := desk(b, "")
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		line := pathsLine(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before := cpuTime()
			for b.Loop() {
				check(g, line)
			}
			b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N*n), "cpu-ns/path")
		})
	}
}

// rulesPolicy has n rules of each kind.
func rulesPolicy(t testing.TB, n int) Policy {
	t.Helper()
	set := defaults()
	for i := range n {
		set.Paths = append(set.Paths,
			PathRule{Path: fmt.Sprintf("/srv/project%d/secret", i), Verdict: Ask})
		set.Commands = append(set.Commands,
			CommandRule{Program: fmt.Sprintf("tool%d", i), Verdict: Ask})
		set.Hosts = append(set.Hosts, HostRule{Host: fmt.Sprintf("h%d.example", i), Verdict: Ask})
	}
	p, err := compile(Account{Home: "/home/dev"}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGrowth: a check is at most linear in the paths of a line and near constant in the rules
// of the policy. It compares what the processor did, at its best of some rounds, so that a
// busy machine is no failure.
func TestGrowth(t *testing.T) {
	g, _ := desk(t, "")
	best := func(rounds int, f func()) time.Duration {
		least := time.Hour
		for range rounds {
			before := cpuTime()
			f()
			least = min(least, cpuTime()-before)
		}
		return least
	}
	paths := 400
	if testing.Short() {
		paths = 100
	}
	few, many := pathsLine(paths), pathsLine(10*paths)
	one := best(7, func() { check(g, few) })
	ten := best(5, func() { check(g, many) })
	t.Logf("%d paths %v, %d paths %v", paths, one, 10*paths, ten)
	if ten > 30*one {
		t.Errorf("ten times the paths cost %.1f times as much", float64(ten)/float64(one))
	}
	script := shellparse.Parse("cat src/a.go /srv/project0/secret/x; tool0; curl https://h0.example/", shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env})
	plan := resolved(t, script, g.Caller)
	small, large := rulesPolicy(t, 1), rulesPolicy(t, 10_000)
	judge := func(p Policy) time.Duration {
		return best(7, func() {
			for range 200 {
				p.Judge(plan)
			}
		})
	}
	a, b := judge(small), judge(large)
	t.Logf("1 rule of each kind %v, 10000 %v", a, b)
	if b > 4*a {
		t.Errorf("ten thousand rules cost %.1f times as much as one", float64(b)/float64(a))
	}
}

// BenchmarkRules grows with the rules of the policy: near constant.
func BenchmarkRules(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000, 10000} {
		p := rulesPolicy(b, n)
		g, _ := desk(b, "")
		script := shellparse.Parse("cat src/a.go /srv/project0/secret/x",
			shellparse.Options{Dir: g.Caller.Dir, Home: g.Caller.Home, Vars: g.Caller.Env})
		plan, err := resolve.Resolve(script, g.Caller)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p.Judge(plan)
			}
		})
		plan.Close()
	}
}

// BenchmarkCorpus is one check of each line of the development corpus end to end, and of those
// lines alone that touch no file. The best of some rounds is the cost of a line: the rest is what
// else the machine did.
func BenchmarkCorpus(b *testing.B) {
	a, files, c := accountOf(b)
	p, err := Load(a, files...)
	if err != nil {
		b.Fatal(err)
	}
	g := Guard{Policy: p, Caller: c}
	lines := corpusLines(b)
	took := make([]time.Duration, len(lines))
	for i := range took {
		took[i] = time.Hour
	}
	for b.Loop() {
		for i, line := range lines {
			start := time.Now()
			check(g, line)
			took[i] = min(took[i], time.Since(start))
		}
	}
	var fileless []time.Duration
	for i, line := range lines {
		if plan := resolved(b,
			shellparse.Parse(line,
				shellparse.Options{Dir: c.Dir, Home: c.Home, Vars: c.Env}), c); len(plan.Targets) == 0 {
			fileless = append(fileless, took[i])
		}
	}
	for name, took := range map[string][]time.Duration{"": took, "fileless-": fileless} {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), name+"median-ns")
		b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), name+"p99-ns")
	}
}

func corpusLines(b *testing.B) (lines []string) {
	for _, name := range []string{"benign", "hostile"} {
		text, err := os.ReadFile("../integration/testdata/corpus/" + name + ".jsonl")
		if err != nil {
			b.Skip("the corpus is not beside this folder: ", err)
		}
		for line := range strings.Lines(string(text)) {
			var l struct{ Cmd string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				b.Fatal(err)
			}
			lines = append(lines, l.Cmd)
		}
	}
	return lines
}
