package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
)

// planIndex is the file that says where the packed plans are: a line, and for each plan its hash,
// the number of its pack and its offset in the plain text, sorted by hash. It is derived from the
// packs, and says how many of them it covers, so that one that is behind is noticed.
const (
	planIndex  = "index"
	indexLine  = "tada-plans/1\n"
	indexHead  = len(indexLine) + 4
	indexEntry = sha256.Size + 4 + 8
)

// planPlace is where a packed plan is.
type planPlace struct {
	sum    [sha256.Size]byte
	pack   uint32
	offset int64
}

func (p planPlace) compare(q planPlace) int {
	return cmp.Or(bytes.Compare(p.sum[:], q.sum[:]), cmp.Compare(p.pack, q.pack),
		cmp.Compare(p.offset, q.offset))
}

func (p planPlace) append(b []byte) []byte {
	b = append(b, p.sum[:]...)
	b = binary.LittleEndian.AppendUint32(b, p.pack)
	return binary.LittleEndian.AppendUint64(b, uint64(p.offset))
}

func placeOf(b []byte) (p planPlace) {
	copy(p.sum[:], b)
	p.pack = binary.LittleEndian.Uint32(b[sha256.Size:])
	p.offset = int64(binary.LittleEndian.Uint64(b[sha256.Size+4:]))
	return p
}

// findPlan looks for a plan in the index, by reading some twenty entries of it.
func findPlan(dir string, sum [sha256.Size]byte) (planPlace, bool) {
	f, err := os.Open(filepath.Join(dir, planIndex))
	if err != nil {
		return planPlace{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < int64(indexHead) {
		return planPlace{}, false
	}
	var b [indexEntry]byte
	from, to := int64(0), (info.Size()-int64(indexHead))/indexEntry
	for from < to {
		middle := (from + to) / 2
		if _, err := f.ReadAt(b[:], int64(indexHead)+middle*indexEntry); err != nil {
			return planPlace{}, false
		}
		switch bytes.Compare(b[:sha256.Size], sum[:]) {
		case 0:
			return placeOf(b[:]), true
		case -1:
			from = middle + 1
		default:
			to = middle
		}
	}
	return planPlace{}, false
}

// readIndex returns the entries of the index if it covers that many packs, and nil if not.
func readIndex(dir string, packs int) []planPlace {
	b, err := readPlain(filepath.Join(dir, planIndex), 1<<32)
	if err != nil || len(b) < indexHead || string(b[:len(indexLine)]) != indexLine ||
		binary.LittleEndian.Uint32(b[len(indexLine):]) != uint32(packs) {
		return nil
	}
	list := make([]planPlace, 0, len(b)/indexEntry)
	for b = b[indexHead:]; len(b) >= indexEntry; b = b[indexEntry:] {
		list = append(list, placeOf(b))
	}
	return list
}

// writeIndex replaces the index. Of a plan that is in two packs the first counts.
func writeIndex(dir string, packs int, list []planPlace) error {
	slices.SortFunc(list, planPlace.compare)
	list = slices.CompactFunc(list, func(a, b planPlace) bool { return a.sum == b.sum })
	b := make([]byte, 0, indexHead+len(list)*indexEntry)
	b = binary.LittleEndian.AppendUint32(append(b, indexLine...), uint32(packs))
	for _, p := range list {
		b = p.append(b)
	}
	return replaceFile(filepath.Join(dir, planIndex), b)
}
