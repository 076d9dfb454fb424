package audit

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// JournalSocket is where systemd-journald takes entries
// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
const JournalSocket = "/run/systemd/journal/socket"

// Journal sends the head of the log to the journal of the machine, which is
// another account's: root would have to be in on it to take it back. It does
// not wait: ErrNoJournal says that there is none, that it is full, or that it
// is not to be reached from here, and the log is as good without.
//
// What journalctl shows of it: journalctl SYSLOG_IDENTIFIER=tada-audit.
func Journal(socket string, p Point, dir string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoJournal, err)
	}
	defer unix.Close(fd)
	// A newline would begin another field: a folder cannot add one.
	msg := fmt.Appendf(nil,
		"MESSAGE=audit head %s of %q\nPRIORITY=6\nSYSLOG_IDENTIFIER=tada-audit\n"+
			"TADA_AUDIT_SIZE=%d\nTADA_AUDIT_HEAD=%s\n",
		p, dir, p.Count, p.Head)
	if err := unix.Sendto(fd, msg, unix.MSG_NOSIGNAL,
		&unix.SockaddrUnix{Name: socket}); err != nil {
		return fmt.Errorf("%w: %q: %w", ErrNoJournal, socket, err)
	}
	return nil
}

// ErrNoJournal says that there is no journal that takes a head.
var ErrNoJournal = errors.New("no journal to keep the head in")
