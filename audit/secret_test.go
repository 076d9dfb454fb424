package audit

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFindSecrets(t *testing.T) {
	a, b := strings.Repeat("a1B2", 10), strings.Repeat("Z9", 20)
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"nothing to see: ghosts, sk-ip, AKIArea, http://host/path, eyJust"}, ""},
		{[]string{"token ghp_" + a + "\n"}, "0 GitHub token"},
		{[]string{"x", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\n"}, "1 AWS access key"},
		{[]string{"-----BEGIN OPENSSH PRIVATE KEY-----\nabc"}, "0 private key"},
		{[]string{"git clone https://me:hunter22@example.org/x"}, "0 password in a URL"},
		{[]string{"Authorization: Bearer eyJ" + a + ".eyJ" + b + "." + a}, "0 JSON web token"},
		{[]string{"export K=sk-" + a[:8], a[8:] + " done"}, "0 model API key, 1 model API key"},
		{strings.SplitAfter("x AKIAIOSFODNN7EXAMPLE y", ""),
			"2 AWS access key, 3 AWS access key, 4 AWS access key, 5 AWS access key, 6 AWS access key, 7 AWS access key, 8 AWS access key, " +
				"9 AWS access key, 10 AWS access key, 11 AWS access key, 12 AWS access key, 13 AWS access key, 14 AWS access key, 15 AWS access key, 16 AWS access key, " +
				"17 AWS access key, 18 AWS access key, 19 AWS access key, 20 AWS access key, 21 AWS access key"},
		{[]string{"ghp_" + a, " and more", " and more"}, "0 GitHub token"},
	} {
		path := filepath.Join(t.TempDir(), "a.cast")
		r := recordAll(t, path)
		for _, p := range c.parts {
			must(t, r.Output(CodeOutput, []byte(p)))
		}
		_, err := r.Close()
		must(t, err)
		found, err := FindSecrets(bytes.NewReader(readAll(t, path)))
		must(t, err)
		var got []string
		for _, s := range found {
			got = append(got, fmt.Sprint(s.Seq, " ", s.Name))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%.40q: found %q, want %q", c.parts, s, c.want)
		}
	}
}

// A running session is followed to its end, without losing a byte.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	r := record(t, path)
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	ended := make(chan struct{})
	go func() {
		for i := range 20 {
			if err := r.Output(CodeOutput, fmt.Appendf(nil, "%d ", i)); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
		if _, err := r.Close(); err != nil {
			t.Error(err)
		}
		close(ended)
	}()
	over := func() bool {
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}
	followed, err := NewReader("a.cast", Follow(t.Context(), f, over))
	must(t, err)
	var out strings.Builder
	for {
		e, err := followed.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		out.Write(e.Data)
	}
	if !strings.HasSuffix(out.String(), "18 19 ") || len(strings.Fields(out.String())) != 20 {
		t.Errorf("followed %q", out.String())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := io.Copy(io.Discard, Follow(ctx, f, func() bool { return false })); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a session without an end: %v", err)
	}
}

// recordAll returns a recorder that hides nothing.
func recordAll(t testing.TB, path string) *Recorder {
	t.Helper()
	r, err := Create(path, Header{},
		RecordOptions{Now: steps(time.Millisecond), Rand: rand.Reader, KeepSecrets: true})
	must(t, err)
	return r
}
