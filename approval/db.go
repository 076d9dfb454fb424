package approval

// A Tx is one transaction. What Get returns is valid until its end and must not be changed.
type Tx interface {
	Get(b Bucket, key string) []byte // nil if there is none
	Put(b Bucket, key string, value []byte) error
	Delete(b Bucket, key string) error
	Keys(b Bucket) []string // in order; the bucket may be changed during the loop
	Seq() uint64            // the number of the newest event
	SetSeq(seq uint64) error
	Changed(id string) // wakes those that wait for this question, after the commit
}

// A Bucket is the name of one of [Buckets].
type Bucket string

// The buckets, as key -> value. "sealed" is a canonical object after its 32-byte seal: see tx.put.
const (
	// "secret" -> 32 bytes; "record" -> sealed; MovedKey; others are the DB's
	MetaBucket      Bucket = "meta"
	envelopeBucket  Bucket = "envelopes" // id -> sealed, written once
	payloadBucket   Bucket = "payloads"  // id -> the canonical plan, written once
	stateBucket     Bucket = "states"    // id -> sealed
	decisionBucket  Bucket = "decisions" // id -> sealed, written once
	pendingBucket   Bucket = "pending"   // id -> nothing; the envelopes whose state is pending
	planBucket      Bucket = "plans"     // SHA-256(session, plan hash) -> id of the latest
	nonceBucket     Bucket = "nonces"    // SHA-256(nonce) -> id
	coolOffBucket   Bucket = "cooloffs"  // plan hash -> sealed
	runBucket       Bucket = "runs"      // id -> sealed; permitted and not finished
	tombstoneBucket Bucket = "tombs"     // id -> sealed
	OutboxBucket    Bucket = "outbox"    // seq, 8 bytes big-endian -> sealed; Tx.Seq is of it

	grantBucket      Bucket = "grants"     // id -> sealed, written once
	grantUseBucket   Bucket = "grantuses"  // id -> sealed
	grantIndexBucket Bucket = "grantindex" // SHA-256(session, template) -> id of the latest

	voteBucket   Bucket = "votes"  // id -> sealed; answers of a quorum that is not complete
	tokenBucket  Bucket = "tokens" // token id -> sealed; signed answers that were taken
	healthBucket Bucket = "health" // "brake", "totp", "hour " + SHA-256(budget) -> sealed
	wrongBucket  Bucket = "wrong"  // id -> sealed; wrong one-time codes
)

// Buckets are all of them. A DB has each, empty, and a secret of 32 random bytes as SecretKey in
// MetaBucket.
var Buckets = []Bucket{
	MetaBucket, envelopeBucket, payloadBucket, stateBucket, decisionBucket, pendingBucket,
	planBucket,
	nonceBucket, coolOffBucket, runBucket, tombstoneBucket, OutboxBucket, grantBucket,
	grantUseBucket,
	grantIndexBucket, voteBucket, tokenBucket, healthBucket, wrongBucket,
}

// SecretKey is the key of the secret of the seals, in MetaBucket.
const SecretKey = "secret"
