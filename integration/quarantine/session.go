package quarantine

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are the settings of a session. The zero value of each field means the default.
type Options struct {
	Root string // the tree that may be read; required

	TTL     time.Duration // how long a reference is valid; 300 s
	Skew    time.Duration // how far from the future one may be; 60 s
	Timeout time.Duration // how long the session's agents may work; 5 minutes

	// OnlyReferred confines Grep and Glob to files that the agent was referred to.
	OnlyReferred bool

	// MayRead refuses what the policy lets no one read, by a path without links. Nil refuses
	// nothing.
	MayRead func(path string) error
	// MaySearch refuses a tree that contains something unreadable, whose content may therefore not
	// be searched. Nil refuses nothing.
	MaySearch func(path string) error

	Now    func() time.Time // time.Now
	Random io.Reader        // crypto/rand.Reader
}

// The defaults of Options.
const (
	DefaultTTL     = 300 * time.Second
	DefaultSkew    = 60 * time.Second
	DefaultTimeout = 5 * time.Minute
)

func (o Options) filled() Options {
	if o.TTL <= 0 {
		o.TTL = DefaultTTL
	}
	if o.Skew <= 0 {
		o.Skew = DefaultSkew
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MayRead == nil {
		o.MayRead = func(string) error { return nil }
	}
	if o.MaySearch == nil {
		o.MaySearch = func(string) error { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o
}

// A Session is one review: a root, a key that signs references to files below it, and the agents
// that are confined in it. It exists in one process and ends with it.
type Session struct {
	ID      string
	Created time.Time

	o      Options
	root   *root
	key    *secret
	agents *agents

	mu    sync.Mutex
	ended bool
	seen  map[string]bool // files to which its agents were referred, or whose content they may have
}

// Sessions are the sessions of one broker, in its memory and nowhere else.
type Sessions struct {
	mu  sync.Mutex
	all map[string]*Session
}

// Create makes a session with an id and a key. The caller ends it with Destroy.
func (s *Sessions) Create(o Options) (*Session, error) {
	o = o.filled()
	id, err := newID(o.Random)
	if err != nil {
		return nil, err
	}
	r, err := openRoot(o.Root)
	if err != nil {
		return nil, err
	}
	key, err := newSecret(o.Random)
	if err != nil {
		r.close()
		return nil, err
	}
	session := &Session{ID: id, Created: o.Now(), o: o, root: r, key: key, agents: newAgents()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*Session{}
	}
	s.all[id] = session
	return session, nil
}

// Get returns a live session, or ErrUnknownSession.
func (s *Sessions) Get(id string) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.all[id]; session != nil {
		return session, nil
	}
	return nil, fmt.Errorf("session %q: %w", id, ErrUnknownSession)
}

// Destroy ends a session: it zeroes the key, frees the agents' slots, and voids every reference.
// For a session that does not exist it returns ErrUnknownSession.
func (s *Sessions) Destroy(id string) error {
	s.mu.Lock()
	session := s.all[id]
	delete(s.all, id)
	s.mu.Unlock()
	if session == nil {
		return fmt.Errorf("session %q: %w", id, ErrUnknownSession)
	}
	session.destroy()
	return nil
}

func (s *Session) destroy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	s.key.destroy()
	s.agents.end()
	s.root.close()
}

// Root returns the tree of the session, links resolved.
func (s *Session) Root() string { return s.root.name }

// TTL and Timeout return the values with which the session was made.
func (s *Session) TTL() time.Duration     { return s.o.TTL }
func (s *Session) Timeout() time.Duration { return s.o.Timeout }

// Deadline is when the session's agents must be done.
func (s *Session) Deadline() time.Time { return s.Created.Add(s.o.Timeout) }

// alive returns ErrUnknownSession or ErrTimeout for a session that no longer answers.
func (s *Session) alive() error {
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	switch {
	case ended:
		return fmt.Errorf("session %q: %w", s.ID, ErrUnknownSession)
	case !s.o.Now().Before(s.Deadline()):
		return fmt.Errorf("session %q: %w: it had %v", s.ID, ErrTimeout, s.o.Timeout)
	}
	return nil
}

// Refer signs a reference to a file below the root. name is absolute; links in it are followed now,
// and the path they lead to is signed. With bind, the reference is valid only for the file's
// current content.
func (s *Session) Refer(name string, bind bool) (Reference, error) {
	if err := s.alive(); err != nil {
		return Reference{}, err
	}
	real, mode, err := s.root.resolve(name)
	switch {
	case err != nil:
		return Reference{}, fmt.Errorf("refer to %q: %w", name, err)
	case !mode.IsRegular():
		return Reference{}, fmt.Errorf("refer to %q: %w: it is not a plain file", name, ErrNotFound)
	}
	if err := s.o.MayRead(real); err != nil {
		return Reference{}, fmt.Errorf("refer to %q: %w", name, err)
	}
	r := Reference{Path: real, Timestamp: s.o.Now().Unix(), SessionID: s.ID}
	if err := checkPath(real); err != nil {
		return Reference{}, err
	}
	if bind {
		text, err := s.load(real)
		if err != nil {
			return Reference{}, fmt.Errorf("refer to %q: %w", name, err)
		}
		r.Bound, r.SHA = true, sha256.Sum256(text)
	}
	s.saw(real)
	return s.sign(r)
}

// saw records a file whose content an agent of the session may know.
func (s *Session) saw(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[path] = true
}

func (s *Session) seenPaths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.seen))
}

func (s *Session) referredTo(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path]
}

func (s *Session) sign(r Reference) (Reference, error) {
	message, err := r.message()
	if err != nil {
		return Reference{}, err
	}
	r.HMAC, err = s.key.sum(message)
	return r, err
}

// Verify returns the reference that uri spells, if this session signed it, it has not expired and
// its file exists; otherwise an error for the first rule that it breaks, in the order of [Code]. It
// does not look at the file's content: Read does that.
func (s *Session) Verify(uri string) (Reference, error) {
	r, err := s.signed(uri)
	if err != nil {
		return Reference{}, err
	}
	f, err := s.root.content(r.Path)
	if err != nil {
		return Reference{}, err
	}
	f.Close()
	return r, nil
}

// signed checks everything about a reference except its file.
func (s *Session) signed(uri string) (Reference, error) {
	r, err := ParseURI(uri)
	if err != nil {
		return Reference{}, err
	}
	if r.SessionID != s.ID {
		return Reference{}, fmt.Errorf("%w: %s", ErrWrongSession, r.SessionID)
	}
	if err := s.authentic(r); err != nil {
		return Reference{}, err
	}
	now := s.o.Now()
	switch {
	case r.Timestamp > now.Add(s.o.Skew).Unix():
		return Reference{}, fmt.Errorf("%w: by %d s", ErrFuture, r.Timestamp-now.Unix())
	case !now.Before(r.expires(s.o.TTL)):
		return Reference{}, fmt.Errorf("%w: %d s ago", ErrExpired,
			now.Unix()-r.expires(s.o.TTL).Unix())
	}
	return r, s.alive()
}

// authentic compares in constant time: the time of the answer must not reveal how much of a forged
// HMAC was right.
func (s *Session) authentic(r Reference) error {
	message, err := r.message()
	if err != nil {
		return malformed("%v", err)
	}
	mac, err := s.key.sum(message)
	if errors.Is(err, errDestroyed) {
		return fmt.Errorf("session %q: %w", s.ID, ErrUnknownSession)
	}
	if err != nil {
		return err
	}
	if !hmac.Equal(mac[:], r.HMAC[:]) {
		return ErrBadHMAC
	}
	return nil
}

// Read verifies uri and returns the content of its file. It does not look the file up a second
// time: it reads the file that it opened below the root without following a link. If the reference
// is bound to a content, the bytes that were read are compared.
func (s *Session) Read(uri string) (Reference, []byte, error) {
	r, err := s.signed(uri)
	if err != nil {
		return Reference{}, nil, err
	}
	if err := s.o.MayRead(r.Path); err != nil { // the policy may have been tightened since
		return Reference{}, nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	text, err := s.load(r.Path)
	if err != nil {
		return Reference{}, nil, err
	}
	if r.Bound && sha256.Sum256(text) != r.SHA {
		return Reference{}, nil, fmt.Errorf("%q: %w", r.Path, ErrChanged)
	}
	return r, text, nil
}

// below returns name relative to the root.
func (r *root) below(name string) (string, error) {
	if name == r.name {
		return ".", nil
	}
	prefix := strings.TrimSuffix(r.name, "/") + "/"
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok || rest == "" {
		return "", fmt.Errorf("%q: %w", name, ErrOutside)
	}
	return rest, nil
}

// maxContent is the maximum size of a file that a reference may serve.
const maxContent = 16 << 20

func (s *Session) load(path string) ([]byte, error) {
	f, err := s.root.content(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// A Result is the result of Verify, for callers that only report it.
type Result struct {
	Valid   bool   `json:"valid"`
	Code    Code   `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Path    string `json:"path,omitempty"` // escaped as in the URI
}

// Check is Verify as a Result. If the reference is bound to a content, the file is read.
func (s *Session) Check(uri string) Result {
	r, err := s.verified(uri)
	if err != nil {
		return Result{Code: CodeOf(err), Message: err.Error()}
	}
	return Result{Valid: true, Path: string(appendEscaped(nil, r.Path))}
}

// verified is Verify, and then reads the file if a content is bound, or else asks the policy.
func (s *Session) verified(uri string) (Reference, error) {
	r, err := s.Verify(uri)
	if err != nil {
		return Reference{}, err
	}
	if !r.Bound {
		return r, s.o.MayRead(r.Path)
	}
	r, _, err = s.Read(uri)
	return r, err
}

// abs returns name as an absolute path for a caller in dir.
func abs(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}
