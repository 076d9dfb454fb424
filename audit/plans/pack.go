package plans

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/audit"
)

// lockName is the file whose lock the process holds that changes packs.
const lockName = "lock"

// few are not worth a pack of their own.
const few = 16

// Pack moves the plans of a folder into a new pack, unless they are few. A crash leaves every
// plan in a file of its own, in a pack, or in both. It returns [audit.ErrPacking] while another
// process packs. Call it when no user waits.
func Pack(ctx context.Context, dir string, c audit.Codec) (done audit.Packed, err error) {
	lock, err := lock(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil // no plan was ever stored
	} else if err != nil {
		return done, err
	}
	defer lock.Close()
	names, err := namesIn(dir)
	if err != nil {
		return done, err
	}
	packs := packNumbers(names)
	known, places := readIndex(dir, packs)
	if places == nil && len(packs) > 0 {
		if places, err = indexPacks(ctx, dir, packs, c); err == nil {
			known, err = measured(dir, packs...)
		}
		if err == nil {
			err = writeIndex(dir, known, places)
		}
		if err != nil {
			return done, err
		}
	}
	fresh := gather(dir, names, places, c)
	if len(fresh.places) == 0 {
		return done, removeAll(dir, fresh.names)
	}
	if len(fresh.names) < few {
		return done, nil
	}
	number := uint32(1)
	if len(packs) > 0 {
		number = packs[len(packs)-1] + 1
	}
	if done.After, err = writePack(dir, number, fresh.content, c); err != nil {
		return done, err
	}
	for i := range fresh.places {
		fresh.places[i].pack = number
	}
	added, err := measured(dir, number)
	places = slices.DeleteFunc(places, func(p place) bool { return fresh.anew[p.sum] })
	if err == nil {
		err = writeIndex(dir, append(known, added...), append(places, fresh.places...))
	}
	if err != nil {
		return done, err
	}
	done.Files, done.Before = len(fresh.names), fresh.blocks
	return done, removeAll(dir, fresh.names)
}

// lock makes this process the only one that changes packs.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil && flock.Try(f) != nil {
		f.Close()
		return nil, audit.ErrPacking
	}
	return f, err
}

// writePack writes a pack and returns its size. It has its name when what is on the disk was read
// back and is the same.
func writePack(dir string, number uint32, content []byte, c audit.Codec) (int64, error) {
	var packed bytes.Buffer
	if err := audit.Pack(&packed, bytes.NewReader(content), c); err != nil {
		return 0, err
	}
	path := filepath.Join(dir, packName(number)+suffix)
	return int64(packed.Len()), replaceFile(path, packed.Bytes(), func(name string) error {
		f, err := audit.OpenTranscript(strings.TrimSuffix(name, suffix), c)
		if err != nil {
			return err
		}
		defer f.Close()
		back, err := io.ReadAll(f)
		if err == nil && !bytes.Equal(back, content) {
			err = errors.New("the pack does not read back the same")
		}
		return err
	})
}

func removeAll(dir string, names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// gathered are the plans for a pack.
type gathered struct {
	names   []string // of their files
	places  []place
	anew    map[[sha256.Size]byte]bool // those that the packs should have
	content []byte
	blocks  int64 // what the files take on the disk
}

// mostInPack bounds a pack, whose plain text is in memory while it is made.
const mostInPack = 64 << 20

// gather reads the plans that are not packed. Those that can be read from the packs already are
// only named, and damaged ones are left where they are.
func gather(dir string, names []string, packed []place, c audit.Codec) (g gathered) {
	known := make(map[[sha256.Size]byte]place, len(packed))
	for _, p := range packed {
		known[p.sum] = p
	}
	g.anew = map[[sha256.Size]byte]bool{}
	r := reader{dir: dir, codec: c}
	defer r.close()
	for _, name := range names {
		if !isName(name) || len(g.content) > mostInPack {
			continue
		}
		plan, err := audit.ReadPlain(filepath.Join(dir, name), most+1)
		sum := sha256.Sum256(plan)
		if err != nil || hex.EncodeToString(sum[:]) != name || len(plan) > most {
			continue
		}
		g.names = append(g.names, name)
		g.blocks += (int64(len(plan)) + 4095) &^ 4095
		at, isKnown := known[sum]
		if !isKnown || !r.has(at, plan) {
			if isKnown {
				g.anew[sum] = true
			}
			g.places = append(g.places, place{sum: sum, offset: int64(len(g.content))})
			g.content = binary.LittleEndian.AppendUint32(g.content, uint32(len(plan)))
			g.content = append(g.content, plan...)
		}
	}
	return g
}

// A reader reads plans of packs; it leaves the last pack open.
type reader struct {
	dir    string
	codec  audit.Codec
	number uint32
	pack   io.ReadSeekCloser
}

// has reports whether a plan can be read where it should be.
func (r *reader) has(at place, plan []byte) bool {
	if r.pack == nil || r.number != at.pack {
		r.close()
		f, err := audit.OpenTranscript(filepath.Join(r.dir, packName(at.pack)), r.codec)
		if err != nil {
			return false
		}
		r.pack, r.number = f, at.pack
	}
	if _, err := r.pack.Seek(at.offset, io.SeekStart); err != nil {
		return false
	}
	is, err := readRecord(r.pack)
	return err == nil && bytes.Equal(is, plan)
}

func (r *reader) close() {
	if r.pack != nil {
		r.pack.Close()
		r.pack = nil
	}
}

// indexPacks finds out what can be read from the packs.
func indexPacks(ctx context.Context, dir string, packs []uint32, c audit.Codec) ([]place, error) {
	var list []place
	for _, n := range packs {
		offset := int64(0)
		for plan, err := range of(dir, n, c) {
			if isDamage(err) {
				break // no more can be had of it
			} else if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			list = append(list, place{sha256.Sum256(plan), n, offset})
			offset += int64(recordHead + len(plan))
		}
	}
	return list, nil
}

// A Plan is one that is stored, under its name.
type Plan struct {
	Name   string
	Bytes  []byte
	Packed bool
	Err    error // why Bytes are not what the name says
}

// DamagedPack reports whether Err says that a pack cannot be read from there on.
func (p Plan) DamagedPack() bool {
	return p.Packed && isDamage(p.Err)
}

func isDamage(err error) bool {
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, audit.ErrPacked)
}

// All yields all plans of a folder, those of the packs first. A plan can come twice while another
// process packs. A damaged file has its name and an error, a damaged pack an error alone.
func All(dir string, c audit.Codec) iter.Seq[Plan] { return AllBut(dir, nil, c) }

// AllBut is All without those in some packs, given by the names of their files.
func AllBut(dir string, packs map[string]bool, c audit.Codec) iter.Seq[Plan] {
	return func(yield func(Plan) bool) {
		names, err := namesIn(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(Plan{Err: err})
			}
			return
		}
		for _, n := range packNumbers(names) {
			if packs[packName(n)+suffix] {
				continue
			}
			for plan, err := range of(dir, n, c) {
				p := Plan{Bytes: plan, Packed: true, Err: err}
				if sum := sha256.Sum256(plan); err == nil {
					p.Name = hex.EncodeToString(sum[:])
				}
				if !yield(p) {
					return
				}
			}
		}
		for _, name := range names {
			if !isName(name) {
				continue
			}
			plan, err := Get(dir, name, c)
			if !errors.Is(err, ErrNone) && !yield(Plan{name, plan, false, err}) {
				return
			}
		}
	}
}

// Sums returns the SHA-256 of the files of the packs of a folder, by their names.
func Sums(dir string) (map[string]audit.Hash, error) {
	names, err := namesIn(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	sums := map[string]audit.Hash{}
	for _, n := range packNumbers(names) {
		name := packName(n) + suffix
		path := filepath.Join(dir, name)
		info, sumErr := os.Lstat(path)
		if sumErr == nil && info.Size() <= mostInPack {
			if sums[name], sumErr = audit.SumFile(path, info.Size()); sumErr == nil {
				continue
			}
		}
		delete(sums, name) // who reads it says what is wrong
		if !errors.Is(sumErr, fs.ErrNotExist) {
			err = errors.Join(err, sumErr)
		}
	}
	return sums, err
}

// Drop removes the plans that keep is false for, and says how many: of a pack only if it is
// false for all of them.
func Drop(dir string, keep func(name string) bool, c audit.Codec) (dropped int, err error) {
	names, err := namesIn(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock, err := lock(dir)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	for _, name := range names {
		if isName(name) && !keep(name) && os.Remove(filepath.Join(dir, name)) == nil {
			dropped++
		}
	}
	packs, left := packNumbers(names), []uint32(nil)
	for _, n := range packs {
		inside, kept := 0, false
		for plan, err := range of(dir, n, c) {
			sum := sha256.Sum256(plan)
			kept = kept || err != nil || keep(hex.EncodeToString(sum[:]))
			inside++
		}
		if kept {
			left = append(left, n)
			continue
		}
		if err := os.Remove(filepath.Join(dir, packName(n)+suffix)); err != nil {
			return dropped, err
		}
		dropped += inside
	}
	if len(left) == len(packs) {
		return dropped, nil
	}
	places, err := indexPacks(context.Background(), dir, left, c)
	if err != nil {
		return dropped, err
	}
	known, err := measured(dir, left...)
	if err != nil {
		return dropped, err
	}
	return dropped, writeIndex(dir, known, places)
}
