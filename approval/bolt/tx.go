package bolt

import (
	"crypto/sha256"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
)

// schemaVersion grows if an older program could misread what a newer one wrote. It is stored in the
// meta bucket.
const schemaVersion = "2"

// firstSchema had no quorum. Its buckets mean the same, so the first change turns it into the
// current one.
const firstSchema = "1"

// movedSchema is that of a database whose questions are elsewhere now. Programs that do not know
// [approval.MovedKey] refuse it.
const movedSchema = "3"

// The keys of the meta bucket.
var (
	metaBucket = []byte(approval.MetaBucket)
	schemaKey  = []byte("schema")
	secretKey  = []byte(approval.SecretKey)
	movedKey   = []byte(approval.MovedKey)
)

// schema fills a new database.
func schema(btx *bbolt.Tx, random io.Reader) error {
	secret := make([]byte, sha256.Size)
	if _, err := io.ReadFull(random, secret); err != nil {
		return fmt.Errorf("approval: reading randomness: %w", err)
	}
	if err := migrate(btx); err != nil {
		return err
	}
	return btx.Bucket(metaBucket).Put(secretKey, secret)
}

// migrate brings an empty database, or one of the first schema, to the current schema.
func migrate(btx *bbolt.Tx) error {
	for _, name := range approval.Buckets {
		if _, err := btx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return btx.Bucket(metaBucket).Put(schemaKey, []byte(schemaVersion))
}

// check refuses a file that is not a database of a schema that this program knows.
func check(btx *bbolt.Tx, path string) error {
	corrupt := func(format string, args ...any) error {
		hint := fmt.Sprintf(format, args...) + "; " + private.Rebuild
		return &approval.FileError{Path: path, Err: approval.ErrCorrupt, Hint: hint}
	}
	meta := btx.Bucket(metaBucket)
	if meta == nil {
		return corrupt("it is not an approval database")
	}
	v := string(meta.Get(schemaKey))
	if v == firstSchema && btx.Writable() {
		if err := migrate(btx); err != nil {
			return err
		}
		v = schemaVersion
	}
	switch {
	case v == schemaVersion || v == firstSchema || v == movedSchema && meta.Get(movedKey) != nil:
	case len(v) > len(schemaVersion) || len(v) == len(schemaVersion) && v > schemaVersion:
		return &approval.FileError{Path: path, Err: approval.ErrFuture,
			Hint: fmt.Sprintf("its schema is %q; install the version that wrote it", v)}
	default:
		return corrupt("its schema is %q", v)
	}
	for _, name := range approval.Buckets {
		if v != firstSchema && btx.Bucket([]byte(name)) == nil {
			return corrupt("it has no bucket %q", name)
		}
	}
	if len(meta.Get(secretKey)) != sha256.Size {
		return corrupt("it has no secret")
	}
	return nil
}

// A tx is the [approval.Tx] of a bbolt transaction. A file of the first schema that is opened for
// reading lacks some buckets.
type tx struct {
	b       *bbolt.Tx
	written bool
	changed []string // questions
}

func (t *tx) bucket(b approval.Bucket) *bbolt.Bucket { return t.b.Bucket([]byte(b)) }

func (t *tx) Get(b approval.Bucket, key string) []byte {
	if bucket := t.bucket(b); bucket != nil {
		return bucket.Get([]byte(key))
	}
	return nil
}

func (t *tx) Put(b approval.Bucket, key string, value []byte) error {
	t.written = true
	if b == approval.MetaBucket && key == approval.MovedKey {
		if err := t.bucket(b).Put(schemaKey, []byte(movedSchema)); err != nil {
			return err
		}
	}
	return t.bucket(b).Put([]byte(key), value)
}

func (t *tx) Delete(b approval.Bucket, key string) error {
	t.written = true
	return t.bucket(b).Delete([]byte(key))
}

func (t *tx) Keys(b approval.Bucket) []string {
	bucket := t.bucket(b)
	if bucket == nil {
		return nil
	}
	var out []string
	c := bucket.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		out = append(out, string(k))
	}
	return out
}

func (t *tx) Seq() uint64 {
	if bucket := t.bucket(approval.OutboxBucket); bucket != nil {
		return bucket.Sequence()
	}
	return 0
}

func (t *tx) SetSeq(seq uint64) error {
	t.written = true
	return t.bucket(approval.OutboxBucket).SetSequence(seq)
}

func (t *tx) Changed(id string) { t.changed = append(t.changed, id) }
