package launcher

import (
	"context"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// What a process inside sends along with its question, beyond the one descriptor that is read from, is closed at once: it could
// fill the launcher's table otherwise.
func TestOnlyOneDescriptorIsTaken(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	silent, other, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, sent := range [][]int{{talk[1]}, {talk[1], int(other.Fd())}, {int(other.Fd()), talk[1]}, {int(other.Fd()), int(other.Fd())}} {
		if err := unix.Sendmsg(pair[0], []byte("?"), unix.UnixRights(sent...), nil, 0); err != nil {
			t.Fatal(err)
		}
		oob := make([]byte, unix.CmsgSpace(4))
		_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 16), oob, unix.MSG_CMSG_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		if conn := streamIn(oob[:n]); conn != nil {
			conn.Close()
		} else if sent[0] == talk[1] {
			t.Errorf("%v: the stream was not taken", sent)
		}
	}
	for _, fd := range append(pair[:], talk[:]...) {
		unix.Close(fd)
	}
	other.Close()
	// The pipe has no writer any more, unless one is left over.
	if err := silent.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := silent.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a descriptor was left open: %d, %v", n, err)
	}
}

// A line may be let go while the session ends: the shell has its answer, and leaves before it is noted here that the line has to end. Its
// end is on record all the same.
func TestLastLineEnds(t *testing.T) {
	pair, err := newRequestPair()
	if err != nil {
		t.Fatal(err)
	}
	d := newRequestServer(nil, pair)
	answered, closing, ended := make(chan struct{}), make(chan struct{}), false
	d.busy.Go(func() {
		<-answered
		d.mu.Lock()
		d.ended = func(*int) { ended = true }
		d.mu.Unlock()
	})
	go func() {
		<-d.ctx.Done() // close has begun
		close(answered)
		close(closing)
	}()
	d.close()
	<-closing
	if !ended {
		t.Error("the last line has no end")
	}
}

// B-R8.2: a standing approval is for its work item. What runs in a session that is for it belongs to it; another item, or a
// session for another one, asks.
func TestGrantIsForTheWorkItem(t *testing.T) {
	l, base := world(t)
	l.policy = tightened(t, l, "security: {command_level: always}")
	if err := l.ready(); err != nil {
		t.Fatal(err)
	}
	child := func(session, own string) *openQuestion {
		t.Helper()
		around := endedRun(&Judgement{Request: Request{WorkItem: session}}, sandbox.Status{})
		d := &requestServer{r: around.started}
		req := d.request(Question{Text: "ls src", Name: "tada-run", Dir: base.Dir, Env: base.Env, WorkItem: own})
		a, err := l.attempt(judged(t, l, req), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.log.Close() })
		return &openQuestion{attempt: a, authority: &authority{}}
	}
	ctx := context.Background()
	e, _, err := l.store.Request(ctx, child("P", "").question())
	if err == nil {
		d := Answer(e, true, "", "inbox")
		d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
		_, err = l.store.Decide(ctx, d)
	}
	if err == nil {
		_, _, err = l.store.Grant(ctx, approval.GrantRequest{Envelope: e.ID, PlanHash: e.PlanHash})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		session, own string
		granted      bool
	}{{"P", "", true}, {"P", "P", true}, {"", "P", true}, {"P", "Q", false}, {"Q", "", false}, {"", "", false}} {
		r := child(test.session, test.own)
		if err := r.useGrant(ctx); err != nil || (r.grant != "") != test.granted {
			t.Errorf("in a session for %q, for %q: granted %v, %v", test.session, test.own, r.grant != "", err)
		}
	}
}
