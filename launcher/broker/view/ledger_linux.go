package view

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// maxEntries bounds what is remembered for one workspace; an entry beyond it counts as another's
// once the run that made it has ended.
const maxEntries = 1 << 16

// A Ledger is what the runs of one workspace have made. Several processes may have it open.
type Ledger struct {
	name string
	dirs []string // where its entries are

	mu      sync.Mutex
	file    *os.File // nil when nothing can be remembered beyond this run
	read    int64    // how much of it is in entries
	records int
	entries map[ID]bool
}

// current reports whether the open file is the one that has the name.
func (l *Ledger) current() bool {
	ours, err := l.file.Stat()
	named, bad := os.Stat(l.name)
	return err == nil && bad == nil && os.SameFile(ours, named)
}

// Close lets go of the file.
func (l *Ledger) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.letGo()
}

func (l *Ledger) letGo() {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

// A DamagedError is what a ledger is refused with: a record that cannot be read may be that of a
// removal, and what it was about would count as this workspace's for ever.
type DamagedError struct{ Name string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("ledger %q: damaged record; try: rm %[1]q", e.Name)
}

// Has reports whether a run of this workspace has made the entry.
func (l *Ledger) Has(id ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.catchUp() // nothing is this workspace's then
	return l.entries[id]
}

// Add takes an entry in that was just made.
func (l *Ledger) Add(id ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[id] = true
	if len(l.entries) <= maxEntries {
		l.append(id, made)
	}
}

// Drop takes an entry out that is about to be removed.
func (l *Ledger) Drop(id ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.entries, id)
	l.append(id, removed)
}

func (l *Ledger) append(id ID, kind byte) {
	if l.file == nil {
		return
	}
	if n, err := l.file.Write(record(id, kind)); err != nil || n != recordSize {
		l.letGo() // what follows a part of a record could not be read
	}
}

// catchUp takes in what was appended since, by this process or others. Of a damaged file nothing
// counts, and nothing more is written to it.
func (l *Ledger) catchUp() error {
	if l.file == nil {
		return nil
	}
	var st unix.Stat_t
	if unix.Fstat(int(l.file.Fd()), &st) != nil || st.Size-l.read < recordSize {
		return nil
	}
	b := make([]byte, (st.Size-l.read)/recordSize*recordSize)
	n, _ := l.file.ReadAt(b, l.read)
	for b = b[:n/recordSize*recordSize]; len(b) > 0; b = b[recordSize:] {
		l.read += recordSize
		l.records++
		if !l.take(b[:recordSize]) {
			l.letGo()
			clear(l.entries)
			return &DamagedError{l.name}
		}
	}
	return nil
}

// take takes a record in, and reports whether it is one.
func (l *Ledger) take(b []byte) bool {
	id := ID{
		Dev: binary.LittleEndian.Uint64(b), Ino: binary.LittleEndian.Uint64(b[8:]),
		Sec:  int64(binary.LittleEndian.Uint64(b[16:])),
		Nsec: binary.LittleEndian.Uint32(b[24:]),
	}
	switch kind := b[28]; {
	case kind != made && kind != removed, string(record(id, kind)) != string(b):
		return false
	case kind == removed:
		delete(l.entries, id)
	case len(l.entries) < maxEntries:
		l.entries[id] = true
	}
	return true
}
