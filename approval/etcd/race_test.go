package etcd

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
)

// Of any number of claims, over several connections, one gets the permit.
func testOneOfMany(t *testing.T, b *bed) {
	var stores []*approval.Store
	for range 4 {
		stores = append(stores, b.store(b.db(nil)))
	}
	for n := range 5 {
		e := b.approved(stores[n%len(stores)], n)
		var permits atomic.Int64
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				_, err := stores[i%len(stores)].Consume(ctx, claim(e))
				if err == nil {
					permits.Add(1)
				} else if !errors.Is(err, approval.ErrReplayed) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if permits.Load() != 1 {
			t.Errorf("%d permits", permits.Load())
		}
	}
}

// Jobs at the same time share commits, and each gets the answer to its own.
func testTogether(t *testing.T, b *bed) {
	db := b.db(nil)
	s := b.store(db)
	const jobs = 64
	var asked []approval.Envelope
	for n := range jobs {
		asked = append(asked, b.approved(s, n))
	}
	before := db.state.n
	var all sync.WaitGroup
	for i, e := range asked {
		all.Go(func() {
			c := claim(e)
			if i%8 == 0 {
				c.Session = "another" // refused, with the others
			}
			p, err := s.Consume(ctx, c)
			if refused := errors.Is(err, approval.ErrUnknown); refused != (i%8 == 0) ||
				!refused && (err != nil || p.Envelope != e.ID || len(p.Events) != 1) {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	all.Wait()
	if n := db.state.n - before; n > jobs/2 {
		t.Errorf("%d commits for %d jobs", n, jobs)
	}
	if list, err := s.Unfinished(ctx); err != nil || len(list) != jobs*7/8 {
		t.Errorf("%d runs, %v", len(list), err)
	}
}

var errLost = errors.New("lost")

// A commit that is still on its way when its process finds out about it comes too late, and one
// that arrived is known to have arrived.
func testLateCommit(t *testing.T, b *bed) {
	db := b.db(nil)
	s := b.store(db)
	b.ask(s, 1)
	for _, arrives := range []bool{true, false} {
		h, mod, _ := db.read()
		x, err := db.prepare(ctx, h.n+1, changes{seq: db.state.seq, list: []change{
			{bucket: "states", key: "k", value: []byte{1}}}})
		if err != nil {
			t.Fatal(err)
		}
		h.n, h.chain = h.n+1, link(h.chain, x.value)
		send := func() int64 {
			rev, err := db.txn(ctx, db.unchanged(mod), db.putHead(h),
				clientv3.OpPut(db.recordKey(h.n), string(x.value)))
			if err != nil {
				t.Fatal(err)
			}
			return rev
		}
		if arrives {
			send()
		}
		if done, err := db.outcome(ctx, x.record, mod, errLost); err != nil || done != arrives {
			t.Errorf("arrived: %v; outcome: %v, %v", arrives, done, err)
		}
		if rev := send(); rev != 0 {
			t.Error("it was committed after its outcome was known")
		}
	}
	b.ask(b.store(b.db(nil)), 2)
	// a process that is far behind does not guess
	old := record{n: 1, ticket: ticket{1}}
	db.state.tickets = db.state.tickets[len(db.state.tickets)-1:]
	_, err := db.stored(old, errLost)
	b.wantStore(err, approval.ErrUnsure)
	if f, _ := approval.Explain(err); f.Code != "store_unsure" {
		t.Errorf("%+v", f)
	}
}

// A proxy is between clients and a server.
type proxy struct {
	net.Listener
	to   string
	cut  atomic.Bool // cuts the next connection on which the server says something
	shut atomic.Bool // ends connections as they come
	held atomic.Bool // passes nothing on
	cuts atomic.Int64

	mu  sync.Mutex
	all []net.Conn
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to}
	t.Cleanup(func() { l.Close(); p.close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

// close ends all connections.
func (p *proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		c.Close()
	}
	p.all = nil
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil || p.shut.Load() {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.all = append(p.all, client, server)
	p.mu.Unlock()
	go func() {
		defer server.Close()
		pass(server, client, p.flows)
	}()
	pass(client, server, func() bool {
		p.flows()
		cut := p.cut.CompareAndSwap(true, false)
		if cut {
			p.cuts.Add(1)
		}
		return !cut
	})
}

// flows returns true when nothing holds what was said.
func (p *proxy) flows() bool {
	for p.held.Load() {
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

// pass copies what is read as long as goes says so.
func pass(to, from net.Conn, goes func() bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil || !goes() {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// If the connection is lost after a commit was sent, the outcome is found out: no question is asked
// twice, every answer is stored once and every approval gives one permit.
func testLostAnswers(t *testing.T, b *bed) {
	p := newProxy(t, b.o.Endpoints[0])
	b.o.Endpoints = []string{p.Addr().String()}
	s := b.store(b.db(nil))
	const rounds = 15
	for n := range rounds {
		p.cut.Store(true)
		e := b.ask(s, n)
		p.cut.Store(true)
		if events, err := s.Decide(ctx, yes(e)); err != nil || len(events) != 1 {
			t.Fatal(len(events), err)
		}
		p.cut.Store(true)
		if p, err := s.Consume(ctx, claim(e)); err != nil || len(p.Calls) != 1 {
			t.Fatal(err)
		}
		if _, err := s.Consume(ctx, claim(e)); !errors.Is(err, approval.ErrReplayed) {
			t.Error(err)
		}
		if err := s.MarkLogged(ctx, "", uint64(3*n+1)); err != nil {
			t.Error(err)
		}
	}
	p.cut.Store(false)
	if n := p.cuts.Load(); n < 2*rounds {
		t.Errorf("only %d connections were cut", n)
	}
	events, err := s.Unlogged(ctx)
	if err != nil || len(events) != 2*rounds {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// A wait ends with the answer, whoever gave it, also if the watch was interrupted.
func testAwait(t *testing.T, b *bed) {
	p := newProxy(t, b.o.Endpoints[0])
	direct := b.store(b.db(nil))
	b.o.Endpoints = []string{p.Addr().String()}
	db := b.db(nil)
	s := b.store(db)
	wait := func(e approval.Envelope) chan error {
		done := make(chan error, 1)
		go func() {
			got, err := s.Wait(ctx, e.ID)
			if err == nil && !got.Approved() {
				err = errors.New("it is not approved")
			}
			done <- err
		}()
		return done
	}
	ends := func(done chan error, what string) {
		t.Helper()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(maxSilence * 3 / 4):
			t.Errorf("%s: the wait goes on", what)
		}
	}
	decide := func(e approval.Envelope) {
		t.Helper()
		if _, err := direct.Decide(ctx, yes(e)); err != nil {
			t.Fatal(err)
		}
	}
	var asked []approval.Envelope
	var waits []chan error
	for n := range 6 {
		asked = append(asked, b.ask(direct, n))
		waits = append(waits, wait(asked[n]), wait(asked[n]))
	}
	decide(asked[0])
	ends(waits[0], "one")
	ends(waits[1], "another of the same question")
	decide(b.ask(direct, strings64(maxInline)))
	decide(asked[1])
	ends(waits[2], "after a long change")

	p.shut.Store(true)
	p.close()
	decide(asked[2])
	p.shut.Store(false)
	ends(waits[4], "answered during an interruption")

	p.close()
	c := newBed(t, []string{p.to}).client()
	decide(asked[3])
	now, err := c.Get(ctx, "x")
	if err == nil {
		_, err = c.Compact(ctx, now.Header.Revision)
	}
	if err != nil {
		t.Fatal(err)
	}
	ends(waits[6], "the commits were compacted")
	decide(asked[4])
	decide(asked[5])
	for i, w := range waits {
		if i != 0 && i != 1 && i != 2 && i != 4 && i != 6 {
			ends(w, "the rest")
		}
	}
	db.bells.mu.Lock()
	defer db.bells.mu.Unlock()
	if len(db.bells.waiting) != 0 || db.bells.stop != nil {
		t.Error("the watch goes on without waits")
	}
}

// strings64 is a long text.
func strings64(n int) string { return string(make([]byte, n)) + "x" }
