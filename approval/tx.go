package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	bolt "go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// The buckets, as key -> value. "sealed" is a canonical object after its 32-byte seal: see tx.put.
var (
	metaBucket      = []byte("meta")      // "schema" -> digits; "secret" -> 32 bytes
	envelopeBucket  = []byte("envelopes") // id -> sealed, written once
	payloadBucket   = []byte("payloads")  // id -> the canonical plan, written once
	stateBucket     = []byte("states")    // id -> sealed
	decisionBucket  = []byte("decisions") // id -> sealed, written once
	pendingBucket   = []byte("pending")   // id -> nothing; the envelopes whose state is pending
	planBucket      = []byte("plans")     // SHA-256(session, plan hash) -> id of the latest
	nonceBucket     = []byte("nonces")    // SHA-256(nonce) -> id
	coolOffBucket   = []byte("cooloffs")  // plan hash -> sealed
	runBucket       = []byte("runs")      // id -> sealed; permitted and not finished
	tombstoneBucket = []byte("tombs")     // id -> sealed
	outboxBucket    = []byte("outbox")    // seq, 8 bytes big-endian -> sealed

	grantBucket      = []byte("grants")     // id -> sealed, written once
	grantUseBucket   = []byte("grantuses")  // id -> sealed
	grantIndexBucket = []byte("grantindex") // SHA-256(session, template) -> id of the latest

	voteBucket   = []byte("votes")  // id -> sealed; answers of a quorum that is not complete
	tokenBucket  = []byte("tokens") // token id -> sealed; signed answers that were taken
	healthBucket = []byte("health") // "brake", "totp" -> sealed
	wrongBucket  = []byte("wrong")  // id -> sealed; wrong one-time codes

	allBuckets = [][]byte{metaBucket, envelopeBucket, payloadBucket, stateBucket, decisionBucket, pendingBucket,
		planBucket, nonceBucket, coolOffBucket, runBucket, tombstoneBucket, outboxBucket, grantBucket, grantUseBucket, grantIndexBucket,
		voteBucket, tokenBucket, healthBucket, wrongBucket}
)

// schemaVersion grows when an older program could misread what a newer one wrote.
const schemaVersion = "2"

// firstSchema had no quorum. Its buckets mean the same, so the first change makes it the current
// one.
const firstSchema = "1"

// A tx is one transaction: a reading of the clock made after the lock was taken, and what it has to
// say.
type tx struct {
	b       *bolt.Tx // nil for a database that was never made
	o       *Options
	now     Clock
	secret  []byte
	mac     hash.Hash // of secret; used again, because keying costs as much as a short value
	events  []Event
	changed bool

	open  map[string]int // pending envelopes by budget, once counted
	swept bool
}

func (b *Bolt) schema(btx *bolt.Tx) error {
	for _, name := range allBuckets {
		if _, err := btx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	secret := make([]byte, sha256.Size)
	if _, err := io.ReadFull(b.o.Rand, secret); err != nil {
		return fmt.Errorf("approval: reading randomness: %w", err)
	}
	meta := btx.Bucket(metaBucket)
	if err := meta.Put([]byte("secret"), secret); err != nil {
		return err
	}
	return meta.Put([]byte("schema"), []byte(schemaVersion))
}

func (b *Bolt) begin(btx *bolt.Tx) (*tx, error) {
	meta := btx.Bucket(metaBucket)
	if meta == nil {
		return nil, &FileError{Path: b.path, Err: ErrCorrupt, Hint: "it is not an approval database; " + startAfresh}
	}
	v := string(meta.Get([]byte("schema")))
	if v == firstSchema && btx.Writable() {
		if err := b.migrate(btx); err != nil {
			return nil, err
		}
		v = schemaVersion
	}
	if v != schemaVersion && v != firstSchema {
		if len(v) > len(schemaVersion) || len(v) == len(schemaVersion) && v > schemaVersion {
			return nil, &FileError{Path: b.path, Err: ErrFuture, Hint: fmt.Sprintf("its schema is %q; install the version that wrote it", v)}
		}
		return nil, &FileError{Path: b.path, Err: ErrCorrupt, Hint: fmt.Sprintf("its schema is %q; %s", v, startAfresh)}
	}
	for _, name := range allBuckets {
		if v == schemaVersion && btx.Bucket(name) == nil {
			return nil, &FileError{Path: b.path, Err: ErrCorrupt, Hint: fmt.Sprintf("it has no bucket %q; %s", name, startAfresh)}
		}
	}
	secret := meta.Get([]byte("secret"))
	if len(secret) != sha256.Size {
		return nil, &FileError{Path: b.path, Err: ErrCorrupt, Hint: "it has no secret; " + startAfresh}
	}
	o := b.o
	t := &tx{b: btx, o: &o, now: b.o.Clock(), secret: append([]byte(nil), secret...)}
	o.SecondFactor = o.SecondFactor || t.hasTOTP()
	return t, nil
}

// migrate makes the current schema of the first one.
func (b *Bolt) migrate(btx *bolt.Tx) error {
	for _, name := range allBuckets {
		if _, err := btx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return btx.Bucket(metaBucket).Put([]byte("schema"), []byte(schemaVersion))
}

// errSeal says that a sealed value is not what this store wrote at this place.
var errSeal = errors.New("approval: broken seal")

// seal authenticates a value at its place, so that a value that was edited, or moved here from
// another key, is noticed. It does not stop a writer who also reads the secret in the same file.
func (t *tx) seal(bucket, key, value []byte) []byte {
	if t.mac == nil {
		t.mac = hmac.New(sha256.New, t.secret)
	}
	mac := t.mac
	mac.Reset()
	for _, part := range [][]byte{bucket, key} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		mac.Write(n[:])
		mac.Write(part)
	}
	mac.Write(value)
	return mac.Sum(nil)
}

func (t *tx) put(bucket []byte, key string, f plan.Fields) error {
	value, err := canonical.Append(nil, map[string]any(f))
	if err != nil {
		return err
	}
	t.changed = true
	return t.b.Bucket(bucket).Put([]byte(key), append(t.seal(bucket, []byte(key), value), value...))
}

// get returns the object at a key: nil when there is none, errSeal when it cannot be trusted.
func (t *tx) get(bucket []byte, key string) (plan.Fields, error) {
	raw := t.stored(bucket, key)
	if raw == nil {
		return nil, nil
	}
	if len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size], t.seal(bucket, []byte(key), raw[sha256.Size:])) {
		return nil, errSeal
	}
	v, err := canonical.Parse(raw[sha256.Size:])
	f, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, errSeal
	}
	return f, nil
}

func (t *tx) putRaw(bucket []byte, key string, value []byte) error {
	t.changed = true
	return t.b.Bucket(bucket).Put([]byte(key), value)
}

// raw returns a copy of the bytes at a key, nil when there are none.
func (t *tx) raw(bucket []byte, key string) []byte {
	if v := t.stored(bucket, key); v != nil {
		return append([]byte{}, v...)
	}
	return nil
}

// stored returns the bytes at a key as they lie in the file, good until the transaction ends.
func (t *tx) stored(bucket []byte, key string) []byte {
	if t.b == nil {
		return nil
	}
	b := t.b.Bucket(bucket)
	if b == nil { // the first schema, read only
		return nil
	}
	return b.Get([]byte(key))
}

func (t *tx) delete(bucket []byte, key string) error {
	t.changed = true
	return t.b.Bucket(bucket).Delete([]byte(key))
}

// keys lists the keys of a bucket, in order, so that the caller may change the bucket meanwhile.
func (t *tx) keys(bucket []byte) []string {
	if t.b == nil || t.b.Bucket(bucket) == nil {
		return nil
	}
	var out []string
	c := t.b.Bucket(bucket).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		out = append(out, string(k))
	}
	return out
}

// emit stores an event with the change that it tells of.
func (t *tx) emit(e Event) error {
	seq, err := t.b.Bucket(outboxBucket).NextSequence()
	if err != nil {
		return err
	}
	e.Seq, e.Time = seq, t.now.Now.UTC()
	if err := t.put(outboxBucket, seqKey(seq), e.fields()); err != nil {
		return err
	}
	t.events = append(t.events, e)
	return nil
}

func seqKey(seq uint64) string {
	var k [8]byte
	binary.BigEndian.PutUint64(k[:], seq)
	return string(k[:])
}

// newUUID returns a version 4 UUID (RFC 9562) from the store's source of randomness.
func (t *tx) newUUID() ([16]byte, error) {
	var u [16]byte
	if _, err := io.ReadFull(t.o.Rand, u[:]); err != nil {
		return u, fmt.Errorf("approval: reading randomness: %w", err)
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u, nil
}

func formatUUID(u [16]byte) string {
	h := hex.EncodeToString(u[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
