package plans

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/audit"
)

// indexName is the file that says where the packed plans are: a line, and for each plan its hash,
// the number of its pack and its offset in the plain text, sorted by hash. It is derived from the
// packs, and says how many of them it covers, so that one that is behind is noticed.
const (
	indexName  = "index"
	indexLine  = "tada-plans/1\n"
	indexHead  = len(indexLine) + 4
	indexEntry = sha256.Size + 4 + 8
)

// place is where a packed plan is.
type place struct {
	sum    [sha256.Size]byte
	pack   uint32
	offset int64
}

func (p place) compare(q place) int {
	return cmp.Or(bytes.Compare(p.sum[:], q.sum[:]), cmp.Compare(p.pack, q.pack),
		cmp.Compare(p.offset, q.offset))
}

func (p place) append(b []byte) []byte {
	b = append(b, p.sum[:]...)
	b = binary.LittleEndian.AppendUint32(b, p.pack)
	return binary.LittleEndian.AppendUint64(b, uint64(p.offset))
}

func placeOf(b []byte) (p place) {
	copy(p.sum[:], b)
	p.pack = binary.LittleEndian.Uint32(b[sha256.Size:])
	p.offset = int64(binary.LittleEndian.Uint64(b[sha256.Size+4:]))
	return p
}

// find looks for a plan in the index, by reading some twenty entries of it.
func find(dir string, sum [sha256.Size]byte) (place, bool) {
	f, err := os.Open(filepath.Join(dir, indexName))
	if err != nil {
		return place{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < int64(indexHead) {
		return place{}, false
	}
	var b [indexEntry]byte
	from, to := int64(0), (info.Size()-int64(indexHead))/indexEntry
	for from < to {
		middle := (from + to) / 2
		if _, err := f.ReadAt(b[:], int64(indexHead)+middle*indexEntry); err != nil {
			return place{}, false
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
	return place{}, false
}

// readIndex returns the entries of the index if it covers that many packs, and nil if not.
func readIndex(dir string, packs int) []place {
	b, err := audit.ReadPlain(filepath.Join(dir, indexName), 1<<32)
	if err != nil || len(b) < indexHead || string(b[:len(indexLine)]) != indexLine ||
		binary.LittleEndian.Uint32(b[len(indexLine):]) != uint32(packs) {
		return nil
	}
	list := make([]place, 0, len(b)/indexEntry)
	for b = b[indexHead:]; len(b) >= indexEntry; b = b[indexEntry:] {
		list = append(list, placeOf(b))
	}
	return list
}

// writeIndex replaces the index. Of a plan that is in two packs the first counts.
func writeIndex(dir string, packs int, list []place) error {
	slices.SortFunc(list, place.compare)
	list = slices.CompactFunc(list, func(a, b place) bool { return a.sum == b.sum })
	b := make([]byte, 0, indexHead+len(list)*indexEntry)
	b = binary.LittleEndian.AppendUint32(append(b, indexLine...), uint32(packs))
	for _, p := range list {
		b = p.append(b)
	}
	return replaceFile(filepath.Join(dir, indexName), b, nil)
}

// replaceFile puts a file in the place of one that may be there, whole and on the disk, once check
// has found nothing wrong with it; nil checks nothing.
func replaceFile(path string, content []byte, check func(name string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*"+filepath.Ext(path))
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && check != nil {
		err = check(f.Name())
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
