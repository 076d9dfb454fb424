package integration

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/scale"
)

// TestScaleSpeed prints how long each verb takes that reads the record, what processor time and
// memory that costs, and how all three grow with the number of runs. It is a report, not a check,
// and runs only on request.
func TestScaleSpeed(t *testing.T) {
	b := newScaleBench(t)
	var costs [][]cost
	for _, n := range b.sizes {
		state := b.state(t, n)
		t.Logf("%d runs take %s on the disk", n, taken(t, state))
		costs = append(costs, b.costs(t, state, n))
	}
	printCosts(b.sizes, costs)
}

// A scaleBench is the records that reports are about. BENCH_SCALE is the numbers of runs, and
// BENCH_SCALE_KEEP a folder where the records stay and are found again. With BENCH_SCALE_EVERY=k
// only every k-th run of those made has a transcript.
type scaleBench struct {
	pair
	folder, keep string
	sizes        []int
	every        int
}

func newScaleBench(t *testing.T) scaleBench {
	t.Helper()
	if os.Getenv("BENCH_SCALE") == "" {
		t.Skip("a report for people: make bench-scale")
	}
	run := installed(t, "../cmd/...")
	b := scaleBench{pair: pair{run, filepath.Join(filepath.Dir(run), "tadactl"), os.Environ()},
		folder: quiet(t), keep: os.Getenv("BENCH_SCALE_KEEP"), every: 1}
	if b.keep == "" {
		b.keep = b.folder
	}
	if n, err := strconv.Atoi(os.Getenv("BENCH_SCALE_EVERY")); err == nil {
		b.every = n
	}
	for text := range strings.SplitSeq(os.Getenv("BENCH_SCALE"), ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		b.sizes = append(b.sizes, n)
	}
	return b
}

// state is a record of that many runs, which is made if it is not there.
func (b scaleBench) state(t *testing.T, n int) string {
	t.Helper()
	state := filepath.Join(b.keep, strconv.Itoa(n))
	if _, err := os.Stat(state); err == nil {
		return state
	}
	began := time.Now()
	b.filled(t, b.folder, state+".new", n, b.every) // it has its name when it is whole
	if err := os.Rename(state+".new", state); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs made in %.0f s, the older half packed; each %d-th has a transcript",
		n, time.Since(began).Seconds(), b.every)
	return state
}

// taken is what the parts of a state directory take on the disk.
func taken(t *testing.T, state string) string {
	cmd := exec.Command("du", "--summarize", "--human-readable", "audit", "sessions", "plans",
		"approvals.db")
	cmd.Dir = state
	out, err := cmd.Output()
	if err != nil {
		t.Error(err)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// A cost is what one call of a verb took: medians, and the most memory of all calls.
type cost struct {
	verb           string
	wall, cpu, rss float64 // ms, ms, MB
}

// costs measures every verb that reads the record.
func (p pair) costs(t *testing.T, state string, n int) (list []cost) {
	t.Helper()
	runs := p.sessions(t, state)
	middle, newest := recorded(state, runs[len(runs)/2:]), runs[len(runs)-1].ID
	rare := scale.Nth(n / 2 / 3 * 3) // the word of one run
	for _, verb := range []struct {
		name string
		args []string
	}{
		{"audit head", nil}, {"status", nil}, {"pending", nil},
		{"sessions", nil}, {"sessions --json", nil}, {"sessions --agent codex", nil},
		{"show NEWEST", []string{"show", newest}}, {"show MIDDLE", []string{"show", middle}},
		{"replay --no-wait MIDDLE", []string{"replay", "--no-wait", middle}},
		{"log -n 50", nil}, {"log", nil}, {"log --json", nil},
		{"log --kind approval -n 50", nil}, {"log --since 1d", nil},
		{"log --text WORD", []string{"log", "--text", rare}},
		{"log --grep WORD", []string{"log", "--grep", "needle-" + rare}},
		{"approvals stats", nil}, {"audit verify", nil}, {"audit verify --complete", nil},
	} {
		if verb.args == nil {
			verb.args = strings.Fields(verb.name)
		}
		if c, ok := p.cost(t, state, verb.name, verb.args); ok {
			list = append(list, c)
		}
	}
	return list
}

// recorded is the first of these runs that has a transcript.
func recorded(state string, runs []madeRun) string {
	for _, r := range runs {
		found, _ := filepath.Glob(filepath.Join(state, "sessions", r.ID+".cast*"))
		if found != nil {
			return r.ID
		}
	}
	return ""
}

// atMost is how often a verb is called, and slow after how long it is not called again.
const (
	atMost = 5
	slow   = 20 * time.Second
)

func (p pair) cost(t *testing.T, state, name string, args []string) (cost, bool) {
	t.Helper()
	c := cost{verb: name}
	var wall, cpu []float64
	for began := time.Now(); len(wall) < atMost && (len(wall) == 0 || time.Since(began) < slow); {
		cmd := exec.Command(p.ctl, append([]string{"--home", state}, args...)...)
		var said strings.Builder
		cmd.Env, cmd.Stderr = p.env, &said
		before := time.Now()
		peak, err := watched(cmd)
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, said.String())
			return c, false
		}
		wall = append(wall, float64(time.Since(before).Microseconds())/1000)
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		cpu, c.rss = append(cpu, float64(used.Microseconds())/1000), max(c.rss, peak)
	}
	c.wall, c.cpu = median(wall), median(cpu)
	return c, true
}

// watched runs a command and returns the most memory that it had, in MB, looked at every
// millisecond: what the kernel says at the end counts the memory of this process too.
func watched(cmd *exec.Cmd) (peak float64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for name := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid); ; {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(time.Millisecond):
			text, _ := os.ReadFile(name)
			_, after, _ := strings.Cut(string(text), "\nVmHWM:")
			kb, _, _ := strings.Cut(after, " kB")
			n, _ := strconv.Atoi(strings.TrimSpace(kb))
			peak = max(peak, float64(n)/1024)
		}
	}
}

// printCosts prints a table of all sizes, with how many times as much each costs as the one before.
func printCosts(sizes []int, costs [][]cost) {
	fmt.Printf("\n| tadactl, median of at most %d calls |", atMost)
	for i, n := range sizes {
		fmt.Printf(" 10^%.2g runs: ms | CPU s | MB |", math.Log10(float64(n)))
		if i > 0 {
			fmt.Print(" times: ms, CPU, MB |")
		}
	}
	fmt.Print("\n|---|", strings.Repeat("--:|", 4*len(sizes)-1), "\n")
	for row := range costs[0] {
		fmt.Printf("| %s |", costs[0][row].verb)
		for i := range sizes {
			c := costs[i][row]
			fmt.Printf(" %.1f | %.2f | %.0f |", c.wall, c.cpu/1000, c.rss)
			if i > 0 {
				before := costs[i-1][row]
				fmt.Printf(" %.1f, %.1f, %.1f |", c.wall/before.wall, c.cpu/before.cpu,
					c.rss/before.rss)
			}
		}
		fmt.Println()
	}
}
