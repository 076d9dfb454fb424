package audit

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// JournalSocket is where systemd-journald takes entries
// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
const JournalSocket = "/run/systemd/journal/socket"

// Journal sends the head of the log to the journal of the machine, which belongs to another
// account: taking it back would take root. It does not wait. ErrNoJournal means that there is no
// journal, that it is full, or that it cannot be reached from here; the log is as good without it.
//
// To see it: journalctl SYSLOG_IDENTIFIER=tada-audit.
func Journal(socket string, p Point, dir string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoJournal, err)
	}
	defer unix.Close(fd)
	// Quoted, because a newline in the name of the folder would begin another field.
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

// ErrNoJournal is returned if no journal takes the head.
var ErrNoJournal = errors.New("no journal to keep the head in")
