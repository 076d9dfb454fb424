package etcd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
)

// file makes a database in a file, with the secret of which the test goes on.
func (b *bed) file() (*bolt.DB, *approval.Store, string) {
	b.Helper()
	dir := b.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "approvals.db")
	db := bolt.File(path, b.options())
	var err error
	if b.o.Secret, err = SecretOf(ctx, db); err != nil || len(b.o.Secret) != 32 {
		b.Fatal(len(b.o.Secret), err)
	}
	return db, b.store(db), path
}

// Everything is taken over: open questions, answers, uses, the counter of events and the place in
// the record. The file accepts no change after that.
func testImport(t *testing.T, b *bed) {
	from, old, _ := b.file()
	open, given, used := b.ask(old, 1), b.approved(old, 2), b.approved(old, 3)
	if _, err := old.Consume(ctx, claim(used)); err != nil {
		t.Fatal(err)
	}
	if err := old.MarkLogged(ctx, "entry 1", 1, 2); err != nil {
		t.Fatal(err)
	}
	b.ask(old, strings.Repeat("long", maxPart/3))
	events, err := old.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wrong := b.db(func(o *Options) { o.Secret = make([]byte, 32) })
	var config *approval.ConfigError
	if err := wrong.Import(ctx, from); !errors.As(err, &config) {
		t.Errorf("with another secret: %v", err)
	}
	// whoever remembered the cluster may have been killed before the import
	cluster, err := b.db(nil).Cluster(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := b.db(func(o *Options) { o.Cluster = cluster }).Import(ctx, from); err != nil {
			t.Fatal(err)
		}
	}
	s := b.store(b.db(nil))
	if got, err := s.Unlogged(ctx); err != nil || fmt.Sprint(got) != fmt.Sprint(events) {
		t.Errorf("%v, %v", got, err)
	}
	if e, err := s.Get(ctx, open.ID); err != nil || e.Challenge != open.Challenge ||
		string(e.Payload) != string(open.Payload) {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := s.Decide(ctx, yes(open)); err != nil {
		t.Error(err)
	}
	for _, e := range []approval.Envelope{open, given} {
		if _, err := old.Consume(ctx, claim(e)); !errors.Is(err, approval.ErrMoved) ||
			!strings.Contains(err.Error(), b.o.Prefix) {
			t.Errorf("the file is in force: %v", err)
		}
		if _, err := s.Consume(ctx, claim(e)); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Consume(ctx, claim(used)); !errors.Is(err, approval.ErrReplayed) {
		t.Error(err)
	}
	if _, err := s.Finish(ctx, used.ID, approval.OutcomeExecuted, ""); err != nil {
		t.Error(err)
	}
	// another file does not go to the same place, nor this one to another
	b2 := newBed(t, b.o.Endpoints)
	second, _, _ := b2.file()
	b2.o.Prefix = b.o.Prefix
	if err := b2.db(nil).Import(ctx, second); err == nil {
		t.Error("imported over another machine's approvals")
	}
	b.o.Prefix += "x"
	if err := b.db(nil).Import(ctx, from); err == nil {
		t.Error("imported a second time")
	}
}

// A cutDB is a database whose process dies before or after the commit of a change.
type cutDB struct {
	approval.DB
	after func() // nil: before
}

func (c cutDB) Update(ctx context.Context, fn func(approval.Tx) error) error {
	err := c.DB.Update(ctx, func(tx approval.Tx) error {
		if err := fn(tx); err != nil || c.after != nil {
			return err
		}
		return errLost
	})
	if err == nil {
		c.after()
	}
	return err
}

// An import that ends before the file is marked leaves the file in force. One that ends after that
// is finished by the next.
func testImportCut(t *testing.T, b *bed) {
	from, old, _ := b.file()
	first, second := b.approved(old, 1), b.approved(old, 2)
	if err := b.db(nil).Import(ctx, cutDB{DB: from}); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	_, err := approval.Open(b.db(nil), b.options())
	b.wantStore(err, approval.ErrMoved)
	if _, err := old.Consume(ctx, claim(first)); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(ctx)
	if err := b.db(nil).Import(gone, cutDB{from, cancel}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := old.Consume(ctx, claim(second)); !errors.Is(err, approval.ErrMoved) {
		t.Error(err)
	}
	_, err = approval.Open(b.db(nil), b.options())
	b.wantStore(err, approval.ErrMoved)
	if err := b.db(nil).Import(ctx, from); err != nil {
		t.Fatal(err)
	}
	s := b.store(b.db(nil))
	if _, err := s.Consume(ctx, claim(first)); !errors.Is(err, approval.ErrReplayed) {
		t.Error(err)
	}
	if _, err := s.Consume(ctx, claim(second)); err != nil {
		t.Error(err)
	}
}

// importChild imports the file in a process of its own.
func importChild() error {
	o := Options{Endpoints: []string{os.Getenv("TEST_ENDPOINT")},
		Prefix: os.Getenv("TEST_PREFIX"), Rand: strings.NewReader(strings.Repeat("r", 1<<10))}
	from := bolt.File(os.Getenv("TEST_FILE"), approval.Options{Rand: o.Rand})
	var err error
	if o.Secret, err = SecretOf(ctx, from); err != nil {
		return err
	}
	db, err := New(o)
	if err != nil {
		return err
	}
	return db.Import(ctx, from)
}

// A process that imports is killed at many moments. An approval is never accepted by both
// databases, and the next import leaves it usable exactly once.
func testImportMany(t *testing.T, b *bed) {
	prefix := b.o.Prefix
	for i := range 12 {
		b.o.Prefix = fmt.Sprint(prefix, "/", i)
		from, old, path := b.file()
		e := b.approved(old, strings.Repeat("x", maxPart))
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "TEST_ETCD_CHILD=import", "TEST_FILE="+path,
			"TEST_PREFIX="+b.o.Prefix, "TEST_ENDPOINT="+b.o.Endpoints[0])
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*15) * time.Millisecond)
		_ = child.Process.Signal(syscall.SIGKILL)
		_ = child.Wait() // it was killed, or had ended
		uses := 0
		if i%2 == 0 {
			if _, err := old.Consume(ctx, claim(e)); err == nil {
				uses++
			} else if !errors.Is(err, approval.ErrMoved) {
				t.Error(err)
			}
		}
		if s, err := approval.Open(b.db(nil), b.options()); err == nil {
			if _, err := s.Consume(ctx, claim(e)); err == nil {
				uses++
			}
		}
		if err := b.db(nil).Import(ctx, from); err != nil {
			t.Fatal(err)
		}
		if _, err := b.store(b.db(nil)).Consume(ctx, claim(e)); err == nil {
			uses++
		}
		if uses != 1 {
			t.Errorf("killed after %d ms: used %d times", i*15, uses)
		}
	}
}
