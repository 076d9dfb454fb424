package agent

import "crypto/sha256"

// maxOnce is how many answers are remembered: more than can be given while a question is open.
const maxOnce = 4096

// once knows which answers were handed in lately. One goroutine uses it.
type once struct{ seen map[[sha256.Size]byte]bool }

// first reports whether an answer was not handed in before.
func (o *once) first(token []byte) bool {
	sum := sha256.Sum256(token)
	if o.seen[sum] {
		return false
	}
	if o.seen == nil || len(o.seen) >= maxOnce {
		o.seen = map[[sha256.Size]byte]bool{}
	}
	o.seen[sum] = true
	return true
}

// forget lets an answer be handed in again.
func (o *once) forget(token []byte) { delete(o.seen, sha256.Sum256(token)) }
