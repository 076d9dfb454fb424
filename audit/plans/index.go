package plans

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/audit"
	"golang.org/x/sys/unix"
)

// indexName is the file that says where the packed plans are: a line, how many packs and plans it
// has, and the SHA-256 of its entries; for each pack its number, the size and the SHA-256 of its
// file; and for each plan its hash, the number of its pack and its offset in the plain text, sorted
// by hash. It is derived from the packs, and says which, so that one that is behind, or of others,
// is noticed.
const (
	indexName  = "index"
	indexLine  = "tada-plans/2\n"
	indexHead  = len(indexLine) + 4 + 4 + sha256.Size
	indexPack  = 4 + 8 + sha256.Size
	indexEntry = sha256.Size + 4 + 8
	mostPacks  = 1 << 16
)

var errIndex = errors.New("not an index of these packs")

// An index is one that is open. Its head was read, and nothing of it was compared with the packs.
type index struct {
	*os.File
	sum   audit.Hash // of the entries
	packs []indexed
	from  int64 // the first entry
	count int64
}

// indexed is a pack that an index covers.
type indexed struct {
	number uint32
	size   int64
	sum    audit.Hash // of the file
}

func (p indexed) file(dir string) string { return filepath.Join(dir, packName(p.number)+suffix) }

func openIndex(dir string) (*index, error) {
	f, err := os.OpenFile(filepath.Join(dir, indexName),
		os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	x := &index{File: f}
	if err := x.readHead(); err != nil {
		f.Close()
		return nil, err
	}
	return x, nil
}

func (x *index) readHead() error {
	info, err := x.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(errIndex, err)
	}
	b := make([]byte, indexHead)
	if _, err := x.ReadAt(b, 0); err != nil || string(b[:len(indexLine)]) != indexLine {
		return errIndex
	}
	n := int64(binary.LittleEndian.Uint32(b[len(indexLine):]))
	x.count = int64(binary.LittleEndian.Uint32(b[len(indexLine)+4:]))
	copy(x.sum[:], b[len(indexLine)+4+4:])
	x.from = int64(indexHead) + n*int64(indexPack)
	if n > mostPacks || info.Size() != x.from+x.count*int64(indexEntry) {
		return errIndex
	}
	b = make([]byte, n*int64(indexPack))
	if _, err := x.ReadAt(b, int64(indexHead)); err != nil {
		return err
	}
	for ; len(b) > 0; b = b[indexPack:] {
		p := indexed{number: binary.LittleEndian.Uint32(b),
			size: int64(binary.LittleEndian.Uint64(b[4:]))}
		copy(p.sum[:], b[4+8:])
		x.packs = append(x.packs, p)
	}
	return nil
}

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

// find looks for a plan in the index, by reading some twenty entries of it. The pack that it names
// is there, and has the size that the index says.
func find(dir string, sum [sha256.Size]byte) (place, bool) {
	x, err := openIndex(dir)
	if err != nil {
		return place{}, false
	}
	defer x.Close()
	var b [indexEntry]byte
	from, to := int64(0), x.count
	for from < to {
		middle := (from + to) / 2
		if _, err := x.ReadAt(b[:], x.from+middle*int64(indexEntry)); err != nil {
			return place{}, false
		}
		switch bytes.Compare(b[:sha256.Size], sum[:]) {
		case 0:
			p := placeOf(b[:])
			return p, x.covers(dir, p.pack)
		case -1:
			from = middle + 1
		default:
			to = middle
		}
	}
	return place{}, false
}

// covers reports whether a pack is there as the index knows it, by its size.
func (x *index) covers(dir string, number uint32) bool {
	i := slices.IndexFunc(x.packs, func(p indexed) bool { return p.number == number })
	if i < 0 {
		return false
	}
	info, err := os.Lstat(x.packs[i].file(dir))
	return err == nil && info.Mode().IsRegular() && info.Size() == x.packs[i].size
}

// readIndex returns what the index has, if it is whole and of exactly these packs, and nil if not.
// The packs are known by their sizes: who relies on a place reads it.
func readIndex(dir string, packs []uint32) ([]indexed, []place) {
	x, err := openIndex(dir)
	if err != nil {
		return nil, nil
	}
	defer x.Close()
	if !slices.EqualFunc(x.packs, packs,
		func(p indexed, n uint32) bool { return p.number == n }) {
		return nil, nil
	}
	for _, p := range x.packs {
		if !x.covers(dir, p.number) {
			return nil, nil
		}
	}
	b, err := io.ReadAll(io.NewSectionReader(x, x.from, x.count*int64(indexEntry)))
	if err != nil || sha256.Sum256(b) != x.sum {
		return nil, nil
	}
	list := make([]place, 0, len(b)/indexEntry)
	for ; len(b) >= indexEntry; b = b[indexEntry:] {
		list = append(list, placeOf(b))
	}
	return x.packs, list
}

// measured returns packs as an index says which they are.
func measured(dir string, numbers ...uint32) (packs []indexed, err error) {
	for _, n := range numbers {
		p := indexed{number: n}
		info, err := os.Lstat(p.file(dir))
		if err != nil {
			return nil, err
		}
		p.size = info.Size()
		if p.sum, err = audit.SumFile(p.file(dir), p.size); err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
	return packs, nil
}

// writeIndex replaces the index. Of a plan that is in two packs the first counts.
func writeIndex(dir string, packs []indexed, list []place) error {
	slices.SortFunc(list, place.compare)
	list = slices.CompactFunc(list, func(a, b place) bool { return a.sum == b.sum })
	entries := make([]byte, 0, len(list)*indexEntry)
	for _, p := range list {
		entries = p.append(entries)
	}
	sum := sha256.Sum256(entries)
	b := binary.LittleEndian.AppendUint32([]byte(indexLine), uint32(len(packs)))
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(list))), sum[:]...)
	for _, p := range packs {
		b = binary.LittleEndian.AppendUint32(b, p.number)
		b = binary.LittleEndian.AppendUint64(b, uint64(p.size))
		b = append(b, p.sum[:]...)
	}
	return replaceFile(filepath.Join(dir, indexName), append(b, entries...), nil)
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

// suffix is that of a pack.
const suffix = ".zst"

func packName(n uint32) string { return fmt.Sprintf("pack.%06d", n) }

// packNumbers are those of the packs of a folder, in their order.
func packNumbers(names []string) (list []uint32) {
	for _, name := range names {
		var n uint32
		if _, err := fmt.Sscanf(name, "pack.%d", &n); err == nil && packName(n)+suffix == name {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}
