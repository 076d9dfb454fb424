package relay_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/relay"
)

// A cutter passes frames between clients and an agent, and ends one connection at one of them.
type cutter struct {
	agent string

	mu    sync.Mutex
	left  int  // frames until the cut
	after bool // the cut comes after the frame was passed on
}

// passes reports whether the next frame is passed on, and whether the connection goes on after it.
func (c *cutter) passes() (pass, goOn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left--
	return c.left != 0 || c.after, c.left != 0
}

// serve passes on what one client and the agent say.
func (c *cutter) serve(client net.Conn) {
	agent, err := net.Dial("unix", c.agent)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { c.copy(agent, client) })
	both.Go(func() { c.copy(client, agent) })
	both.Wait()
}

func (c *cutter) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	var header [6]byte
	for {
		if _, err := io.ReadFull(from, header[:]); err != nil {
			return
		}
		frame := append(header[:], make([]byte, binary.BigEndian.Uint32(header[:]))...)
		if _, err := io.ReadFull(from, frame[6:]); err != nil {
			return
		}
		pass, goOn := c.passes()
		if pass {
			to.Write(frame)
		}
		if !goOn {
			return
		}
	}
}

// A life is what a client was told of one question.
type life struct {
	asked, decided, permit, finished string // the ids that it was told
	failed                           error
}

// live goes through a whole life, as far as it gets.
func live(s *approval.Store, n int) (l life) {
	ctx := context.Background()
	payload := fmt.Sprintf(
		`{"n":%d,"risk":1,"tool_calls":[{"tool_call_id":"c1"}],"work_item_id":"w"}`, n)
	e, _, err := s.Request(ctx, approval.Request{Session: "s", Payload: []byte(payload)})
	if l.failed = err; err != nil {
		return l
	}
	l.asked = e.ID
	_, err = s.Decide(ctx, approval.Decision{Envelope: e.ID, PlanHash: e.PlanHash,
		Took: time.Minute, Calls: []approval.CallDecision{{ID: "c1", Approved: true}}})
	if l.failed = err; err != nil {
		return l
	}
	l.decided = e.ID
	_, err = s.Consume(ctx, approval.Claim{Session: "s", PlanHash: e.PlanHash, Runner: "me"})
	if l.failed = err; err != nil {
		return l
	}
	l.permit = e.ID
	_, err = s.Finish(ctx, e.ID, approval.OutcomeExecuted, "")
	if l.failed = err; err == nil {
		l.finished = e.ID
	}
	return l
}

// withdraw ends every open question, or each life would be longer than the one before.
func withdraw(t *testing.T, path string) {
	t.Helper()
	ctx := context.Background()
	s, err := bolt.Open(database(path), options(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.Pending(ctx)
	for _, e := range open {
		if err == nil {
			_, err = s.Cancel(ctx, e.ID, "")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// check compares what clients were told with what the store has, and tries to use each approval
// once more.
func check(t *testing.T, path string, lives []life) {
	t.Helper()
	ctx := context.Background()
	s, err := bolt.Open(database(path), options(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
		kinds[e.Envelope] += strings.TrimPrefix(e.Kind, "approval.") + " "
	}
	for _, l := range lives {
		for id, kind := range map[string]string{l.asked: "issued", l.decided: "decided",
			l.permit: "consumed", l.finished: "finished"} {
			if id != "" && strings.Count(kinds[id], kind) != 1 {
				t.Errorf("a client was told that %s is %s, the store knows %q", id, kind, kinds[id])
			}
		}
	}
	for id, did := range kinds {
		e, err := s.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Consume(ctx, approval.Claim{Session: "s", Envelope: id, PlanHash: e.PlanHash})
		switch {
		case strings.Contains(did, "consumed") && !errors.Is(err, approval.ErrReplayed),
			did == "issued decided " && err != nil,
			did == "issued " && !errors.Is(err, approval.ErrPending):
			t.Errorf("after %q a use gives %v", did, err)
		}
	}
}

// B-R1.4.7, B-R2.3a, B-C1: a connection ends at each of its frames in turn, before or after the
// frame has arrived. A client is told of no use that has not happened and of no failure that has,
// and there is never a second use.
func TestCutAtEveryFrame(t *testing.T) {
	t.Parallel()
	path := socket(t)
	serve(t, path)
	c := &cutter{agent: path}
	cut := filepath.Join(filepath.Dir(path), "cut.sock")
	lies(t, cut, c.serve)
	s, err := relay.Open(cut, options(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	var lives []life
	for n := 1; ; n++ {
		c.mu.Lock()
		c.left, c.after = (n+1)/2, n%2 == 0
		c.mu.Unlock()
		l := live(s, n)
		lives = append(lives, l)
		c.mu.Lock()
		reached := c.left <= 0
		c.mu.Unlock()
		if !reached {
			t.Logf("%d cuts", n)
			if l.failed != nil || n < 50 {
				t.Errorf("the life without a cut is the %d., %v", n, l.failed)
			}
			break
		}
		if l.failed != nil && !errors.Is(l.failed, approval.ErrOffline) {
			t.Errorf("cut %d: %v", n, l.failed)
		}
		withdraw(t, path)
	}
	check(t, path, lives)
}

// B-R1.4.7, B-R2.3a, B-C1: an agent is killed at many moments and started again.
func TestKilledAgent(t *testing.T) {
	t.Parallel()
	path := socket(t)
	s, err := func() (*approval.Store, error) {
		cmd := start(t, "agent", path)
		defer end(cmd)
		return relay.Open(path, options(time.Second))
	}()
	if err != nil {
		t.Fatal(err)
	}
	var lives []life
	told := map[string]int{}
	for round := range 60 {
		cmd := start(t, "agent", path)
		next := make(chan *exec.Cmd, 1)
		time.AfterFunc(time.Duration(mrand.IntN(15000))*time.Microsecond, func() {
			end(cmd)
			if round%2 == 0 { // another one takes its place
				cmd = start(t, "agent", path)
			}
			next <- cmd
		})
		for n := 0; ; n++ {
			l := live(s, round*1000+n)
			lives = append(lives, l)
			if errors.Is(l.failed, approval.ErrUnsure) || errors.Is(l.failed, approval.ErrOffline) {
				told[errors.Unwrap(l.failed).Error()]++
			} else if l.failed != nil {
				t.Errorf("round %d: %v", round, l.failed)
			}
			if l.failed != nil || n >= 30 {
				break
			}
		}
		end(<-next)
	}
	t.Logf("%d lives, %v", len(lives), told)
	check(t, path, lives)
}
