//go:build linux || darwin

package undo

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

const lockName, ledgerName = "lock", "ledger"

// budget is what a run may still keep. Runs at the same time share the quota: each takes its part
// in pieces from the ledger, a file with a line for each piece taken or returned.
type budget struct {
	dir, run    string
	quota       int64
	taken, kept int64
	stands      bool // it is of a run that has Start.Stands
}

// charge takes room for a pre-image.
func (b *budget) charge(n int64) error {
	if b.kept+n > b.taken {
		if err := b.take(b.kept + n - b.taken); err != nil {
			return err
		}
	}
	b.kept += n
	return nil
}

func (b *budget) refund(n int64) { b.kept -= n }

// take takes n bytes from the quota, and more if there is much.
func (b *budget) take(n int64) error {
	l, err := openLedger(b.dir)
	if err != nil {
		return err
	}
	defer l.close()
	used, standing, err := l.sum()
	if err != nil {
		return err
	}
	if used+n > b.quota || b.stands && standing+n > b.quota/2 {
		return ErrQuota
	}
	if piece := b.quota / 64; n < piece && used+piece < b.quota/2 {
		n = piece
	}
	b.taken += n
	return l.add(b.run, n, b.stands)
}

// settle returns what was taken and not used.
func (b *budget) settle() error {
	if b.taken == b.kept {
		return nil
	}
	l, err := openLedger(b.dir)
	if err != nil {
		return err
	}
	defer l.close()
	n := b.kept - b.taken
	b.taken = b.kept
	return l.add(b.run, n, b.stands)
}

// Room is how much more fits for runs that have Start.Stands: they get half of the quota, so that
// the others always get the rest.
func (s *Store) Room() (int64, error) {
	l, err := openLedger(s.dir)
	if err != nil {
		return 0, err
	}
	defer l.close()
	used, standing, err := l.sum()
	return max(min(s.o.Quota-used, s.o.Quota/2-standing), 0), err
}

// ledger is the open file, locked.
type ledger struct{ f, lock *os.File }

func openLedger(dir string) (*ledger, error) {
	const flags = os.O_RDWR | os.O_CREATE | unix.O_NOFOLLOW
	lock, err := os.OpenFile(filepath.Join(dir, lockName), flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock.Do(lock, unix.LOCK_EX); err != nil {
		lock.Close()
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ledgerName), flags|os.O_APPEND, 0o600)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &ledger{f, lock}, nil
}

func (l *ledger) close() {
	l.f.Close()
	_ = flock.Unlock(l.lock)
	l.lock.Close()
}

// sum is what all runs hold, and those of them that have Start.Stands.
func (l *ledger) sum() (total, standing int64, err error) {
	for line, err := range l.lines() {
		if err != nil {
			return 0, 0, err
		}
		if total += line.n; line.stands {
			standing += line.n
		}
	}
	return max(total, 0), max(standing, 0), nil
}

type ledgerEntry struct {
	run    string
	n      int64
	stands bool
}

func (l *ledger) lines() iter.Seq2[ledgerEntry, error] {
	return func(yield func(ledgerEntry, error) bool) {
		if _, err := l.f.Seek(0, io.SeekStart); err != nil {
			yield(ledgerEntry{}, err)
			return
		}
		s := bufio.NewScanner(l.f)
		for s.Scan() {
			run, rest, _ := strings.Cut(s.Text(), " ")
			n, stands := strings.CutSuffix(rest, " "+standsName)
			run, err1 := strconv.Unquote(run)
			v, err2 := strconv.ParseInt(n, 10, 64)
			// A crash may have cut a line; GC counts anew.
			if err1 == nil && err2 == nil && !yield(ledgerEntry{run, v, stands}, nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(ledgerEntry{}, err)
		}
	}
}

func (l *ledger) add(run string, n int64, stands bool) error {
	_, err := l.f.WriteString(ledgerLine(run, n, stands))
	return err
}

func ledgerLine(run string, n int64, stands bool) string {
	line := fmt.Sprintf("%s %d", strconv.QuoteToASCII(run), n)
	if stands {
		line += " " + standsName
	}
	return line + "\n"
}

// replace writes the ledger anew.
func (l *ledger) replace(text string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteString(text)
	return err
}
