package bolt

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// A group is a store, and the database below it.
type group struct {
	*approval.Store
	*DB
	catcher  *catcher
	catching *approval.Store // whose jobs the catcher keeps
}

// groupStore is a store with one approved question for each n.
func groupStore(t testing.TB, n int) (group, []approval.Envelope) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	now := approval.Clock{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	o := approval.Options{
		Clock: func() approval.Clock { return now }, Rand: rand.Reader,
		MaxPending: n + 1, MaxHour: n + 1, MaxOpen: n + 1, LockWait: 5 * time.Second,
	}
	db := File(filepath.Join(dir, "approvals.db"), o)
	c := &catcher{DB: db}
	s, err := approval.Open(db, o)
	catching, err2 := approval.Open(c, o)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	var out []approval.Envelope
	ctx := context.Background()
	for i := range n {
		payload := fmt.Sprintf(`{"n":%d,"risk":1,"tool_calls":[{"tool_call_id":"c1"}],"work_item_id":"w"}`, i)
		e, _, err := s.Request(ctx, approval.Request{Session: "s", Payload: []byte(payload)})
		if err == nil {
			_, err = s.Decide(ctx, approval.Decision{Envelope: e.ID, PlanHash: e.PlanHash,
				Took:  time.Minute,
				Calls: []approval.CallDecision{{ID: "c1", Approved: true}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return group{s, db, c, catching}, out
}

var errCaught = errors.New("caught")

// A catcher keeps a job and does not do it.
type catcher struct {
	*DB
	job *approval.Job
}

func (c *catcher) Do(_ context.Context, j *approval.Job) error {
	c.job = j
	return errCaught
}

// caught is the job that a call on the store would have done.
func (g group) caught(t testing.TB, call func(*approval.Store) error) *approval.Job {
	t.Helper()
	if err := call(g.catching); !errors.Is(err, errCaught) {
		t.Fatal(err)
	}
	return g.catcher.job
}

// leader is a job of a leader, which changes nothing, with the jobs of others in lines.
func (g group) leader(t testing.TB, lines ...[]byte) *approval.Job {
	t.Helper()
	j := g.caught(t, func(s *approval.Store) error {
		return s.MarkLogged(context.Background(), "", 1<<40)
	})
	for _, line := range lines {
		j.Join(line)
	}
	if j.Joined() != len(lines) {
		t.Fatalf("%d of %d jobs joined", j.Joined(), len(lines))
	}
	return j
}

// stand acts as a leader: it makes a board that is locked and takes the lock of the database.
func stand(t *testing.T, s group) (board, lock *os.File) {
	t.Helper()
	lock, err := s.lock(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	if board, err = makeBoard(s.Path() + boardSuffix); err != nil || board == nil {
		t.Fatal(board, err)
	}
	return board, lock
}

// boarded waits for a job to be on the board, and returns its line.
func boarded(t *testing.T, board *os.File) []byte {
	t.Helper()
	for range 1000 {
		text, err := io.ReadAll(io.NewSectionReader(board, 0, maxLine))
		if err != nil {
			t.Fatal(err)
		}
		if line, _, found := bytes.Cut(text, []byte("\n")); found {
			return append(line, '\n')
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no job is on the board")
	return nil
}

type claimed struct {
	p   approval.Permit
	err error
}

func claimLater(s group, e approval.Envelope) chan claimed {
	got := make(chan claimed, 1)
	go func() {
		p, err := s.Consume(context.Background(),
			approval.Claim{Session: "s", PlanHash: e.PlanHash, Runner: "r"})
		got <- claimed{p, err}
	}()
	return got
}

// B-R2.3a, B-T5: a leader that is killed at any of its steps loses no approval and lets none be
// used twice. What it leaves behind does not block others.
func TestLeaderDies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		step func(t *testing.T, s group, board, lock *os.File, line []byte)
	}{
		{"before its turn", func(*testing.T, group, *os.File, *os.File, []byte) {}},
		{"after it closed the boarding", func(t *testing.T, s group, _, _ *os.File, _ []byte) {
			if err := os.Remove(s.Path() + boardSuffix); err != nil {
				t.Fatal(err)
			}
		}},
		{"after the commit", func(t *testing.T, s group, _, lock *os.File, line []byte) {
			if err := s.write(lock, s.leader(t, line).Do); err != nil {
				t.Fatal(err)
			}
		}},
		{"in the middle of the answers",
			func(t *testing.T, s group, board, lock *os.File, line []byte) {
				j := s.leader(t, line)
				if err := s.write(lock, j.Do); err != nil {
					t.Fatal(err)
				}
				answer := j.Answers()[0].Line
				if _, err := board.Write(answer[:len(answer)/2]); err != nil {
					t.Fatal(err)
				}
			}},
		{"in the middle of the index",
			func(t *testing.T, s group, board, lock *os.File, line []byte) {
				j := s.leader(t, line)
				if err := s.write(lock, j.Do); err != nil {
					t.Fatal(err)
				}
				all := answers(j.Answers())
				if _, err := board.Write(all[:len(all)-indexEnd-3]); err != nil {
					t.Fatal(err)
				}
			}},
		{"and somebody wrote too late",
			func(t *testing.T, s group, board, lock *os.File, line []byte) {
				j := s.leader(t, line)
				if err := s.write(lock, j.Do); err != nil {
					t.Fatal(err)
				}
				late, err := s.caught(t, func(s *approval.Store) error {
					_, err := s.Finish(context.Background(), "late", "", "")
					return err
				}).Line()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := board.Write(append(answers(j.Answers()), late...)); err != nil {
					t.Fatal(err)
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, es := groupStore(t, 2)
			board, lock := stand(t, s)
			got := claimLater(s, es[0])
			c.step(t, s, board, lock, boarded(t, board))
			board.Close() // what the kernel does for a process that dies
			lock.Close()
			x := <-got
			if x.err != nil || len(x.p.Calls) != 1 || !x.p.Calls[0].Approved ||
				x.p.Envelope != es[0].ID {
				t.Fatalf("%+v", x)
			}
			if runs, err := s.Unfinished(context.Background()); err != nil || len(runs) != 1 {
				t.Errorf("%v, %v", runs, err)
			}
			if x := <-claimLater(s, es[0]); !errors.Is(x.err, approval.ErrReplayed) {
				t.Errorf("the second use: %+v", x)
			}
			if x := <-claimLater(s, es[1]); x.err != nil {
				t.Errorf("the next: %v", x.err)
			}
			if _, err := os.Stat(s.Path() + boardSuffix); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the boarding file: %v", err)
			}
		})
	}
}

// A task that fails does not take the others with it, and lines on a board that are not tasks are
// ignored. A board that is open to others is refused.
func TestBoardOfStrangers(t *testing.T) {
	t.Parallel()
	s, es := groupStore(t, 1)
	for _, junk := range []string{
		"", "\n\n", "{}\n", "no json\n", `{"args":{},"ticket":"t","verb":"decide"}` + "\n",
		`{"args":{},"ticket":"","verb":"consume"}` + "\n",
		`{"args":{"payload":"x"},"ticket":"t","verb":"request"}` + "\n",
		`{"args":{"seqs":["x"]},"ticket":"t","verb":"recorded"}` + "\n", `{"args":{}`,
	} {
		lock, err := s.lock(context.Background(), true)
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() { // leads, because there is no board
			got <- s.MarkLogged(context.Background(), "", 1<<40)
		}()
		var board *os.File
		for board == nil {
			if board, err = openBoard(s.Path() + boardSuffix); err != nil {
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
	if err := os.WriteFile(s.Path()+boardSuffix, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Path()+boardSuffix, 0o666); err != nil {
		t.Fatal(err)
	}
	lock, err := s.lock(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := s.Finish(context.Background(), es[0].ID, "", ""); !errors.Is(err,
		approval.ErrMeddled) {
		t.Errorf("a board that others can write: %v", err)
	}
}

// BenchmarkGroup is 64 claims in one transaction: how long the last of 64 processes waits for the
// disk.
func BenchmarkGroup(b *testing.B) {
	s, es := groupStore(b, 64*10)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		var lines [][]byte
		for i := range 64 {
			line, err := s.caught(b, func(s *approval.Store) error {
				_, err := s.Consume(context.Background(), approval.Claim{
					Session: "s", PlanHash: es[(n*64+i)%len(es)].PlanHash,
				})
				return err
			}).Line()
			if err != nil {
				b.Fatal(err)
			}
			lines = append(lines, line)
		}
		j := s.leader(b, lines...)
		b.StartTimer()
		lock, err := s.lock(context.Background(), true)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.write(lock, j.Do); err != nil {
			b.Fatal(err)
		}
		lock.Close()
	}
}

func FuzzBoard(f *testing.F) {
	f.Add([]byte(`{"args":{"envelope":"e"},"ticket":"t","verb":"consume"}`+"\n"), "t")
	f.Add(answers([]approval.JobAnswer{{Ticket: "t", Line: []byte(`{"answer":"t"}` + "\n")}}), "t")
	s, _ := groupStore(f, 1)
	f.Fuzz(func(t *testing.T, text []byte, ticket string) {
		fd, err := unix.MemfdCreate("board", 0)
		if err != nil {
			t.Skip("memfd_create:", err)
		}
		file := os.NewFile(uintptr(fd), "board")
		defer file.Close()
		file.Write(text)
		j := s.leader(t)
		joinAll(file, j)
		if j.Joined() > maxJobs {
			t.Errorf("%d jobs", j.Joined())
		}
		if line, err := indexed(file, ticket); err == nil {
			j.Read(line)
		}
	})
}
