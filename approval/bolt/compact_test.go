package bolt

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval"
)

// A database of which most was deleted gets as small as the rest, with the same content; one that
// is in use stays, and a copy that a process left when it died is no obstacle.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	o := approval.Options{Clock: func() approval.Clock { return approval.Clock{Now: time.Now()} },
		Rand: rand.Reader}
	b := File(path, o)
	bucket := approval.Buckets[len(approval.Buckets)-1]
	fill := func(n int, keep func(i int) bool) {
		t.Helper()
		if err := b.Update(t.Context(), func(tx approval.Tx) error {
			for i := range n {
				key := fmt.Sprint("key", i)
				var err error
				if keep(i) {
					err = tx.Put(bucket, key, []byte(strings.Repeat("x", 1000)))
				} else {
					err = tx.Delete(bucket, key)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	fill(5000, func(int) bool { return true })
	if saved, err := Compact(t.Context(), path, o); err != nil || saved != 0 {
		t.Errorf("full: saved %d, %v", saved, err)
	}
	fill(5000, func(i int) bool { return i%100 == 0 })
	before := content(t, path)
	if err := os.WriteFile(path+newSuffix, []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	saved, err := Compact(t.Context(), path, o)
	if err != nil || saved < 4<<20 {
		t.Errorf("saved %d, %v", saved, err)
	}
	if after := content(t, path); after != before {
		t.Error("other content")
	}
	if saved, err := Compact(t.Context(), path, o); err != nil || saved != 0 {
		t.Errorf("again: saved %d, %v", saved, err)
	}
	if _, err := Compact(t.Context(), filepath.Join(t.TempDir(), "none.db"), o); err == nil {
		t.Error("no database")
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b strings.Builder
	if err := db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(k, v []byte) error {
				fmt.Fprintf(&b, "%s %s %q\n", name, k, v)
				return nil
			})
		})
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
