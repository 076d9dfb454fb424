package etcd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	cryptorand "crypto/rand"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// A flood is what one process does to the questions of all, for as long as it runs. Every process
// works on the questions whose time it is, so that they meet.
type flood struct {
	store   *approval.Store
	process int
	begin   int64 // of all processes, on the monotonic clock
	until   int64
	log     *json.Encoder
	mu      sync.Mutex
}

// workers is how many goroutines a process has.
const workers = 3

func (f *flood) run() {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			id := f.process*workers + w
			r := rand.New(rand.NewPCG(uint64(id), uint64(monotonic())))
			for n := 0; monotonic() < f.until; n++ {
				now := int((monotonic() - f.begin) / int64(50*time.Millisecond))
				if q := now*3*workers + id; r.IntN(4) == 0 {
					f.do(operation{Kind: "ask", Question: q*1000 + n%1000})
				} else {
					f.answer(r)
				}
				time.Sleep(time.Duration(r.IntN(12)) * time.Millisecond)
			}
		})
	}
	all.Wait()
}

// answer decides or uses one of the newest questions.
func (f *flood) answer(r *rand.Rand) {
	list, err := f.store.Pending(ctx)
	if err != nil || len(list) == 0 {
		return
	}
	e := list[len(list)-1-r.IntN(min(len(list), 6))]
	q, _ := strconv.Atoi(e.WorkItem)
	if r.IntN(2) == 0 {
		f.do(operation{Kind: "decide", Question: q, envelope: e})
		return
	}
	f.do(operation{Kind: "consume", Question: q, envelope: e})
}

// do logs an operation before and after it. Without a second line it may have been done or not, at
// any time after the first.
func (f *flood) do(op operation) {
	op.ID = fmt.Sprint(f.process, "-", rand.Uint64())
	op.Start = monotonic()
	f.say(op)
	err := f.perform(&op)
	op.End = monotonic()
	var refused *approval.Refused
	switch {
	case err == nil:
		op.Out = "ok"
	case errors.As(err, &refused):
		x, _ := approval.Explain(err)
		op.Out = x.Code
	default:
		return
	}
	f.say(op)
}

func (f *flood) say(op operation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.log.Encode(op) // the reader has what was written
}

func (f *flood) perform(op *operation) error {
	switch op.Kind {
	case "ask":
		e, _, err := f.store.Request(ctx, approval.Request{Session: "s1",
			Payload: floodPlan(op.Question)})
		op.Envelope = e.ID
		return err
	case "decide":
		_, err := f.store.Decide(ctx, yes(op.envelope))
		return err
	}
	_, err := f.store.Consume(ctx, approval.Claim{Session: "s1", Runner: "test",
		PlanHash: plan.Hash(floodPlan(op.Question))})
	return err
}

func floodPlan(q int) []byte {
	return plantest.Small(quiet{}, func(p map[string]any) { p["work_item_id"] = strconv.Itoa(q) })
}

// quiet is for a process that is no test.
type quiet struct{ testing.TB }

func (quiet) Helper() {}

// clocks are how far the clocks of processes are ahead.
var clocks = []time.Duration{0, time.Minute, 30 * time.Second}

func floodOptions(process int) approval.Options {
	return approval.Options{Clock: func() approval.Clock {
		return approval.Clock{Now: time.Now().Add(clocks[process])}
	},
		Rand: cryptorand.Reader, MaxPending: 1 << 20, MaxHour: 1 << 20, MaxOpen: 1 << 20}
}

// newFlood connects as the process that a test describes.
func newFlood(o Options, process int, begin, until int64, log io.Writer) (*flood, error) {
	db, err := New(o)
	if err != nil {
		return nil, err
	}
	s, err := approval.Open(db, floodOptions(process))
	return &flood{store: s, process: process, begin: begin, until: until,
		log: json.NewEncoder(log)}, err
}

// floodChild floods in a process of its own, which is killed.
func floodChild() error {
	var process int
	var begin, until int64
	if _, err := fmt.Sscan(os.Getenv("TEST_FLOOD"), &process, &begin, &until); err != nil {
		return err
	}
	f, err := newFlood(Options{Endpoints: strings.Split(os.Getenv("TEST_ENDPOINT"), ","),
		Prefix: os.Getenv("TEST_PREFIX"), Secret: []byte(os.Getenv("TEST_SECRET")),
		Rand: cryptorand.Reader}, process, begin, until, os.Stdout)
	if err == nil {
		f.run()
	}
	return err
}

// children runs processes that flood, one after the other. Each is killed in the middle.
func (h *history) children(o Options, process int, begin, until int64) {
	for monotonic() < until {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "TEST_ETCD_CHILD=flood",
			fmt.Sprintf("TEST_FLOOD=%d %d %d", process, begin, until),
			"TEST_ENDPOINT="+strings.Join(o.Endpoints, ","), "TEST_PREFIX="+o.Prefix,
			"TEST_SECRET="+string(o.Secret))
		out, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			h.Error(err)
			return
		}
		timer := time.AfterFunc(time.Duration(600+rand.IntN(1500))*time.Millisecond,
			func() { _ = child.Process.Signal(syscall.SIGKILL) })
		h.read(out)
		timer.Stop()
		_ = child.Wait() // it was killed
	}
}

// read adds what a process says. Its last line may be cut.
func (h *history) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var op operation
		if json.Unmarshal(lines.Bytes(), &op) == nil {
			h.add(op)
		}
	}
}

// TestFlood: three nodes, of which one after the other is killed, stopped or parted from the
// others, the leader too, or whose disk is slow, while several processes, whose clocks are up to a
// minute apart, ask, decide and use; some of them are killed. No approval is used twice, no
// question and no answer is lost, and the history of every question is one that it could have had
// on a single machine. TEST_FLOOD_TIME is how long each takes.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	long := 6 * time.Second
	if v := os.Getenv("TEST_FLOOD_TIME"); v != "" {
		var err error
		if long, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	for name, harm := range map[string]harm{"killed": {do: killed}, "parted": {do: parted},
		"slow disk": {do: killed, disk: 15 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for long := long; !flooded(t, harm, long); long *= 4 {
				if t.Failed() || long > time.Minute {
					t.Fatal("too little was done")
				}
			}
		})
	}
}

// flooded reports whether enough was done: on a busy machine that takes longer.
func flooded(t *testing.T, harm harm, long time.Duration) bool {
	cluster := harm.cluster(t)
	b := newBed(t, cluster.Endpoints())
	h := &history{TB: t, all: map[string]operation{}}
	begin := monotonic()
	until := begin + int64(long)
	var all sync.WaitGroup
	for process := range 2 {
		r, w := io.Pipe()
		o := b.o
		if process == 1 {
			o.Endpoints = harm.before(t, o.Endpoints)
		}
		f, err := newFlood(o, process, begin, until, w)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { h.read(r) })
		all.Go(func() { f.run(); w.Close() })
	}
	all.Go(func() { h.children(b.o, 2, begin, until) })
	h.faults(b, cluster, harm, until)
	all.Wait()
	return h.check(b)
}
