package relay

import (
	"cmp"
	"crypto/rand"
	"io"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// A DB is the [approval.DB] behind one socket. It holds nothing open between calls.
type DB struct {
	path string
	wait time.Duration
	rand io.Reader
}

// Socket returns the database behind the socket at path. It uses the options Rand and LockWait.
func Socket(path string, o approval.Options) *DB {
	d := &DB{path: path, wait: cmp.Or(o.LockWait, 30*time.Second), rand: o.Rand}
	if d.rand == nil {
		d.rand = rand.Reader
	}
	return d
}

// Path implements [approval.DB].
func (d *DB) Path() string { return d.path }
