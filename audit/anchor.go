package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// slotSize is one disk sector: the two slots share a page, and a power cut
// tears a page between sectors, so at most the slot being written is lost.
const slotSize = 512

// anchorSize is the size of anchor.json, for ever.
const anchorSize = 2 * slotSize

// An Anchor is what this machine remembers of its own log, outside of it:
// with it, a log that was cut at a line boundary is not a shorter valid log.
// It is written with every entry and never synced, because the log is the
// truth; only the Synced values survive a power cut for certain.
type Anchor struct {
	Boot        string // the kernel's boot id when this was written
	Count       int64  // entries
	Fault       string // not empty: an entry could not be made durable
	Head        Hash   // of the last entry
	Last        int64  // bytes of the last line, newline included
	Size        int64  // bytes of the log
	Synced      int64  // bytes of the log that fdatasync has promised
	SyncedCount int64
	SyncedHead  Hash
	Time        time.Time // of the last entry
	turn        int64     // counts the writes of the anchor: the higher slot is the newer
}

// newAnchor is the memory of a log without entries.
func newAnchor(boot string) Anchor {
	return Anchor{Boot: boot, Head: Genesis(), SyncedHead: Genesis()}
}

// slotJSON is the spelling of a slot; its keys are in order.
type slotJSON struct {
	Boot        string `json:"boot"`
	Count       int64  `json:"count"`
	Fault       string `json:"fault"`
	Head        string `json:"head"`
	Last        int64  `json:"last"`
	MAC         string `json:"mac"`
	Size        int64  `json:"size"`
	Synced      int64  `json:"synced"`
	SyncedCount int64  `json:"synced_count"`
	SyncedHead  string `json:"synced_head"`
	Time        string `json:"time"`
	Turn        int64  `json:"turn"`
}

// macEmpty is where the MAC goes; it is computed over the slot without it.
const macEmpty = `"mac":""`

// appendSlot writes the slot that this anchor's turn belongs to, framed so
// that the two slots together are one JSON array: even turns are the first
// element, odd turns the second.
func (a Anchor) appendSlot(dst []byte, key []byte) []byte {
	object := fmt.Appendf(nil, `{"boot":%q,"count":%d,"fault":%q,"head":"%x","last":%d,%s,"size":%d,"synced":%d,"synced_count":%d,"synced_head":"%x","time":%q,"turn":%d}`,
		a.Boot, a.Count, a.Fault, a.Head[:], a.Last, macEmpty, a.Size, a.Synced, a.SyncedCount, a.SyncedHead[:], stampOf(a.Time).String(), a.turn)
	mac := slotMAC(object, key)
	object = bytes.Replace(object, []byte(macEmpty), fmt.Appendf(nil, `"mac":"%x"`, mac), 1)
	open, end := "[", ",\n"
	if a.turn%2 == 1 {
		open, end = " ", "]\n"
	}
	dst = append(dst, open...)
	dst = append(dst, object...)
	for n := len(open) + len(object) + len(end); n < slotSize; n++ {
		dst = append(dst, ' ')
	}
	return append(dst, end...)
}

// slotMAC keeps a torn slot from being believed; with a key it also keeps
// out whoever can write the file but not read the key.
func slotMAC(object, key []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(object)
	return m.Sum(nil)[:16]
}

// firstAnchor is the whole file of a log without entries.
func firstAnchor(boot string, key []byte) []byte {
	a := newAnchor(boot)
	one := a.appendSlot(nil, key)
	a.turn = 1
	return a.appendSlot(one, key)
}

// parseAnchor returns the newer of the two slots. A slot that a crash tore
// is passed over; two torn slots are no anchor.
func parseAnchor(file, key []byte) (newest Anchor, ok bool) {
	if len(file) != anchorSize {
		return newest, false
	}
	for i := range 2 {
		a, valid := parseSlot(file[i*slotSize:(i+1)*slotSize], key)
		if valid && a.turn%2 == int64(i) && (!ok || a.turn > newest.turn) {
			newest, ok = a, true
		}
	}
	return newest, ok
}

func parseSlot(slot, key []byte) (a Anchor, ok bool) {
	var j slotJSON
	object := bytes.Trim(slot, "[], \n")
	if json.Unmarshal(object, &j) != nil {
		return a, false
	}
	head, ok1 := parseHash([]byte(j.Head))
	synced, ok2 := parseHash([]byte(j.SyncedHead))
	if !ok1 || !ok2 || !validTime([]byte(j.Time)) {
		return a, false
	}
	a = Anchor{
		Boot: j.Boot, Count: j.Count, Fault: j.Fault, Head: head, Last: j.Last, Size: j.Size,
		Synced: j.Synced, SyncedCount: j.SyncedCount, SyncedHead: synced, Time: stamp([]byte(j.Time)).time(), turn: j.Turn,
	}
	if a.Count < 0 || a.turn < 0 || a.Last < 0 || a.Last > a.Size || a.SyncedCount > a.Count || a.Synced < 0 || a.Synced > a.Size {
		return a, false
	}
	// Writing it again is the whole comparison: padding, order and MAC.
	want, err := hex.DecodeString(j.MAC)
	return a, err == nil && len(want) == 16 && bytes.Equal(a.appendSlot(nil, key), slot)
}

// countSlots returns how many of the two slots are whole.
func countSlots(file, key []byte) (n int) {
	for i := 0; i+slotSize <= len(file); i += slotSize {
		if _, ok := parseSlot(file[i:i+slotSize], key); ok {
			n++
		}
	}
	return n
}
