//go:build !linux

package tamper

import (
	"os"
	"time"
)

func glance(string) (stamp, error) { return stamp{}, ErrUnsupported }

type view struct{}

func (*view) glance(string) (stamp, error) { return stamp{}, ErrUnsupported }
func (*view) close()                       {}

func look(string, int64) (Seen, []byte) {
	return Seen{Form: Unreadable, Why: ErrUnsupported.Error()}, nil
}

func lockFile(*os.File, time.Duration, func(*os.File, time.Duration)) error {
	return ErrUnsupported
}
