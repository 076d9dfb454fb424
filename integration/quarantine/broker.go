package quarantine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A Broker answers for one session to other processes of the same user, over a socket in the state
// directory. It is not a daemon: it is part of the process that made the session, and lives as long
// as that process.
type Broker struct {
	Session *Session
	Log     *Log
	// Peer says whether a process may ask. Its arguments come from the kernel, not from the
	// process.
	Peer func(pid, uid int) error

	sessions *Sessions
	dir      string
	listener *net.UnixListener
	ended    chan struct{} // closed when a client ends the session
	once     sync.Once
	requests sync.WaitGroup
}

// requestTime is how long one request and its answer may take.
const requestTime = 5 * time.Second

// Listen creates the socket of session in dir, a folder of mode 0700, and stores beside it which
// agents the session confines: if the broker dies, they stay confined.
func (s *Sessions) Listen(session *Session, dir string, log *Log,
	peer func(pid, uid int) error) (*Broker, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("socket of the session: %w", err)
	}
	b := &Broker{Session: session, Log: log, Peer: peer, sessions: s, dir: dir,
		ended: make(chan struct{})}
	if err := b.remember(); err != nil {
		return nil, err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("socket of the session: %w", err)
	}
	defer folder.Close()
	b.listener, err = net.ListenUnix("unix",
		&net.UnixAddr{Name: within(folder, session.ID+".sock"), Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("socket of the session: %w", err)
	}
	b.listener.SetUnlinkOnClose(false) // its name uses a descriptor that is closed by then
	return b, nil
}

// Serve answers until ctx ends, the session's time is over, or a client ends the session. Then the
// session is destroyed, the log is written and the socket is removed. It returns ErrTimeout if the
// time was over.
func (b *Broker) Serve(ctx context.Context) error {
	limit := time.NewTimer(b.Session.Deadline().Sub(b.Session.o.Now()))
	defer limit.Stop()
	go b.accept()
	var err error
	select {
	case <-ctx.Done():
	case <-b.ended:
	case <-limit.C:
		err = fmt.Errorf("session %q: %w: it had %v", b.Session.ID, ErrTimeout, b.Session.Timeout())
		err = errors.Join(err, b.Log.Add(Event{Time: b.Session.o.Now(), Type: EventTimeout,
			Session: b.Session.ID, Reason: ErrTimeout.Error()}))
	}
	return errors.Join(err, b.Close())
}

// Close ends the session.
func (b *Broker) Close() error {
	_ = b.listener.Close()
	_ = os.Remove(filepath.Join(b.dir, b.Session.ID+".sock"))
	b.requests.Wait()
	_ = b.sessions.Destroy(b.Session.ID) // it may have been ended before
	return b.Log.Flush()
}

func (b *Broker) accept() {
	for {
		c, err := b.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptors left: that passes
			time.Sleep(10 * time.Millisecond)
			continue
		}
		b.requests.Go(func() { b.serve(c) })
	}
}

func (b *Broker) serve(c *net.UnixConn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(requestTime))
	var r request
	if err := b.admit(c); err != nil {
		_ = writeLine(c, failure(err))
		return
	}
	if err := readLine(c, maxRequest, &r); err != nil {
		_ = writeLine(c, failure(err))
		return
	}
	_ = writeLine(c, b.answer(r))
	if r.Op == opEnd {
		b.once.Do(func() { close(b.ended) })
	}
}

// admit asks the kernel which process is at the other end.
func (b *Broker) admit(c *net.UnixConn) error {
	pid, uid, err := peerOf(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPeer, err)
	}
	if uid != os.Getuid() {
		return fmt.Errorf("%w: it belongs to uid %d", ErrPeer, uid)
	}
	if b.Peer == nil {
		return nil
	}
	if err := b.Peer(pid, uid); err != nil {
		return fmt.Errorf("%w: %w", ErrPeer, err)
	}
	return nil
}

func failure(err error) reply {
	return reply{Code: CodeOf(err), Message: err.Error()}
}

// answer handles a request. A panic denies.
func (b *Broker) answer(r request) (out reply) {
	defer func() {
		if recover() != nil {
			out = reply{Code: CodeFailed, Message: "quarantine failed, so the call is denied"}
		}
	}()
	s := b.Session
	switch r.Op {
	case opAbout:
		return reply{About: s.about()}
	case opRefer:
		ref, err := s.Refer(r.Path, r.Bind)
		if err != nil {
			return failure(err)
		}
		return reply{URI: ref.URI()}
	case opVerify:
		result := s.Check(r.URI)
		return reply{Result: &result}
	case opEnforce, opServe:
		return b.called(r)
	case opRespond:
		response, err := s.Respond(r.Text, b.Log)
		if err != nil {
			return failure(err)
		}
		return reply{Response: &response}
	case opEnd:
		_ = b.sessions.Destroy(s.ID)
		return reply{}
	}
	return reply{Code: CodeFailed, Message: fmt.Sprintf("a broker has no %q", r.Op)}
}

// called decides about a call and, for opServe, also carries it out.
func (b *Broker) called(r request) reply {
	if r.Call == nil {
		return reply{Code: CodeFailed, Message: "there is no call"}
	}
	if r.Op == opEnforce {
		d := b.Session.Enforce(*r.Call, b.Log)
		return reply{Decision: &d}
	}
	r.Call.Inside = true
	d, content := b.Session.Serve(*r.Call, b.Log)
	return reply{Decision: &d, Content: content}
}

func (s *Session) about() *About {
	a := &About{Session: s.ID, Root: s.Root(), TTL: int(s.o.TTL / time.Second),
		Deadline: s.Deadline().Unix()}
	s.agents.mu.Lock()
	defer s.agents.mu.Unlock()
	for _, agent := range s.agents.all {
		a.Agents = append(a.Agents, *agent)
	}
	slices.SortFunc(a.Agents, func(x, y Agent) int { return x.Created.Compare(y.Created) })
	return a
}

// A held is the content of the file beside the socket: the agents that a session confines.
type held struct {
	Session string   `json:"session"`
	Agents  []string `json:"agents"`
	Bound   []string `json:"platform_sessions"`
}

func (h held) holds(c Call) bool {
	return slices.ContainsFunc([]string{c.Agent, c.Kind, c.Parent},
		func(id string) bool { return id != "" && slices.Contains(h.Agents, id) }) ||
		c.Platform != "" && slices.Contains(h.Bound, c.Platform)
}

// remember stores which agents the session confines. The file contains no secret.
func (b *Broker) remember() error {
	h := held{Session: b.Session.ID, Agents: []string{}, Bound: []string{}}
	a := b.Session.agents
	a.mu.Lock()
	for id := range a.all {
		h.Agents = append(h.Agents, id)
	}
	for id := range a.bound {
		h.Bound = append(h.Bound, id)
	}
	a.mu.Unlock()
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	name := filepath.Join(b.dir, b.Session.ID+".json")
	if err = os.WriteFile(name+".new", text, 0o600); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("remember whom the session holds: %w", err)
	}
	return nil
}
