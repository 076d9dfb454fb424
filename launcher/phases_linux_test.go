package launcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/past"
)

// children are the processes that this one has started and not waited for.
func children(t *testing.T) (list []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(names) == 0 {
		t.Fatalf("no list of children: %v", err)
	}
	for _, name := range names {
		text, _ := os.ReadFile(name)
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

// onlyThose fails when there are other children than before, also after what was cancelled has had
// time to end.
func onlyThose(t *testing.T, before []string) {
	t.Helper()
	var now []string
	for range 1000 {
		if now = children(t); len(now) <= len(before) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("children before: %v, now: %v", before, now)
}

// What another process starts, inside of a session, has no sandbox prepared for it here, also when
// a person approved it.
func TestNothingIsPreparedForAnotherProcess(t *testing.T) {
	l, req := world(t)
	req = asking(req)
	req.Within = &Within{Session: "s", Stdin: "null"}
	before := children(t)
	j, err := l.Judge(req)
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.announce(j, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, refusal, err := r.permitted(context.Background(), l.permit)
	if err != nil || refusal != nil || p.Kind() != "approval" {
		t.Fatalf("%+v, %v", refusal, err)
	}
	onlyThose(t, before)
	p.endWithin(nil, past.RunChanges{})
}

// A standby is cancelled once, however it ends, and what was cancelled cannot be started.
func TestStandbyEndsOnce(t *testing.T) {
	l, req := world(t)
	before := children(t)
	for _, prepare := range []func(*standby, *Judgement){
		func(*standby, *Judgement) {},
		func(s *standby, _ *Judgement) { s.reserve() },
		func(s *standby, j *Judgement) { s.begin(j) },
		func(s *standby, j *Judgement) { s.reserve(); s.begin(j); s.begin(j) },
	} {
		s, j := &standby{reserved{l, "", nil}}, judged(t, l, req)
		prepare(s, j)
		s.cancel()
		s.cancel()
		if _, err := s.take(j); err == nil {
			t.Error("a cancelled sandbox was handed out")
		}
		s = &standby{reserved{l, "", nil}}
		prepare(s, j)
		b, err := s.take(j)
		if err != nil {
			t.Fatal(err)
		}
		s.cancel()
		made := b.wait()
		if made.err != nil {
			t.Fatal(made.err)
		}
		made.cancel()
		b.console.close()
	}
	onlyThose(t, before)
}
