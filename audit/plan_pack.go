package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// planLock is the file whose lock the process holds that changes packs.
const planLock = "lock"

// fewPlans are not worth a pack of their own.
const fewPlans = 16

// PackPlans moves the plans of a folder into a new pack, unless they are few. A crash leaves every
// plan in a file of its own, in a pack, or in both. It returns ErrPacking while another process
// packs. Call it when no user waits.
func PackPlans(ctx context.Context, dir string, c Codec) (done Packed, err error) {
	names, err := namesIn(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return done, nil
	}
	lock, err := lockNew(filepath.Join(dir, planLock), 0)
	if err != nil {
		return done, err
	}
	defer lock.Close()
	if names, err = namesIn(dir); err != nil {
		return done, err
	}
	packs := packNumbers(names)
	places := readIndex(dir, len(packs))
	if places == nil && len(packs) > 0 {
		if places, err = indexPacks(ctx, dir, packs, c); err == nil {
			err = writeIndex(dir, len(packs), places)
		}
		if err != nil {
			return done, err
		}
	}
	fresh := gather(dir, names, places)
	if len(fresh.places) == 0 {
		return done, removeAll(dir, fresh.names)
	}
	if len(fresh.names) < fewPlans {
		return done, nil
	}
	number := uint32(1)
	if len(packs) > 0 {
		number = packs[len(packs)-1] + 1
	}
	path := filepath.Join(dir, packName(number))
	if err := replaceFile(path, fresh.content); err != nil {
		return done, err
	}
	if done, err = packFile(ctx, path, c); err != nil {
		return done, err
	}
	for i := range fresh.places {
		fresh.places[i].pack = number
	}
	if err := writeIndex(dir, len(packs)+1, append(places, fresh.places...)); err != nil {
		return done, err
	}
	done.Files, done.Before = len(fresh.names), fresh.blocks
	return done, removeAll(dir, fresh.names)
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
	places  []planPlace
	content []byte
	blocks  int64 // what the files take on the disk
}

// mostInPack bounds a pack, whose plain text is in memory while it is made.
const mostInPack = 64 << 20

// gather reads the plans that are not packed. Those that the packs have already are only named, and
// damaged ones are left where they are.
func gather(dir string, names []string, packed []planPlace) (g gathered) {
	known := make(map[[sha256.Size]byte]bool, len(packed))
	for _, p := range packed {
		known[p.sum] = true
	}
	for _, name := range names {
		if !isPlanName(name) || len(g.content) > mostInPack {
			continue
		}
		plan, err := readPlain(filepath.Join(dir, name), maxPlan+1)
		sum := sha256.Sum256(plan)
		if err != nil || hex.EncodeToString(sum[:]) != name || len(plan) > maxPlan {
			continue
		}
		g.names = append(g.names, name)
		g.blocks += (int64(len(plan)) + 4095) &^ 4095
		if !known[sum] {
			g.places = append(g.places, planPlace{sum: sum, offset: int64(len(g.content))})
			g.content = binary.LittleEndian.AppendUint32(g.content, uint32(len(plan)))
			g.content = append(g.content, plan...)
		}
	}
	return g
}

func namesIn(dir string) (names []string, err error) {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

// indexPacks finds out what is in the packs.
func indexPacks(ctx context.Context, dir string, packs []uint32, c Codec) ([]planPlace, error) {
	var list []planPlace
	for _, n := range packs {
		offset := int64(0)
		for plan, err := range plansOf(dir, n, c) {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return nil, err
			}
			list = append(list, planPlace{sha256.Sum256(plan), n, offset})
			offset += int64(recordHead + len(plan))
		}
	}
	return list, nil
}

// plansOf yields the plans of a pack. The bytes are the caller's. After an error there is no more.
func plansOf(dir string, n uint32, c Codec) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := OpenTranscript(filepath.Join(dir, packName(n)), c)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for {
			plan, err := readRecord(f)
			if err == io.EOF {
				return
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", packName(n), err)
			}
			if !yield(plan, err) || err != nil {
				return
			}
		}
	}
}

// A Plan is one that is stored, under its name.
type Plan struct {
	Name  string
	Bytes []byte
	Err   error // why Bytes are not what the name says
}

// Plans yields all plans of a folder, those of the packs first. A plan can come twice while another
// process packs. A damaged file has its name and an error, a damaged pack an error alone.
func Plans(dir string, c Codec) iter.Seq[Plan] {
	return func(yield func(Plan) bool) {
		names, err := namesIn(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(Plan{Err: err})
			}
			return
		}
		for _, n := range packNumbers(names) {
			for plan, err := range plansOf(dir, n, c) {
				p := Plan{Bytes: plan, Err: err}
				if sum := sha256.Sum256(plan); err == nil {
					p.Name = hex.EncodeToString(sum[:])
				}
				if !yield(p) {
					return
				}
			}
		}
		for _, name := range names {
			if !isPlanName(name) {
				continue
			}
			plan, err := GetPlan(dir, name, c)
			if !errors.Is(err, ErrNoPlan) && !yield(Plan{name, plan, err}) {
				return
			}
		}
	}
}

// DropPlans removes the plans that keep is false for, and says how many: of a pack only if it is
// false for all of them.
func DropPlans(dir string, keep func(name string) bool, c Codec) (dropped int, err error) {
	names, err := namesIn(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	lock, err := lockNew(filepath.Join(dir, planLock), 0)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	for _, name := range names {
		if isPlanName(name) && !keep(name) && os.Remove(filepath.Join(dir, name)) == nil {
			dropped++
		}
	}
	packs, left := packNumbers(names), []uint32(nil)
	for _, n := range packs {
		inside, kept := 0, false
		for plan, err := range plansOf(dir, n, c) {
			sum := sha256.Sum256(plan)
			kept = kept || err != nil || keep(hex.EncodeToString(sum[:]))
			inside++
		}
		if kept {
			left = append(left, n)
			continue
		}
		path := filepath.Join(dir, packName(n))
		if err := errors.Join(os.Remove(path+packedSuffix), removeIfThere(path)); err != nil {
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
	return dropped, writeIndex(dir, len(left), places)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
