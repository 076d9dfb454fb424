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
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
)

// A tx is one transaction: a reading of the clock made after the lock was taken, and the events of
// its changes.
type tx struct {
	db     Tx // nil for a database that was never changed
	path   string
	o      *Options
	now    Clock
	secret []byte
	mac    hash.Hash // of secret; reused, because keying costs as much as a short value
	events []Event
	ticket string // of the task that is being done; "" outside of a [Job]

	open  map[string]int // pending envelopes by budget, once counted
	swept bool
}

// errSeal means that a sealed value is not what this store wrote at this key.
var errSeal = errors.New("approval: broken seal")

// seal authenticates a value and its key, so that an edited value, or one moved here from another
// key, is noticed. It does not stop a writer who also reads the secret in the same file.
func (t *tx) seal(bucket Bucket, key string, value []byte) []byte {
	if t.mac == nil {
		t.mac = hmac.New(sha256.New, t.secret)
	}
	mac := t.mac
	mac.Reset()
	for _, part := range [...]string{string(bucket), key} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		mac.Write(n[:])
		io.WriteString(mac, part)
	}
	mac.Write(value)
	return mac.Sum(nil)
}

func (t *tx) put(bucket Bucket, key string, f plan.Fields) error {
	value, err := canonical.Append(nil, map[string]any(f))
	if err != nil {
		return err
	}
	return t.db.Put(bucket, key, append(t.seal(bucket, key, value), value...))
}

// get returns the object at a key: nil if there is none, errSeal if it cannot be trusted.
func (t *tx) get(bucket Bucket, key string) (plan.Fields, error) {
	raw := t.stored(bucket, key)
	if raw == nil {
		return nil, nil
	}
	if len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size],
		t.seal(bucket, key, raw[sha256.Size:])) {
		return nil, errSeal
	}
	v, err := canonical.Parse(raw[sha256.Size:])
	f, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, errSeal
	}
	return f, nil
}

func (t *tx) putRaw(bucket Bucket, key string, value []byte) error {
	return t.db.Put(bucket, key, value)
}

// raw returns a copy of the bytes at a key, nil when there are none.
func (t *tx) raw(bucket Bucket, key string) []byte {
	if v := t.stored(bucket, key); v != nil {
		return append([]byte{}, v...)
	}
	return nil
}

// stored returns the bytes at a key as they are in the database, good until the transaction ends.
func (t *tx) stored(bucket Bucket, key string) []byte {
	if t.db == nil {
		return nil
	}
	return t.db.Get(bucket, key)
}

func (t *tx) delete(bucket Bucket, key string) error { return t.db.Delete(bucket, key) }

// keys lists the keys of a bucket, in order, so that the caller may change the bucket during the
// loop.
func (t *tx) keys(bucket Bucket) []string {
	if t.db == nil {
		return nil
	}
	return t.db.Keys(bucket)
}

// emit stores an event with the change that it describes.
func (t *tx) emit(e Event) error {
	e.Seq, e.Time = t.db.Seq()+1, t.now.Now.UTC()
	if err := t.db.SetSeq(e.Seq); err != nil {
		return err
	}
	f := e.fields()
	if t.ticket != "" {
		f["ticket"] = t.ticket
	}
	if err := t.put(OutboxBucket, seqKey(e.Seq), f); err != nil {
		return err
	}
	if e.Kind != KindIssued && e.Envelope != "" {
		t.db.Changed(e.Envelope)
	}
	t.events = append(t.events, e)
	return nil
}

// emitted returns the stored events of a task, those of an earlier attempt at it included. Only the
// process that a task belongs to takes its events out of the store, so none is missing. An event
// that was changed is skipped here: Unlogged refuses the store because of it.
func (t *tx) emitted(ticket string) []Event {
	var out []Event
	for _, key := range t.keys(OutboxBucket) {
		if f, err := t.get(OutboxBucket, key); err == nil && f.Text("ticket") == ticket {
			out = append(out, readEvent(f))
		}
	}
	return out
}

// older reports whether d has passed since a time.
func (t *tx) older(at time.Time, d time.Duration) bool { return t.now.Now.Sub(at) >= d }

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

// totpKey is the key of the secret of one-time codes, in healthBucket.
const totpKey = "totp"

// hasTOTP reports whether codes are set up. A secret that was changed counts, so that changing it
// does not make codes unnecessary.
func (t *tx) hasTOTP() bool { return t.raw(healthBucket, totpKey) != nil }

// begin starts a transaction of the rules in one of the database.
func begin(db Tx, path string, o Options) *tx {
	t := &tx{db: db, path: path, o: &o, now: o.Clock()}
	if db != nil {
		t.secret = t.raw(MetaBucket, SecretKey)
		o.SecondFactor = o.SecondFactor || t.hasTOTP()
	}
	return t
}
