package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A cursor is everything on which the check of the next line depends.
type cursor struct {
	offset int64
	line   int64 // lines before offset
	seq    int64 // of the next entry
	head   Hash
	time   stamp // of the last entry
}

func startCursor() cursor { return cursor{head: Genesis()} }

const brokenLink = "prev is not the hash of the entry before"

// next checks one line against the cursor. If reason is "", it moves the cursor past the line and
// its newline.
func (c *cursor) next(line []byte) (f fields, reason string) {
	if f, ok := splitLine(line); ok {
		if err := checkObject(f.body); err != nil {
			return f, "body: " + err.Error()
		}
	}
	return c.link(line)
}

// link is next without a look into the body. The hash that the next line names covers the body, so
// if that hash is known, link proves the same at half the cost.
func (c *cursor) link(line []byte) (f fields, reason string) {
	f, ok := splitLine(line)
	var hexed [2 * sha256.Size]byte
	hex.Encode(hexed[:], c.head[:])
	switch {
	case !ok:
		return f, "not an entry"
	case f.seq != c.seq:
		return f, fmt.Sprintf("is numbered %d, not %d", f.seq, c.seq)
	case !bytes.Equal(f.prev, hexed[:]):
		return f, brokenLink
	case bytes.Compare(f.time, c.time[:]) < 0 && string(f.kind) != kindClock:
		return f, fmt.Sprintf("time %s is before that of the entry before", f.time)
	}
	c.offset += int64(len(line)) + 1
	c.line++
	c.seq++
	c.head = sha256.Sum256(line)
	c.time = stamp(f.time)
	return f, ""
}

var newline = []byte{'\n'}
