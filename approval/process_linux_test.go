package approval_test

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/relay"
	"github.com/tada-run/tada-run/integration/hermetic"
)

// The tests of this file start the test binary again: the store's promises are between processes.
const childEnv = "APPROVAL_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		child(job, os.Getenv("APPROVAL_TEST_DB"), os.Getenv("APPROVAL_TEST_ARG"))
		os.Exit(0)
	}
	os.Exit(hermetic.Tests(m).Run())
}

// systemClock reads the real clocks, as a launcher does.
func systemClock() approval.Clock {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic(err)
	}
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		panic(err)
	}
	return approval.Clock{Now: time.Now(), Boot: time.Duration(ts.Nano()),
		BootID: strings.TrimSpace(string(id))}
}

// realStore is the store in a file, behind a socket, or in etcd.
func realStore(path string) (*approval.Store, error) {
	o := approval.Options{Clock: systemClock, Rand: rand.Reader, MaxPending: 1000,
		MaxHour: 1 << 20, LockWait: time.Minute}
	switch {
	case strings.HasSuffix(path, ".sock"):
		return relay.Open(path, o)
	case strings.HasSuffix(path, ".etcd"):
		return etcdAt(path, o)
	}
	return bolt.Open(path, o)
}

// A storeIn makes a store, and says where it is for other processes.
type storeIn func(testing.TB) (*approval.Store, string)

func child(job, path, arg string) {
	if job == "serve" {
		serve(path, arg)
		return
	}
	s, err := realStore(path)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	// In the poller: a thread that waits in read(2) keeps the runtime awake, 64 times.
	_ = syscall.SetNonblock(0, true)
	stdin := os.NewFile(0, "stdin")
	barrier := func() { stdin.Read(make([]byte, 1)) }
	done := func() {
		// all print and exit when all are done: that is as much work as what is measured
		os.NewFile(3, "done").Close()
		barrier()
	}
	if job == "consume" {
		payload := arg
		sum := sha256.Sum256([]byte(arg))
		arg = hex.EncodeToString(sum[:])
		if _, _, err := s.Request(ctx,
			approval.Request{Session: "s1", Payload: []byte(payload)}); err != nil {
			// as a launcher does first
			fmt.Println("error", err)
			return
		}
		fmt.Println("ready")
		barrier() // all children start at once

		start, before := time.Now(), worked()
		_, err := s.Consume(ctx, approval.Claim{Session: "s1", PlanHash: arg})
		took, work := time.Since(start), worked()-before
		done()
		if err != nil {
			fmt.Println("refused", took.Microseconds(), err)
		} else {
			fmt.Println("permit", took.Microseconds(), work.Microseconds())
		}
		return
	}
	if job == "floor" {
		// the least that any store needs: each process takes a lock in turn, and one waits for the
		// disk
		fmt.Println("ready")
		barrier()
		start, before := time.Now(), worked()
		f, err := os.OpenFile(path+".floor", os.O_RDWR|os.O_CREATE, 0o600)
		if err == nil {
			err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		}
		if err == nil && arg == "writes" {
			_, err = f.WriteAt([]byte(fmt.Sprint(start)), 0)
			err = errors.Join(err, unix.Fdatasync(int(f.Fd())))
		}
		f.Close()
		took, work := time.Since(start), worked()-before
		done()
		fmt.Println("permit", took.Microseconds(), work.Microseconds(), err)
		return
	}
	if job == "wait" {
		fmt.Println("ready")
		e, err := s.Wait(ctx, arg)
		fmt.Println("heard", int64(systemClock().Boot), e.Approved(), err)
		return
	}
	for i := 0; ; i++ { // job "loop": until killed
		e, _, err := s.Request(ctx, approval.Request{Session: "s1",
			Payload: []byte(fmt.Sprintf(`{"n":"%s-%d","risk":1,"tool_calls":[{"tool_call_id":"c1"}],"work_item_id":"w"}`, arg, i))})
		if err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println("asked", e.ID)
		if _, err := s.Decide(ctx, yes(e)); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println("decided", e.ID)
		if _, err := s.Consume(ctx, claim(e)); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println("permit", e.ID)
		if i%3 == 0 {
			if _, err := s.Finish(ctx, e.ID, approval.OutcomeExecuted, ""); err != nil {
				fmt.Println("error", err)
				return
			}
		}
	}
}

// worked is the processor time of this process.
func worked() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

func start(t testing.TB, job, path, arg string,
	inherit ...*os.File) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+job, "APPROVAL_TEST_DB="+path,
		"APPROVAL_TEST_ARG="+arg)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, inherit
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewScanner(out)
}

// race starts a process for each argument, lets them all do the job at once, and returns the output
// of each.
func race(t *testing.T, job, path string, args []string) []string {
	t.Helper()
	type proc struct {
		cmd *exec.Cmd
		in  io.WriteCloser
		out *bufio.Scanner
	}
	var procs []proc
	ended, working, err := os.Pipe() // each child closes it when it is done
	if err != nil {
		t.Fatal(err)
	}
	defer ended.Close()
	for _, arg := range args {
		cmd, in, out := start(t, job, path, arg, working)
		procs = append(procs, proc{cmd, in, out})
	}
	for _, p := range procs {
		if !p.out.Scan() || p.out.Text() != "ready" {
			t.Fatalf("a child did not start: %q", p.out.Text())
		}
	}
	working.Close()
	for _, p := range procs {
		p.in.Write([]byte{0})
	}
	ended.Read(make([]byte, 1))
	for _, p := range procs {
		p.in.Close()
	}
	var said []string
	for _, p := range procs {
		p.out.Scan()
		said = append(said, p.out.Text())
		if err := p.cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	return said
}

const processes = 64

// B-T5, B-R1.4.2, B-R2.2, B-I3: of 64 processes that consume one approval exactly one gets the
// permit, and each of the others gets an error that it is a replay.
func TestOneApprovalManyProcesses(t *testing.T) { testOneApprovalManyProcesses(t, realStoreIn) }

func testOneApprovalManyProcesses(t *testing.T, fresh storeIn) {
	t.Parallel()
	s, path := fresh(t)
	e := ask(t, s, plantest.Small(t, nil))
	decide(t, s, yes(e))
	permits, replays := 0, 0
	for _, line := range race(t, "consume", path,
		slices.Repeat([]string{string(e.Payload)}, processes)) {
		switch {
		case strings.HasPrefix(line, "permit "):
			permits++
		case strings.HasPrefix(line, "refused ") &&
			strings.Contains(line, approval.ErrReplayed.Error()):
			replays++
		default:
			t.Errorf("a child said %q", line)
		}
	}
	if permits != 1 || replays != processes-1 {
		t.Errorf("%d permits and %d replays", permits, replays)
	}
}

// B-I3, E-bkr-5: 64 processes with an approval each all get their permit. The time is logged beside
// what any store would need on this machine at this moment: 64 processes that take a lock in turn,
// one of which waits for the disk.
func TestManyApprovalsManyProcesses(t *testing.T) { testManyApprovalsManyProcesses(t, realStoreIn) }

func testManyApprovalsManyProcesses(t *testing.T, fresh storeIn) {
	t.Parallel()
	s, path := fresh(t)
	var plans []string
	for i := range processes {
		e := ask(t, s, plantest.Small(t, func(p map[string]any) { p["n"] = i }))
		decide(t, s, yes(e))
		plans = append(plans, string(e.Payload))
	}
	floor := slices.Repeat([]string{""}, processes)
	floor[0] = "writes"
	for _, x := range []struct {
		job  string
		args []string
	}{{"floor", floor}, {"consume", plans}} {
		var took, work []int
		for _, line := range race(t, x.job, path, x.args) {
			var us, cpu int
			if _, err := fmt.Sscanf(line, "permit %d %d", &us, &cpu); err != nil {
				t.Errorf("a child said %q", line)
			}
			took, work = append(took, us), append(work, cpu)
		}
		slices.Sort(took)
		slices.Sort(work)
		t.Logf("%d at once, %s: median %d us, p99 %d us; processor, median %d us", processes, x.job,
			took[len(took)/2], took[len(took)*99/100], work[len(work)/2])
	}
	events, err := s.Unlogged(ctx)
	if err != nil || len(events) != 3*processes {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// E-bkr-5: processes that use an approval at the same moment wait for each other's work and for
// nothing else. bbolt's own wait for its lock would add sleeps of 50 ms. The longest wait is
// compared with the work of all, and with what a bare lock takes with as many processes at the same
// moment: on a machine with other work, all of these grow.
func TestParallelUseDoesNotStall(t *testing.T) {
	const consumers = 32
	s, path := realStoreIn(t)
	floor := slices.Repeat([]string{""}, consumers)
	floor[0] = "writes"
	best := math.MaxFloat64
	for try := 0; try < 20 && best > 1; try++ {
		var plans []string
		for i := range consumers {
			e := ask(t, s, plantest.Small(t, func(p map[string]any) { p["n"] = try*consumers + i }))
			decide(t, s, yes(e))
			plans = append(plans, string(e.Payload))
		}
		bare, _ := permits(t, race(t, "floor", path, floor))
		longest, work := permits(t, race(t, "consume", path, plans))
		t.Logf("longest %d us, the work of all %d us, longest at a bare lock %d us", longest, work,
			bare)
		best = min(best, float64(longest)/float64(2*bare+2*work))
	}
	if best > 1 {
		t.Errorf("the longest waits %.1f times as long as twice the work of all and a bare lock",
			best)
	}
}

// permits returns the longest time to a permit and the processor time of all, in microseconds.
func permits(t *testing.T, lines []string) (longest, work int) {
	t.Helper()
	for _, line := range lines {
		var us, cpu int
		if _, err := fmt.Sscanf(line, "permit %d %d", &us, &cpu); err != nil {
			t.Errorf("a child said %q", line)
		}
		longest, work = max(longest, us), work+cpu
	}
	return longest, work
}

// A run that waits in another process gets its answer, however soon it comes and however many
// others wait for theirs; no other run gets it. Two times are logged: from the committed answer to
// the waiter, and from the answer itself, with the disk in between.
func TestAnswerReachesItsWaiter(t *testing.T) { testAnswerReachesItsWaiter(t, realStoreIn) }

func testAnswerReachesItsWaiter(t *testing.T, fresh storeIn) {
	t.Parallel()
	const answers = 20
	s, path := fresh(t)
	type waiter struct {
		e   approval.Envelope
		cmd *exec.Cmd
		in  io.WriteCloser
		out *bufio.Scanner
	}
	var all []waiter
	for i := range processes {
		e := ask(t, s, plantest.Small(t, func(p map[string]any) { p["n"] = i }))
		cmd, in, out := start(t, "wait", path, e.ID)
		all = append(all, waiter{e, cmd, in, out})
	}
	for _, w := range all {
		if !w.out.Scan() || w.out.Text() != "ready" {
			t.Fatalf("a child did not start: %q", w.out.Text())
		}
	}
	var took, whole []time.Duration
	for _, w := range all[:answers] {
		before := systemClock().Boot
		decide(t, s, yes(w.e))
		after := systemClock().Boot
		var heard int64
		if !w.out.Scan() {
			t.Fatal("the child said nothing")
		}
		if _, err := fmt.Sscanf(w.out.Text(), "heard %d true <nil>", &heard); err != nil {
			t.Fatalf("the child said %q", w.out.Text())
		}
		took, whole = append(took, time.Duration(heard)-after),
			append(whole, time.Duration(heard)-before)
	}
	slices.Sort(took)
	slices.Sort(whole)
	t.Logf("%d wait: stored to heard: median %v, longest %v; answered to heard: median %v, longest %v", processes,
		took[len(took)/2], took[len(took)-1], whole[len(whole)/2], whole[len(whole)-1])
	for i, w := range all {
		if i >= answers {
			w.cmd.Process.Kill()
		}
		w.in.Close()
		if w.out.Scan() {
			t.Errorf("waiter %d was not meant: %q", i, w.out.Text())
		}
		w.cmd.Wait()
	}
	// The bells of killed waiters are removed with their questions.
	for _, w := range all[answers:] {
		if _, err := s.Cancel(ctx, w.e.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(path + ".wait-*"); err != nil || len(left) != 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func realStoreIn(t testing.TB) (*approval.Store, string) {
	_, path := open(t, newClock(), nil)
	s, err := realStore(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// B-C1, B-R2.3a, B-R4.6a, B-R1.4.7: after a process was killed between any two of its steps, the
// store has every answer and every use that was reported to it, nothing can be used a second time,
// each run without an end is known, and the events have no gap.
func TestKill(t *testing.T) { testKill(t, realStoreIn) }

func testKill(t *testing.T, fresh storeIn) {
	t.Parallel()
	_, path := fresh(t)
	said := map[string]string{} // envelope -> the last step that its process reported
	for round := range 40 {
		cmd, in, out := start(t, "loop", path, fmt.Sprint(round))
		for first := true; out.Scan(); first = false {
			if first {
				time.AfterFunc(time.Duration(mrand.IntN(20000))*time.Microsecond,
					func() { cmd.Process.Kill() })
			}
			step, id, _ := strings.Cut(out.Text(), " ")
			if step == "error" {
				t.Fatal(out.Text())
			}
			said[id] = step
		}
		in.Close()
		cmd.Wait()
	}
	if len(said) < 40 {
		t.Fatalf("the children did almost nothing: %d envelopes", len(said))
	}
	s, err := realStore(path)
	if err != nil {
		t.Fatal(err)
	}
	checkAfterKill(t, s, said)
}

func checkAfterKill(t *testing.T, s *approval.Store, said map[string]string) {
	events, err := s.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{} // envelope -> kinds of its events
	for i, ev := range events {
		if ev.Seq != uint64(i+1) {
			t.Fatalf("event %d has seq %d", i, ev.Seq)
		}
		kinds[ev.Envelope] += strings.TrimPrefix(ev.Kind, "approval.") + " "
	}
	runs, err := s.Unfinished(ctx)
	if err != nil {
		t.Fatal(err)
	}
	unfinished := map[string]bool{}
	for _, r := range runs {
		unfinished[r.Envelope] = true
	}
	lives := map[string]approval.State{
		"issued ": approval.Pending, "issued decided ": approval.Pending,
		"issued decided consumed ":          approval.Consumed,
		"issued decided consumed finished ": approval.Consumed,
	}
	for id, life := range kinds {
		e, err := s.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if want, ok := lives[life]; !ok || e.State != want ||
			(e.Decision != nil) != strings.Contains(life, "decided") {
			t.Errorf("%s is %s after %q", id, e.State, life)
		}
		if unfinished[id] != strings.HasSuffix(life, "consumed ") {
			t.Errorf("unfinished %v after %q", unfinished[id], life)
		}
		_, err = s.Consume(ctx, approval.Claim{Session: "s1", Envelope: id, PlanHash: e.PlanHash})
		if again := err == nil; again != (life == "issued decided ") {
			t.Errorf("after %q a use gives %v", life, err)
		}
	}
	steps := map[string]string{"asked": "issued", "decided": "decided", "permit": "consumed"}
	for id, step := range said {
		if !strings.Contains(kinds[id], steps[step]) {
			t.Errorf("%s was told %q, the store knows %q", id, step, kinds[id])
		}
	}
}
