package quarantine

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// A clock is a time that tests move.
type clock struct{ now time.Time }

func newClock() *clock                   { return &clock{time.Unix(1790000000, 0)} }
func (c *clock) Now() time.Time          { return c.now }
func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

// testRoot returns a tree with a file, a folder and links that lead out of it.
func testRoot(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	for name, text := range map[string]string{
		"root/main.go": "package main\n", "root/sub/a b?%": "odd name\n",
		"root/sub/.env": "TOKEN=1\n", "secret": "outside\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"out": "../secret", "away": "..", "absolute": "/etc", "in": "main.go",
		"back": root + "/main.go", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// testSession returns a session of its own Sessions, destroyed when the test ends.
func testSession(t testing.TB, root string, change func(*Options)) *Session {
	t.Helper()
	o := Options{Root: root}
	if change != nil {
		change(&o)
	}
	var all Sessions
	s, err := all.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = all.Destroy(s.ID) })
	return s
}

// fixedKey gives a session the key 00 01 02 ... 1f.
func fixedKey(t *testing.T, s *Session) {
	t.Helper()
	key := make([]byte, keySize)
	for i := range key {
		key[i] = byte(i)
	}
	secret, err := newSecret(bytes.NewReader(key))
	if err != nil {
		t.Fatal(err)
	}
	s.key.destroy()
	s.key = secret
}

func mustRefer(t testing.TB, s *Session, name string) Reference {
	t.Helper()
	r, err := s.Refer(filepath.Join(s.Root(), name), false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// D-sess-1: each session has its own id and its own 32 random bytes.
func TestCreateSession(t *testing.T) {
	if o := (Options{}).filled(); o.Random != rand.Reader {
		t.Error("keys do not come from crypto/rand")
	}
	shape := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var read countingReader
	root := testRoot(t)
	a := testSession(t, root, func(o *Options) { o.Random = &read })
	b := testSession(t, root, nil)
	if !shape.MatchString(a.ID) || !shape.MatchString(b.ID) || !isUUID(a.ID) || a.ID == b.ID {
		t.Errorf("ids %q and %q", a.ID, b.ID)
	}
	if read != 16+keySize || keySize != 32 {
		t.Errorf("an id and a key took %d random bytes", read)
	}
	if bytes.Equal(a.key.page[:blockSize], b.key.page[:blockSize]) {
		t.Error("two sessions have one key")
	}
	if a.Root() != root || a.TTL() != DefaultTTL || a.Timeout() != DefaultTimeout ||
		a.Created.IsZero() {
		t.Errorf("metadata: %+v", a)
	}
	for n := range 16 + keySize { // randomness that ends early makes no session
		var all Sessions
		if s, err := all.Create(Options{Root: root,
			Random: io.LimitReader(rand.Reader, int64(n))}); err == nil {
			t.Errorf("%d random bytes made the session %q", n, s.ID)
		}
	}
}

type countingReader int

func (c *countingReader) Read(p []byte) (int, error) {
	*c += countingReader(len(p))
	return rand.Read(p)
}

// D-sess-2, D-sess-4: a session that is not in this process's memory does not exist. A restart is
// another Sessions with nothing in it.
func TestGetSession(t *testing.T) {
	var all, restarted Sessions
	s, err := all.Create(Options{Root: testRoot(t)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := all.Get(s.ID); got != s || err != nil {
		t.Errorf("a known session is %v, %v", got, err)
	}
	uri := mustRefer(t, s, "main.go").URI()
	for _, err := range []error{
		second(restarted.Get(s.ID)), second(all.Get("")), second(all.Get(someUUID)),
		restarted.Destroy(s.ID),
		all.Destroy(someUUID),
	} {
		if !errors.Is(err, ErrUnknownSession) {
			t.Errorf("an unknown session: %v", err)
		}
	}
	if err := all.Destroy(s.ID); err != nil {
		t.Fatal(err)
	}
	_, refer := s.Refer(filepath.Join(s.Root(), "main.go"), false)
	_, _, read := s.Read(uri)
	for _, err := range []error{second(all.Get(s.ID)), second(s.Verify(uri)), refer, read,
		all.Destroy(s.ID)} {
		if !errors.Is(err, ErrUnknownSession) || CodeOf(err) != CodeUnknown {
			t.Errorf("a destroyed session: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// D-quar-4: when a session's time is over, it is over for everyone, whatever the references say.
func TestSessionTimesOut(t *testing.T) {
	c := newClock()
	s := testSession(t, testRoot(t), func(o *Options) { o.Now = c.Now; o.TTL = time.Hour })
	uri := mustRefer(t, s, "main.go").URI()
	c.advance(299 * time.Second)
	if _, err := s.Verify(uri); err != nil {
		t.Error(err)
	}
	c.advance(time.Second)
	if _, err := s.Verify(uri); CodeOf(err) != CodeTimeout {
		t.Errorf("after 300 s: %v", err)
	}
	if _, err := s.Refer(filepath.Join(s.Root(), "main.go"), false); !errors.Is(err, ErrTimeout) {
		t.Errorf("after 300 s: %v", err)
	}
}

// D-ref-1: the signed text is canonical JSON, so any implementation of JSON and HMAC makes the same
// vector. The vectors are Python's:
//
//	hmac.new(bytes(range(32)), json.dumps(fields, sort_keys=True, separators=(',',':')).encode(), 'sha256').hexdigest()
func TestSignedVector(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	fixedKey(t, s)
	plain := Reference{Path: "/src/\xff é.go", Timestamp: 1790000000, SessionID: someUUID}
	bound := plain
	bound.Bound, bound.SHA = true, sha256.Sum256([]byte("x"))
	for _, test := range []struct {
		r             Reference
		message, hmac string
	}{
		{plain, `{"path":"/src/\udcff \u00e9.go","sessionId":"` + someUUID +
			`","timestamp":1790000000}`,
			"8a6d8fbfbb8c70a6cea7864ebc018aaa6034290e549b5916f97d12c619a8151c"},
		{bound, `{"path":"/src/\udcff \u00e9.go","sessionId":"` + someUUID +
			`","sha":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","timestamp":1790000000,"v":2}`, "f8b9927469b8c500ae3ac70fd458ccf1d8ff18d29a18dcbb41d987cc9d9f7884"},
	} {
		message, err := test.r.message()
		if err != nil || string(message) != test.message {
			t.Errorf("signed %s, %v\n  want %s", message, err, test.message)
		}
		r, err := s.sign(test.r)
		if got := hex.EncodeToString(r.HMAC[:]); err != nil || got != test.hmac {
			t.Errorf("HMAC %s, %v; want %s", got, err, test.hmac)
		}
	}
}
