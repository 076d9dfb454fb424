package quarantine

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
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
		"root/main.go": "package main\n", "root/sub/a b?%": "odd name\n", "root/sub/.env": "TOKEN=1\n", "secret": "outside\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"out": "../secret", "away": "..", "absolute": "/etc", "in": "main.go", "back": root + "/main.go", "loop": "loop",
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

// D-sess-1: an id of its own, 32 random bytes of its own.
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
	if a.Root() != root || a.TTL() != DefaultTTL || a.Timeout() != DefaultTimeout || a.Created.IsZero() {
		t.Errorf("metadata: %+v", a)
	}
	for n := range 16 + keySize { // randomness that ends early makes no session
		var all Sessions
		if s, err := all.Create(Options{Root: root, Random: io.LimitReader(rand.Reader, int64(n))}); err == nil {
			t.Errorf("%d random bytes made the session %q", n, s.ID)
		}
	}
}

type countingReader int

func (c *countingReader) Read(p []byte) (int, error) {
	*c += countingReader(len(p))
	return rand.Read(p)
}

// D-sess-2, D-sess-4: who is not in this process's memory is nobody. A restart is another
// Sessions with nothing in it.
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
		second(restarted.Get(s.ID)), second(all.Get("")), second(all.Get(someUUID)), restarted.Destroy(s.ID),
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
	for _, err := range []error{second(all.Get(s.ID)), second(s.Verify(uri)), refer, read, all.Destroy(s.ID)} {
		if !errors.Is(err, ErrUnknownSession) || CodeOf(err) != CodeUnknown {
			t.Errorf("a destroyed session: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// D-sess-3, D-lim-3: after the end, the key is nowhere in this process's memory, in either of
// the forms that it was ever held in.
func TestKeyIsGone(t *testing.T) {
	key := make([]byte, keySize)
	rand.Read(key)
	needles := make([][]byte, 3) // kept in a form that is none of those looked for
	for i, pad := range []byte{0, 0x36, 0x5c} {
		for _, b := range key {
			needles[i] = append(needles[i], b^pad^0xaa)
		}
	}
	var all Sessions
	s, err := all.Create(Options{Root: testRoot(t), Random: io.MultiReader(io.LimitReader(rand.Reader, 16), bytes.NewReader(key))})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := s.Verify(mustRefer(t, s, "main.go").URI()); err != nil {
			t.Fatal(err)
		}
	}
	free := s.key.free
	s.key.free = func(page []byte) error { // a page that is given back cannot be looked at any more
		if slices.ContainsFunc(page, func(b byte) bool { return b != 0 }) {
			t.Error("the key is given back and not zeroed")
		}
		return free(page)
	}
	page := s.key.page
	if !bytes.Equal(xor(page[:keySize], 0x36^0xaa), needles[0]) {
		t.Fatal("the key is not where this test looks for it")
	}
	if err := all.Destroy(s.ID); err != nil {
		t.Fatal(err)
	}
	clear(key)
	if held := findInMemory(t, needles); held != "" {
		t.Errorf("the key is still in memory: %s", held)
	}
	if s.key.page != nil {
		t.Error("the page is still there")
	}
}

func xor(b []byte, with byte) []byte {
	out := make([]byte, len(b))
	for i := range b {
		out[i] = b[i] ^ with
	}
	return out
}

// findInMemory looks through all memory of this process that can be written.
func findInMemory(t *testing.T, needles [][]byte) string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("no /proc/self/maps: %v", err)
	}
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Skipf("this process may not read its own memory: %v", err)
	}
	defer mem.Close()
	looked := 0
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		var rights string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); n != 3 || !strings.HasPrefix(rights, "rw") || to-from > 1<<28 {
			continue
		}
		text := make([]byte, to-from)
		if _, err := mem.ReadAt(text, int64(from)); err != nil {
			continue
		}
		looked++
		for i, n := range needles {
			n = xor(n, 0xaa)
			at := bytes.Index(text, n)
			clear(n)
			if at >= 0 {
				return fmt.Sprintf("form %d in %s", i, strings.TrimSpace(line))
			}
		}
		clear(text)
	}
	if looked < 5 {
		t.Fatalf("looked at %d maps only", looked)
	}
	return ""
}

// D-sess-3: a key is where no core dump, no swap file and no child has it, with secret memory and without.
func TestKeyPageStaysHere(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){
		"as this kernel has it": secretPage, "locked": func() ([]byte, error) { return lockedPage(unix.Getpagesize()) },
	} {
		page, err := make()
		if err != nil {
			t.Fatal(err)
		}
		file, flags := mapped(t, uintptr(unsafe.Pointer(&page[0])))
		if secret := strings.HasPrefix(file, "/secretmem"); secret != (name != "locked" && hasSecretMemory()) {
			t.Errorf("%s: the page is of %q", name, file)
		}
		for _, flag := range []string{"dd", "lo", "dc"} { // proc(5): left out of dumps, locked, not copied by fork
			if !slices.Contains(flags, flag) {
				t.Errorf("%s: the page has the flags %q, without %s", name, flags, flag)
			}
		}
		_ = unix.Munmap(page)
	}
}

// hasSecretMemory reports whether the kernel has memory that it does not map itself: with any flags but wrong ones.
func hasSecretMemory() bool {
	fd, err := unix.MemfdSecret(0)
	_ = unix.Close(fd)
	return err == nil
}

// mapped is what the kernel says of the memory at an address: what it is of, and its flags.
func mapped(t *testing.T, at uintptr) (file string, flags []string) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut("\n"+string(smaps), fmt.Sprintf("\n%x-", at))
	first, rest, _ := strings.Cut(rest, "\n")
	_, rest, flagged := strings.Cut(rest, "\nVmFlags:")
	if !found || !flagged {
		t.Fatalf("the kernel tells nothing of %x", at)
	}
	if f := strings.Fields(first); len(f) > 5 { // proc(5): behind the address, rights, offset, device and inode
		file = f[5]
	}
	line, _, _ := strings.Cut(rest, "\n")
	return file, strings.Fields(line)
}

// D-sess-3, D-lim-3: no file has the key in any spelling, nor does anybody who asks, while the session works and
// after its end.
func TestKeyIsInNoFile(t *testing.T) {
	key := make([]byte, keySize)
	rand.Read(key)
	_, c := startBroker(t, func(o *Options) {
		o.Random = io.MultiReader(io.LimitReader(rand.Reader, 16), bytes.NewReader(key))
	})
	ctx, all := t.Context(), filepath.Dir(t.TempDir()) // all directories of this test lie in it
	a, err := c.Register(ctx, "reviewer")
	if err != nil {
		t.Fatal(err)
	}
	about, err := c.About(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Enforce(ctx, Call{Agent: "reviewer", Tool: "Bash"}) // is in the log at once
	if told, err := json.Marshal([]any{a, about}); err != nil || spells(told, key) {
		t.Errorf("who asks is told the key: %s, %v", told, err)
	}
	if seen := filesWith(t, all, key); seen < 4 {
		t.Errorf("only %d files are looked at", seen)
	}
	if err := c.End(ctx); err != nil {
		t.Fatal(err)
	}
	filesWith(t, all, key)
}

// filesWith fails for each file below dir that has the key, and returns how many files there are.
func filesWith(t *testing.T, dir string, key []byte) (seen int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		if spells(text, key) {
			t.Errorf("the key stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return seen
}

// spells reports whether text has the key, as bytes or in a usual way to write them.
func spells(text, key []byte) bool {
	const whole = keySize / 3 * 4 // letters of base64 that depend on the key alone
	return bytes.Contains(text, key) || bytes.Contains(bytes.ToLower(text), []byte(hex.EncodeToString(key))) ||
		bytes.Contains(text, []byte(base64.StdEncoding.EncodeToString(key)[:whole])) ||
		bytes.Contains(text, []byte(base64.URLEncoding.EncodeToString(key)[:whole]))
}

// D-lim-2, D-sess-3: another process of the same user reads neither the memory of a process that
// was hardened nor, where the kernel has secret memory, the key of one that was not.
func TestMemoryIsClosed(t *testing.T) {
	if os.Getenv("QUARANTINE_HOLDER") != "" {
		if err := Harden(); err != nil {
			t.Fatal(err)
		}
		var all Sessions
		s, err := all.Create(Options{Root: "/"})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%p\n", &s.key.page[0])
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	holder := exec.Command("/proc/self/exe", "-test.run=^TestMemoryIsClosed$")
	holder.Env = append(os.Environ(), "QUARANTINE_HOLDER=1")
	holder.Dir = "/"
	asNobody(holder)
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = holder.Wait() }()
	var address uint64
	if _, err := fmt.Fscanf(out, "0x%x\n", &address); err != nil {
		t.Fatal(err)
	}
	reader := exec.Command("/bin/sh", "-c", fmt.Sprintf("exec 3< /proc/%d/mem", holder.Process.Pid))
	asNobody(reader)
	if text, err := reader.CombinedOutput(); err == nil || !bytes.Contains(text, []byte("ermission denied")) {
		t.Errorf("another process of the same user opens the memory: %v, %s", err, text)
	}
	if os.Getuid() != 0 {
		return
	}
	if !hasSecretMemory() {
		t.Log("this kernel has no memfd_secret: root can read the key")
		return
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", holder.Process.Pid))
	if err != nil {
		return
	}
	defer mem.Close()
	if n, err := mem.ReadAt(make([]byte, keySize), int64(address)); err == nil {
		t.Errorf("root reads %d bytes of the key", n)
	}
}

// soften opens what Harden closed, for the tests that come after: one process makes one session in
// earnest, and here it makes many.
func soften() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }

// asNobody makes root's command one of an ordinary user; another's stays its own.
func asNobody(c *exec.Cmd) {
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

// D-adr-2: the two lines of RFC 2104 are the standard library's HMAC.
func TestHMACIsTheStandardOne(t *testing.T) {
	for range 100 {
		key, message := make([]byte, keySize), make([]byte, 200)
		rand.Read(key)
		rand.Read(message)
		s, err := newSecret(bytes.NewReader(key))
		if err != nil {
			t.Fatal(err)
		}
		h := hmac.New(sha256.New, key)
		h.Write(message)
		if got, err := s.sum(message); err != nil || !hmac.Equal(got[:], h.Sum(nil)) {
			t.Fatalf("%x, %v; want %x", got, err, h.Sum(nil))
		}
		s.destroy()
		s.destroy()
		if _, err := s.sum(message); err == nil {
			t.Fatal("a destroyed key signs")
		}
	}
}

// D-ref-4: no clock tells a comparison in constant time from another one here, so the code is looked at.
func TestComparesInConstantTime(t *testing.T) {
	text, err := os.ReadFile("session.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(text), "func (s *Session) authentic(")
	body, _, _ = strings.Cut(body, "\n}\n")
	if !found || !strings.Contains(body, "if !hmac.Equal(mac[:], r.HMAC[:]) {") || strings.Count(body, "r.HMAC") != 1 {
		t.Errorf("references are not compared by hmac.Equal alone:\n%s", body)
	}
}

// D-ref-4, D-ref-5, D-ref-6, D-ref-7, D-ref-8: each way in which a reference can be wrong, and
// the code that it is told by.
func TestVerify(t *testing.T) {
	root := testRoot(t)
	c := newClock()
	s := testSession(t, root, func(o *Options) { o.Now, o.Timeout = c.Now, time.Hour })
	other := testSession(t, root, func(o *Options) { o.Now, o.Timeout = c.Now, time.Hour })
	good := mustRefer(t, s, "main.go")
	edited := func(change func(*Reference)) string { r := good; change(&r); return r.URI() }
	resigned := func(change func(*Reference)) string {
		r := good
		change(&r)
		r, err := s.sign(r)
		if err != nil {
			t.Fatal(err)
		}
		return r.URI()
	}
	for _, test := range []struct {
		what, uri string
		code      Code
	}{
		{"as it was signed", good.URI(), CodeOK},
		{"not a reference", "typed://x", CodeMalformed},
		{"another path", edited(func(r *Reference) { r.Path += "x" }), CodeBadHMAC},
		{"an earlier time", edited(func(r *Reference) { r.Timestamp-- }), CodeBadHMAC},
		{"a later time", edited(func(r *Reference) { r.Timestamp++ }), CodeBadHMAC},
		{"another session's id", edited(func(r *Reference) { r.SessionID = other.ID }), CodeWrongSession},
		{"another session's reference", mustRefer(t, other, "main.go").URI(), CodeWrongSession},
		{"the first bit of the HMAC", edited(func(r *Reference) { r.HMAC[0] ^= 1 }), CodeBadHMAC},
		{"the last bit of the HMAC", edited(func(r *Reference) { r.HMAC[31] ^= 1 }), CodeBadHMAC},
		{"no HMAC", edited(func(r *Reference) { r.HMAC = [32]byte{} }), CodeBadHMAC},
		{"a content that was not bound", edited(func(r *Reference) { r.Bound = true }), CodeBadHMAC},
		{"the last second", resigned(func(r *Reference) { r.Timestamp -= 299 }), CodeOK},
		{"the end of its time", resigned(func(r *Reference) { r.Timestamp -= 300 }), CodeExpired},
		{"one second later", resigned(func(r *Reference) { r.Timestamp -= 301 }), CodeExpired},
		{"a clock that goes a little fast", resigned(func(r *Reference) { r.Timestamp += 60 }), CodeOK},
		{"the future", resigned(func(r *Reference) { r.Timestamp += 61 }), CodeFuture},
		{"two minutes ahead", resigned(func(r *Reference) { r.Timestamp += 120 }), CodeFuture},
		{"the end of time", resigned(func(r *Reference) { r.Timestamp = 1<<63 - 1 }), CodeFuture},
		{"the beginning of time", resigned(func(r *Reference) { r.Timestamp = 0 }), CodeExpired},
		{"a missing file", resigned(func(r *Reference) { r.Path = root + "/none" }), CodeNotFound},
		{"a folder", resigned(func(r *Reference) { r.Path = root + "/sub" }), CodeNotFound},
		{"a path through a link", resigned(func(r *Reference) { r.Path = root + "/in" }), CodeNotFound},
		{"a path outside, signed", resigned(func(r *Reference) { r.Path = "/etc/passwd" }), CodeNotFound},
	} {
		r, err := s.Verify(test.uri)
		if CodeOf(err) != test.code {
			t.Errorf("%s: %v, code %q; want %q", test.what, err, CodeOf(err), test.code)
		}
		if err != nil && r != (Reference{}) {
			t.Errorf("%s: refused and returned %+v", test.what, r)
		}
		got := s.Check(test.uri)
		if got.Valid != (test.code == CodeOK) || got.Code != test.code || got.Valid == (got.Message != "") {
			t.Errorf("%s: told as %+v", test.what, got)
		}
		if _, text, err := s.Read(test.uri); CodeOf(err) != test.code || (err != nil) != (text == nil) {
			t.Errorf("%s: read %q, %v", test.what, text, err)
		}
	}
}

// D-quar-4: a session's time is over for everybody, whatever the references say.
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

// D-ref-9: what is signed is where the name leads, and it leads nowhere but below the root.
func TestRefer(t *testing.T) {
	root := testRoot(t)
	s := testSession(t, root, func(o *Options) {
		o.MayRead = func(path string) error {
			if filepath.Base(path) == ".env" {
				return errors.New("restricted")
			}
			return nil
		}
	})
	for name, want := range map[string]string{
		"main.go": "main.go", "./sub/../main.go": "main.go", "in": "main.go", "back": "main.go", "sub/a b?%": "sub/a b?%",
		"away/root/main.go": "main.go", "out": "", "absolute/passwd": "", "../secret": "", "a/../../secret": "",
		"/etc/passwd": "", "loop": "", "none": "", "sub": "", "": "", "sub/.env": "", "main.go/x": "",
		"/proc/self/root/etc/passwd": "", "/dev/null": "",
	} {
		r, err := s.Refer(abs(root, name), false)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q was signed as %q", name, r.Path)
		case want != "" && (err != nil || r.Path != filepath.Join(root, want)):
			t.Errorf("%q was signed as %q, %v", name, r.Path, err)
		}
	}
}

// D-ref-10: between the verification and the read, the name is given to something else. What is
// read is refused, never followed.
func TestSwapIsRefused(t *testing.T) {
	for what, swap := range map[string]func(root string) error{
		"a link to a file outside": func(root string) error { return os.Symlink("../secret", root+"/main.go") },
		"a link to the same file":  func(root string) error { return os.Symlink("sub/.env", root+"/main.go") },
		"a magic link":             func(root string) error { return os.Symlink("/proc/self/environ", root+"/main.go") },
		"a folder":                 func(root string) error { return os.Mkdir(root+"/main.go", 0o755) },
		"a named pipe":             func(root string) error { return unix.Mkfifo(root+"/main.go", 0o644) },
		"nothing":                  func(string) error { return nil },
	} {
		s := testSession(t, testRoot(t), nil)
		uri := mustRefer(t, s, "main.go").URI()
		if _, err := s.Verify(uri); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(s.Root()+"/main.go"), swap(s.Root())); err != nil {
			t.Fatal(err)
		}
		if _, text, err := s.Read(uri); CodeOf(err) != CodeNotFound || text != nil {
			t.Errorf("%s: read %q, %v", what, text, err)
		}
	}
	// A folder on the way becomes a link, and the root itself gets another name.
	s := testSession(t, testRoot(t), nil)
	uri := mustRefer(t, s, "sub/a b?%").URI()
	moved := s.Root() + "-moved"
	if err := errors.Join(os.Rename(s.Root(), moved), os.Symlink("/etc", s.Root())); err != nil {
		t.Fatal(err)
	}
	if _, text, err := s.Read(uri); err != nil || string(text) != "odd name\n" {
		t.Errorf("the root that was opened has another name: %q, %v", text, err)
	}
	if err := errors.Join(os.Rename(moved+"/sub", moved+"/sub2"), os.Symlink("sub2", moved+"/sub")); err != nil {
		t.Fatal(err)
	}
	if _, text, err := s.Read(uri); CodeOf(err) != CodeNotFound {
		t.Errorf("through a link: %q, %v", text, err)
	}
}

// D-tool-5, D-ref-10: out of the root leads no link, and the kernel is who says so, before anybody asks for the name of what was opened.
func TestOpensBelow(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	for _, name := range []string{"out", "absolute", "away/root/main.go", "../secret"} {
		if f, err := s.root.open(s.Root()+"/"+name, unix.O_PATH, false); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// A reference that was signed gives nothing that policy keeps back by now, and neither does one that is bound to a content.
func TestPolicyIsTightened(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	uri := mustRefer(t, s, "main.go").URI()
	bound, err := s.Refer(filepath.Join(s.Root(), "main.go"), true)
	if err != nil {
		t.Fatal(err)
	}
	s.o.MayRead = func(string) error { return errors.New("restricted") }
	for _, uri := range []string{uri, bound.URI()} {
		if _, text, err := s.Read(uri); CodeOf(err) != CodeNotFound || text != nil {
			t.Errorf("read %q, %v", text, err)
		}
		if _, err := s.verified(uri); err == nil {
			t.Errorf("a hook lets %s through", uri)
		}
	}
}

// D-ref-12: a reference to a content is void when the content changes.
func TestContentBinding(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	name := filepath.Join(s.Root(), "main.go")
	r, err := s.Refer(name, true)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseURI(r.URI()); err != nil || back != r || !strings.Contains(r.URI(), "&sha=") {
		t.Fatalf("%s reads as %+v, %v", r.URI(), back, err)
	}
	if _, text, err := s.Read(r.URI()); err != nil || string(text) != "package main\n" || !s.Check(r.URI()).Valid {
		t.Fatalf("read %q, %v", text, err)
	}
	if err := os.WriteFile(name, []byte("package evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, text, err := s.Read(r.URI()); CodeOf(err) != CodeChanged || text != nil {
		t.Errorf("read %q, %v", text, err)
	}
	if got := s.Check(r.URI()); got.Code != CodeChanged {
		t.Errorf("told as %+v", got)
	}
	other := r
	other.SHA = sha256.Sum256([]byte("package evil\n"))
	if _, err := s.Verify(other.URI()); CodeOf(err) != CodeBadHMAC {
		t.Errorf("another content: %v", err)
	}
}

// D-adr-2: the row asks for less than 5 ms.
func BenchmarkSignVerify(b *testing.B) {
	root := b.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("x"), 0o644); err != nil {
		b.Fatal(err)
	}
	s := testSession(b, root, func(o *Options) { o.Timeout = time.Hour })
	b.Run("sign", func(b *testing.B) {
		r := mustRefer(b, s, "a")
		for b.Loop() {
			if _, err := s.sign(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("verify", func(b *testing.B) {
		uri := mustRefer(b, s, "a").URI()
		for b.Loop() {
			if _, err := s.signed(uri); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("refer", func(b *testing.B) {
		for b.Loop() {
			mustRefer(b, s, "a")
		}
	})
	b.Run("verify-and-open", func(b *testing.B) {
		uri := mustRefer(b, s, "a").URI()
		for b.Loop() {
			if _, err := s.Verify(uri); err != nil {
				b.Fatal(err)
			}
		}
	})
}
