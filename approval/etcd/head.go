package etcd

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// A ticket names one commit, or one body in parts. It is random.
type ticket [16]byte

// A sum is a SHA-256.
type sum [sha256.Size]byte

// The phases of a database.
const (
	importing = 'i' // another database is still in force, or has just ended: see importing.go
	inForce   = 'f'
)

// A head is the value of the one key that every commit changes.
type head struct {
	phase   byte
	cluster uint64 // the id of the etcd cluster in which it was made
	n       uint64 // how many commits there were
	chain   sum    // of their records
	base    uint64 // the commits that are in the snapshot
	snap    body   // none before the first snapshot
	origin  ticket // of the import that filled it; none if it began empty
}

// A body is a text too long for one value, in parts under a ticket.
type body struct {
	ticket ticket
	size   uint64
	sum    sum
}

// The first lines of heads: of this format, and of every one.
const (
	headMagic  = "tada-run approvals head 1\n"
	headFamily = "tada-run approvals head "
)

// Why a head is not one of this store.
var (
	errFuture = errors.New("from a newer version")
	errSeal   = errors.New("not sealed with the secret of this machine")
)

// encode returns the value of a head: its text, then its seal under the key and the prefix.
func (h head) encode(key []byte, prefix string) []byte {
	b := append([]byte(headMagic), h.phase)
	b = binary.AppendUvarint(b, h.cluster)
	b = binary.AppendUvarint(b, h.n)
	b = append(b, h.chain[:]...)
	b = binary.AppendUvarint(b, h.base)
	b = append(h.snap.append(b), h.origin[:]...)
	return append(b, seal(key, prefix, b)...)
}

// readHead is the inverse of encode. The error wraps errFormat, errFuture or errSeal.
func readHead(value, key []byte, prefix string) (head, error) {
	if !bytes.HasPrefix(value, []byte(headMagic)) {
		if bytes.HasPrefix(value, []byte(headFamily)) {
			return head{}, errFuture
		}
		return head{}, errFormat
	}
	if len(value) < len(headMagic)+sha256.Size {
		return head{}, errFormat
	}
	text, tag := value[:len(value)-sha256.Size], value[len(value)-sha256.Size:]
	if !hmac.Equal(tag, seal(key, prefix, text)) {
		return head{}, errSeal
	}
	return parseHead(text[len(headMagic):])
}

// parseHead reads a head without its first line and its seal.
func parseHead(text []byte) (h head, err error) {
	r := &reader{left: text}
	if b := r.fixed(1); b != nil {
		h.phase = b[0]
	}
	h.cluster, h.n = r.number(), r.number()
	copy(h.chain[:], r.fixed(uint64(len(h.chain))))
	h.base = r.number()
	h.snap = r.body()
	copy(h.origin[:], r.fixed(uint64(len(h.origin))))
	if err := r.end(); err != nil {
		return head{}, err
	}
	if h.phase != importing && h.phase != inForce || h.base > h.n {
		return head{}, errFormat
	}
	return h, nil
}

func (b body) append(to []byte) []byte {
	to = append(to, b.ticket[:]...)
	to = binary.AppendUvarint(to, b.size)
	return append(to, b.sum[:]...)
}

func (r *reader) body() (b body) {
	copy(b.ticket[:], r.fixed(uint64(len(b.ticket))))
	b.size = r.number()
	copy(b.sum[:], r.fixed(uint64(len(b.sum))))
	if b.size > maxBody {
		r.left, r.err = nil, errFormat
	}
	return b
}

// maxBody is the longest body. No change of the rules comes near it: see the package comment.
const maxBody = 64 << 20

// seal authenticates a head at its place.
func seal(key []byte, prefix string, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(appendBytes(nil, prefix))
	mac.Write(text)
	return mac.Sum(nil)
}

// headKey derives the key of heads from the secret of the seals.
func headKey(secret []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("tada-run approvals in etcd: head"))
	return mac.Sum(nil)
}
