package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// slotSize is one disk sector. The two slots share a page, and a power cut tears a page only
// between sectors, so at most the slot being written is lost.
const slotSize = 512

// anchorSize is the size of anchor.json, forever.
const anchorSize = 2 * slotSize

// An Anchor is what this machine remembers of its own log, in another file: without it, a log that
// was cut at the end of a line would be a shorter valid log. It is written with every entry and
// never synced, because the log is the truth; only the Synced values are certain to survive a power
// cut.
type Anchor struct {
	Base        int64  // where the current segment begins
	Boot        string // the kernel's boot id when this was written
	Count       int64  // entries
	Epoch       int64  // seals
	Fault       string // not empty: an entry could not be made durable
	Head        Hash   // of the last entry
	Last        int64  // bytes of the last line, newline included
	Sealed      int64  // entries up to and with the last seal
	Segment     int64  // the current file
	Size        int64  // bytes of the log
	Synced      int64  // bytes of the log that fdatasync has stored
	SyncedCount int64
	SyncedHead  Hash
	Time        time.Time // of the last entry
	turn        int64     // counts writes of the anchor: the slot with the higher turn is newer
}

// newAnchor returns the anchor of a log without entries.
func newAnchor(boot string) Anchor {
	return Anchor{Boot: boot, Head: Genesis(), SyncedHead: Genesis()}
}

// appendObject writes the anchor as a canonical JSON object, with mac in it. Boot and fault contain
// only characters that need no escape.
func (a Anchor) appendObject(dst []byte, mac []byte) []byte {
	str := func(label, v string) { dst = append(append(append(dst, label...), v...), '"') }
	num := func(label string, v int64) { dst = strconv.AppendInt(append(dst, label...), v, 10) }
	bin := func(label string, v []byte) {
		dst = append(hex.AppendEncode(append(dst, label...), v), '"')
	}
	num(`{"base":`, a.Base)
	str(`,"boot":"`, plainWord(a.Boot, maxBoot))
	num(`,"count":`, a.Count)
	num(`,"epoch":`, a.Epoch)
	str(`,"fault":"`, plainWord(a.Fault, maxFault))
	bin(`,"head":"`, a.Head[:])
	num(`,"last":`, a.Last)
	bin(`,"mac":"`, mac)
	num(`,"sealed":`, a.Sealed)
	num(`,"segment":`, a.Segment)
	num(`,"size":`, a.Size)
	num(`,"synced":`, a.Synced)
	num(`,"synced_count":`, a.SyncedCount)
	bin(`,"synced_head":"`, a.SyncedHead[:])
	str(`,"time":"`, stampOf(a.Time).String())
	num(`,"turn":`, a.turn)
	return append(dst, '}')
}

// A slot has a fixed size, so its content has a maximum: a boot id is a UUID, a fault the few words
// of an errno, and the numbers have room for 100 TB of log.
const (
	maxBoot  = 36
	maxFault = 24
)

// plainWord returns at most n bytes of s, without anything that would need an escape.
func plainWord(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if r >= ' ' && r <= '~' && r != '"' && r != '\\' {
			return r
		}
		return '_'
	}, s[:min(len(s), n)])
}

// appendSlot writes the slot of this anchor's turn, so that the two slots together are one JSON
// array: even turns are the first element, odd turns the second.
func (a Anchor) appendSlot(dst []byte, key []byte) []byte {
	var buf [slotSize]byte
	mac := slotMAC(a.appendObject(buf[:0], nil), key)
	open, end := byte('['), ",\n"
	if a.turn%2 == 1 {
		open, end = ' ', "]\n"
	}
	from := len(dst)
	dst = a.appendObject(append(dst, open), mac)
	for len(dst)-from < slotSize-len(end) {
		dst = append(dst, ' ')
	}
	return append(dst, end...)
}

// slotMAC rejects a torn slot; with a key it also rejects one written by a process that cannot read
// the key.
func slotMAC(object, key []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(object)
	return m.Sum(nil)[:16]
}

// firstAnchor returns the whole file for a log without entries.
func firstAnchor(boot string, key []byte) []byte {
	a := newAnchor(boot)
	one := a.appendSlot(nil, key)
	a.turn = 1
	return a.appendSlot(one, key)
}

// parseAnchor returns the newer of the two slots. It skips a slot torn by a crash; two torn slots
// are not an anchor.
func parseAnchor(file, key []byte) (newest Anchor, ok bool) {
	if len(file) != anchorSize {
		return newest, false
	}
	one, ok1 := readSlot(file[:slotSize])
	two, ok2 := readSlot(file[slotSize:])
	if ok2 && (!ok1 || two.turn > one.turn) && two.wrote(file[slotSize:], key) {
		return two, true
	}
	if ok1 && one.wrote(file[:slotSize], key) {
		return one, true
	}
	return two, ok2 && two.wrote(file[slotSize:], key)
}

// countSlots returns how many of the two slots are whole.
func countSlots(file, key []byte) (n int) {
	for i := 0; i+slotSize <= len(file); i += slotSize {
		if a, ok := readSlot(file[i : i+slotSize]); ok && a.wrote(file[i:i+slotSize], key) {
			n++
		}
	}
	return n
}

// wrote reports whether the slot holds exactly a. Writing it again compares spelling, padding,
// place and MAC at once.
func (a Anchor) wrote(slot, key []byte) bool {
	var buf [slotSize]byte
	return bytes.Equal(a.appendSlot(buf[:0], key), slot)
}

// readSlot extracts the members of a slot; wrote verifies them.
func readSlot(slot []byte) (a Anchor, ok bool) {
	s := slotReader{rest: slot[1:]}
	a.Base = s.num(`{"base":`)
	a.Boot = s.str(`,"boot":"`)
	a.Count = s.num(`,"count":`)
	a.Epoch = s.num(`,"epoch":`)
	a.Fault = s.str(`,"fault":"`)
	a.Head = s.hash(`,"head":"`)
	a.Last = s.num(`,"last":`)
	s.str(`,"mac":"`)
	a.Sealed = s.num(`,"sealed":`)
	a.Segment = s.num(`,"segment":`)
	a.Size = s.num(`,"size":`)
	a.Synced = s.num(`,"synced":`)
	a.SyncedCount = s.num(`,"synced_count":`)
	a.SyncedHead = s.hash(`,"synced_head":"`)
	at := s.str(`,"time":"`)
	a.turn = s.num(`,"turn":`)
	if s.bad || !validTime([]byte(at)) || a.Last > min(a.Size, MaxLine) ||
		a.SyncedCount > a.Count || a.Sealed > a.Count || a.Synced > a.Size || a.Base > a.Size {
		return a, false
	}
	a.Time = stamp([]byte(at)).time()
	return a, true
}

type slotReader struct {
	rest []byte
	bad  bool
}

// until returns the text between label and end.
func (s *slotReader) until(label, end string) []byte {
	rest, ok := bytes.CutPrefix(s.rest, []byte(label))
	n := bytes.IndexAny(rest, end)
	if !ok || n < 0 {
		s.bad = true
		return nil
	}
	s.rest = rest[n:]
	return rest[:n]
}

func (s *slotReader) str(label string) string {
	v := s.until(label, `"`)
	s.rest = bytes.TrimPrefix(s.rest, []byte(`"`))
	return string(v)
}

func (s *slotReader) num(label string) int64 {
	n, err := strconv.ParseUint(string(s.until(label, ",}")), 10, 62)
	s.bad = s.bad || err != nil
	return int64(n)
}

func (s *slotReader) hash(label string) Hash {
	h, ok := parseHash([]byte(s.str(label)))
	s.bad = s.bad || !ok
	return h
}
