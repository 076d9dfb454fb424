package quarantine

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// D-adr-2: the two lines of RFC 2104 agree with the standard library's HMAC.
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

// D-ref-4: no clock can show here whether a comparison takes constant time, so the test looks at
// the code.
func TestComparesInConstantTime(t *testing.T) {
	text, err := os.ReadFile("session.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(text), "func (s *Session) authentic(")
	body, _, _ = strings.Cut(body, "\n}\n")
	if !found || !strings.Contains(body, "if !hmac.Equal(mac[:], r.HMAC[:]) {") ||
		strings.Count(body, "r.HMAC") != 1 {
		t.Errorf("references are not compared by hmac.Equal alone:\n%s", body)
	}
}

// D-ref-4, D-ref-5, D-ref-6, D-ref-7, D-ref-8: each way in which a reference can be wrong, and its
// code.
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
		{"another session's id", edited(func(r *Reference) { r.SessionID = other.ID }),
			CodeWrongSession},
		{"another session's reference", mustRefer(t, other, "main.go").URI(), CodeWrongSession},
		{"the first bit of the HMAC", edited(func(r *Reference) { r.HMAC[0] ^= 1 }), CodeBadHMAC},
		{"the last bit of the HMAC", edited(func(r *Reference) { r.HMAC[31] ^= 1 }), CodeBadHMAC},
		{"no HMAC", edited(func(r *Reference) { r.HMAC = [32]byte{} }), CodeBadHMAC},
		{"a content that was not bound", edited(func(r *Reference) { r.Bound = true }),
			CodeBadHMAC},
		{"the last second", resigned(func(r *Reference) { r.Timestamp -= 299 }), CodeOK},
		{"the end of its time", resigned(func(r *Reference) { r.Timestamp -= 300 }), CodeExpired},
		{"one second later", resigned(func(r *Reference) { r.Timestamp -= 301 }), CodeExpired},
		{"a clock that goes a little fast", resigned(func(r *Reference) { r.Timestamp += 60 }),
			CodeOK},
		{"the future", resigned(func(r *Reference) { r.Timestamp += 61 }), CodeFuture},
		{"two minutes ahead", resigned(func(r *Reference) { r.Timestamp += 120 }), CodeFuture},
		{"the end of time", resigned(func(r *Reference) { r.Timestamp = 1<<63 - 1 }), CodeFuture},
		{"the beginning of time", resigned(func(r *Reference) { r.Timestamp = 0 }), CodeExpired},
		{"a missing file", resigned(func(r *Reference) { r.Path = root + "/none" }), CodeNotFound},
		{"a folder", resigned(func(r *Reference) { r.Path = root + "/sub" }), CodeNotFound},
		{"a path through a link", resigned(func(r *Reference) { r.Path = root + "/in" }),
			CodeNotFound},
		{"a path outside, signed", resigned(func(r *Reference) { r.Path = "/etc/passwd" }),
			CodeNotFound},
	} {
		r, err := s.Verify(test.uri)
		if CodeOf(err) != test.code {
			t.Errorf("%s: %v, code %q; want %q", test.what, err, CodeOf(err), test.code)
		}
		if err != nil && r != (Reference{}) {
			t.Errorf("%s: refused and returned %+v", test.what, r)
		}
		got := s.Check(test.uri)
		if got.Valid != (test.code == CodeOK) || got.Code != test.code ||
			got.Valid == (got.Message != "") {
			t.Errorf("%s: told as %+v", test.what, got)
		}
		if _, text, err := s.Read(test.uri); CodeOf(err) != test.code ||
			(err != nil) != (text == nil) {
			t.Errorf("%s: read %q, %v", test.what, text, err)
		}
	}
}

// D-ref-9: the signed path is where the name leads, and that is always below the root.
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
		"main.go": "main.go", "./sub/../main.go": "main.go", "in": "main.go", "back": "main.go",
		"sub/a b?%":         "sub/a b?%",
		"away/root/main.go": "main.go", "out": "", "absolute/passwd": "", "../secret": "",
		"a/../../secret": "",
		"/etc/passwd":    "", "loop": "", "none": "", "sub": "", "": "", "sub/.env": "",
		"main.go/x":                  "",
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

// D-ref-10: between verifying and reading, the name is given to something else. The read is refused
// and never follows it.
func TestSwapIsRefused(t *testing.T) {
	for what, swap := range map[string]func(root string) error{
		"a link to a file outside": func(root string) error {
			return os.Symlink("../secret", root+"/main.go")
		},
		"a link to the same file": func(root string) error {
			return os.Symlink("sub/.env", root+"/main.go")
		},
		"a magic link": func(root string) error {
			return os.Symlink("/proc/self/environ", root+"/main.go")
		},
		"a folder": func(root string) error {
			return os.Mkdir(root+"/main.go", 0o755)
		},
		"a named pipe": func(root string) error {
			return unix.Mkfifo(root+"/main.go", 0o644)
		},
		"nothing": func(string) error { return nil },
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
	// A folder on the path becomes a link, and the root itself gets another name.
	s := testSession(t, testRoot(t), nil)
	uri := mustRefer(t, s, "sub/a b?%").URI()
	moved := s.Root() + "-moved"
	if err := errors.Join(os.Rename(s.Root(), moved), os.Symlink("/etc", s.Root())); err != nil {
		t.Fatal(err)
	}
	if _, text, err := s.Read(uri); err != nil || string(text) != "odd name\n" {
		t.Errorf("the root that was opened has another name: %q, %v", text, err)
	}
	if err := errors.Join(os.Rename(moved+"/sub", moved+"/sub2"),
		os.Symlink("sub2", moved+"/sub")); err != nil {
		t.Fatal(err)
	}
	if _, text, err := s.Read(uri); CodeOf(err) != CodeNotFound {
		t.Errorf("through a link: %q, %v", text, err)
	}
}

// D-tool-5, D-ref-10: no link leads out of the root. The kernel ensures that, before the name of
// the opened file is queried.
func TestOpensBelow(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	for _, name := range []string{"out", "absolute", "away/root/main.go", "../secret"} {
		if f, err := s.root.open(s.Root()+"/"+name, unix.O_PATH, false); !errors.Is(err,
			ErrOutside) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// A signed reference does not give access to what policy forbids by now, even if it is bound to a
// content.
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

// D-ref-12: a reference to a content becomes void when the content changes.
func TestContentBinding(t *testing.T) {
	s := testSession(t, testRoot(t), nil)
	name := filepath.Join(s.Root(), "main.go")
	r, err := s.Refer(name, true)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ParseURI(r.URI()); err != nil || back != r ||
		!strings.Contains(r.URI(), "&sha=") {
		t.Fatalf("%s reads as %+v, %v", r.URI(), back, err)
	}
	if _, text, err := s.Read(r.URI()); err != nil || string(text) != "package main\n" ||
		!s.Check(r.URI()).Valid {
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

// D-adr-2: the requirement is less than 5 ms.
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
