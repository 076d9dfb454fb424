package etcd

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
)

// recorded is a database as commit 5f38ae19, the last one without fleets, has written it, on
// 2026-03-01 at 12:00: an open question, an approval, and one that was used.
const recorded = "testdata/approvals.db.gz"

// A machine that is upgraded and joins a fleet takes over what it had before: a question that was
// open can be answered, what was approved runs once, and what was used does not run again.
func testImportOfBefore(t *testing.T, b *bed) {
	const open, given, used = "8662bbf4-61ee-402e-a87b-8be8280d9dec",
		"66143b8b-0929-4b81-8e8e-f894e657e0ed", "c9b8177b-242b-427d-adf1-56275e5c8e31"
	b.advance(time.Minute)
	from := bolt.File(unpacked(t), b.options())
	var err error
	if b.o.Secret, err = SecretOf(ctx, from); err != nil {
		t.Fatal(err)
	}
	if err := b.db(nil).Import(ctx, from); err != nil {
		t.Fatal(err)
	}
	s := b.store(b.db(nil))
	list, err := s.Pending(ctx)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d are open, %v", len(list), err)
	}
	claims := map[string]approval.Claim{}
	for _, id := range []string{open, given, used} {
		e, err := s.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		claims[id] = claim(e)
		if id != open {
			continue
		}
		if _, err := s.Consume(ctx, claims[id]); !errors.Is(err, approval.ErrPending) {
			t.Errorf("before it is answered: %v", err)
		}
		if _, err := s.Decide(ctx, yes(e)); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Consume(ctx, claims[used]); !errors.Is(err, approval.ErrReplayed) {
		t.Errorf("it is used again: %v", err)
	}
	for _, id := range []string{open, given} {
		if _, err := s.Consume(ctx, claims[id]); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := s.Consume(ctx, claims[id]); !errors.Is(err, approval.ErrReplayed) {
			t.Errorf("%s is used twice: %v", id, err)
		}
	}
}

// unpacked is a copy of the recorded database.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "approvals.db")
	packed, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o700), os.WriteFile(path, text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
