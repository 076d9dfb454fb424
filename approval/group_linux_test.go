package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
	"golang.org/x/sys/unix"
)

// groupStore is a store with one approved question for each n.
func groupStore(t testing.TB, n int) (*Bolt, []Envelope) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	now := Clock{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s, err := Open(filepath.Join(dir, "approvals.db"), Options{
		Clock: func() Clock { return now }, Rand: rand.Reader, MaxPending: n + 1, MaxHour: n + 1, LockWait: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []Envelope
	for i := range n {
		payload := fmt.Sprintf(`{"n":%d,"risk":1,"tool_calls":[{"tool_call_id":"c1"}],"work_item_id":"w"}`, i)
		e, _, err := s.Request(context.Background(), Request{Session: "s", Payload: []byte(payload)})
		if err == nil {
			_, err = s.Decide(context.Background(), Decision{Envelope: e.ID, PlanHash: e.PlanHash, Took: time.Minute, Calls: []CallDecision{{ID: "c1", Approved: true}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return s, out
}

// stand takes the place of a leader: a boarding file that is locked and the lock of the database.
func stand(t *testing.T, s *Bolt) (board, lock *os.File) {
	t.Helper()
	lock, err := s.lock(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	if board, err = makeBoard(s.path + boardSuffix); err != nil || board == nil {
		t.Fatal(board, err)
	}
	return board, lock
}

// boarded waits for a task to stand in the boarding file.
func boarded(t *testing.T, board *os.File) task {
	t.Helper()
	for range 1000 {
		if tasks := readTasks(board); len(tasks) > 0 {
			return tasks[0]
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nobody boards")
	return task{}
}

type claimed struct {
	p   Permit
	err error
}

func claimLater(s *Bolt, e Envelope) chan claimed {
	got := make(chan claimed, 1)
	go func() {
		p, err := s.Consume(context.Background(), Claim{Session: "s", PlanHash: e.PlanHash, Runner: "r"})
		got <- claimed{p, err}
	}()
	return got
}

// B-R2.3a, B-T5: a leader that is killed at any of its steps loses nobody's approval and lets
// nobody run twice. What is left behind does not stand in anybody's way.
func TestLeaderDies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		step func(*testing.T, *Bolt, *os.File, *os.File, task)
	}{
		{"before its turn", func(*testing.T, *Bolt, *os.File, *os.File, task) {}},
		{"after it closed the boarding", func(t *testing.T, s *Bolt, _, _ *os.File, _ task) {
			if err := os.Remove(s.path + boardSuffix); err != nil {
				t.Fatal(err)
			}
		}},
		{"after the commit", func(t *testing.T, s *Bolt, _, lock *os.File, k task) {
			if r, err := s.transact(lock, []task{k}); err != nil || r[0].refusal != nil {
				t.Fatal(r, err)
			}
		}},
		{"in the middle of the answers", func(t *testing.T, s *Bolt, board, lock *os.File, k task) {
			r, err := s.transact(lock, []task{k})
			if err != nil {
				t.Fatal(err)
			}
			line := r[0].line(k.ticket)
			if _, err := board.Write(line[:len(line)/2]); err != nil {
				t.Fatal(err)
			}
		}},
		{"in the middle of the index", func(t *testing.T, s *Bolt, board, lock *os.File, k task) {
			r, err := s.transact(lock, []task{k})
			if err != nil {
				t.Fatal(err)
			}
			all := answers([]task{k}, r)
			if _, err := board.Write(all[:len(all)-indexEnd-3]); err != nil {
				t.Fatal(err)
			}
		}},
		{"and somebody wrote too late", func(t *testing.T, s *Bolt, board, lock *os.File, k task) {
			r, err := s.transact(lock, []task{k})
			if err != nil {
				t.Fatal(err)
			}
			late := task{verb: "finish", ticket: "late", args: plan.Fields{}}
			line, err := late.line()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := board.Write(append(answers([]task{k}, r), line...)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, es := groupStore(t, 2)
			board, lock := stand(t, s)
			got := claimLater(s, es[0])
			k := boarded(t, board)
			c.step(t, s, board, lock, k)
			board.Close() // what the kernel does for a process that dies
			lock.Close()
			x := <-got
			if x.err != nil || len(x.p.Calls) != 1 || !x.p.Calls[0].Approved || x.p.Envelope != es[0].ID {
				t.Fatalf("%+v", x)
			}
			if runs, err := s.Unfinished(context.Background()); err != nil || len(runs) != 1 {
				t.Errorf("%v, %v", runs, err)
			}
			if x := <-claimLater(s, es[0]); !errors.Is(x.err, ErrReplayed) {
				t.Errorf("the second use: %+v", x)
			}
			if x := <-claimLater(s, es[1]); x.err != nil {
				t.Errorf("the next: %v", x.err)
			}
			if _, err := os.Stat(s.path + boardSuffix); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the boarding file: %v", err)
			}
		})
	}
}

// The same ticket finishes once and is told so twice; another one is told that it is too late.
func TestFinishUnderTicket(t *testing.T) {
	t.Parallel()
	s, es := groupStore(t, 1)
	if x := <-claimLater(s, es[0]); x.err != nil {
		t.Fatal(x.err)
	}
	lock, err := s.lock(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	k := task{verb: "finish", ticket: "t1", args: plan.Fields{"envelope": es[0].ID, "outcome": OutcomeExecuted, "reason": "0"}}
	other := k
	other.ticket = "t2"
	for i, want := range []struct {
		k   task
		err error
	}{{k, nil}, {k, nil}, {other, ErrUnknown}} {
		r, err := s.transact(lock, []task{want.k})
		if err != nil || !errors.Is(r[0].refusal, want.err) || (r[0].refusal != nil) != (want.err != nil) {
			t.Errorf("%d: %+v, %v", i, r, err)
		}
	}
}

// A task that fails does not take the others with it, and what stands in a boarding file beside
// tasks is nobody's. A board that is open to others is refused.
func TestBoardOfStrangers(t *testing.T) {
	t.Parallel()
	s, es := groupStore(t, 1)
	for _, junk := range []string{
		"", "\n\n", "{}\n", "no json\n", `{"args":{},"ticket":"t","verb":"decide"}` + "\n", `{"args":{},"ticket":"","verb":"consume"}` + "\n",
		`{"args":{"payload":"x"},"ticket":"t","verb":"request"}` + "\n", `{"args":{"seqs":["x"]},"ticket":"t","verb":"recorded"}` + "\n", `{"args":{}`,
	} {
		lock, err := s.lock(context.Background(), true)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() { // leads, because there is no boarding file
			_, err := s.do(context.Background(), task{verb: "recorded", args: plan.Fields{"seqs": []any{}}})
			got <- err
		}()
		var board *os.File
		for board == nil {
			if board, err = openBoard(s.path + boardSuffix); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := board.WriteString(junk); err != nil {
			t.Fatal(err)
		}
		lock.Close()
		if err := <-got; err != nil {
			t.Errorf("%q: %v", junk, err)
		}
		board.Close()
	}
	if x := <-claimLater(s, es[0]); x.err != nil {
		t.Error(x.err)
	}
	if err := os.WriteFile(s.path+boardSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.path+boardSuffix, 0o666); err != nil {
		t.Fatal(err)
	}
	lock, err := s.lock(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := s.Finish(context.Background(), es[0].ID, "", ""); !errors.Is(err, ErrMeddled) {
		t.Errorf("a board that others can write: %v", err)
	}
}

// An answer says to another process all that the caller gets at home.
func TestResultLine(t *testing.T) {
	t.Parallel()
	s, es := groupStore(t, 1)
	lock, err := s.lock(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	args := plan.Fields{"session": "s", "plan_hash": es[0].PlanHash}
	tasks := []task{
		{verb: "request", args: plan.Fields{"session": "s", "payload": string(es[0].Payload)}, ticket: "q"},
		{verb: "consume", args: args, ticket: "a"}, {verb: "consume", args: args, ticket: "b"},
	}
	rs, err := s.transact(lock, tasks)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "board"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("task\n")
	f.Write(answers(tasks, rs))
	for i, ticket := range []string{"q", "a", "b"} {
		r, ok := findAnswer(f, ticket, &s.o)
		if !ok || fmt.Sprint(r.events) != fmt.Sprint(rs[i].events) || fmt.Sprint(r.refusal) != fmt.Sprint(rs[i].refusal) ||
			r.id != rs[i].id || fmt.Sprint(r.calls) != fmt.Sprint(rs[i].calls) || r.created != rs[i].created || (r.e == nil) != (rs[i].e == nil) {
			t.Errorf("%s: %+v, %v", ticket, r, ok)
		}
		if ticket == "q" {
			want := rs[i].e.Envelope
			if fmt.Sprintf("%+v", r.e.Decision) != fmt.Sprintf("%+v", want.Decision) || string(r.e.Payload) != string(want.Payload) ||
				r.e.PlanHash != want.PlanHash || r.e.State != want.State || r.e.Friction != want.Friction || !r.e.UseBy.Equal(want.UseBy) {
				t.Errorf("%s: %+v, want %+v", ticket, r.e.Envelope, want)
			}
		}
		if strings.Contains(string(rs[i].line(ticket)), "nonce_masked") {
			t.Error("the nonce is in the answer")
		}
	}
	if _, ok := findAnswer(f, "c", &s.o); ok {
		t.Error("an answer to nobody")
	}
}

// BenchmarkGroup is 64 claims in one transaction: what the last of 64 processes waits for the disk.
func BenchmarkGroup(b *testing.B) {
	s, es := groupStore(b, 64*10)
	for n := 0; b.Loop(); n++ {
		var tasks []task
		for i := range 64 {
			e := es[(n*64+i)%len(es)]
			tasks = append(tasks, task{verb: "consume", ticket: fmt.Sprint(n, i), args: plan.Fields{"session": "s", "plan_hash": e.PlanHash}})
		}
		lock, err := s.lock(context.Background(), true)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.transact(lock, tasks); err != nil {
			b.Fatal(err)
		}
		lock.Close()
	}
}

func FuzzBoard(f *testing.F) {
	f.Add([]byte(`{"args":{"envelope":"e"},"ticket":"t","verb":"consume"}`+"\n"), "t")
	f.Add(answers([]task{{ticket: "t"}}, []result{{created: true}}), "t")
	f.Fuzz(func(t *testing.T, text []byte, ticket string) {
		fd, err := unix.MemfdCreate("board", 0)
		if err != nil {
			t.Skip("memfd_create:", err)
		}
		file := os.NewFile(uintptr(fd), "board")
		defer file.Close()
		file.Write(text)
		for _, k := range readTasks(file) {
			if verbs[k.verb] == nil || k.ticket == "" {
				t.Errorf("%+v", k)
			}
		}
		o := Options{Clock: func() Clock { return Clock{} }, Rand: rand.Reader}
		findAnswer(file, ticket, &o)
	})
}
