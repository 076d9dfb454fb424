package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PutPlan stores a plan in a folder under its SHA-256 in hex, which it returns, unless it is there.
// The file is complete when it returns, and not yet on the disk: what vouches for the plan is the
// entry that names it.
func PutPlan(dir string, plan []byte) (name string, err error) {
	sum := sha256.Sum256(plan)
	name = hex.EncodeToString(sum[:])
	if _, packed := findPlan(dir, sum); packed {
		return name, nil
	}
	path := filepath.Join(dir, name)
	err = writeNew(path, plan)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = writeNew(path, plan)
		}
	}
	if !errors.Is(err, fs.ErrExist) {
		return name, err
	}
	if info, err := os.Lstat(path); err == nil && info.Size() == int64(len(plan)) {
		return name, nil
	}
	return name, replaceFile(path, plan) // a process died while it wrote the file
}

// writeNew makes a file that is not there. One that could not be written is removed.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nofollow, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// replaceFile puts a file in the place of one that may be there, whole and on the disk.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// ErrNoPlan is returned for a plan that is not stored.
var ErrNoPlan = errors.New("the plan is not stored")

// GetPlan returns the plan of that name. The error wraps [ErrNoPlan] if there is none, and says so
// if what is there has another hash.
func GetPlan(dir, name string, c Codec) ([]byte, error) {
	var sum [sha256.Size]byte
	if n, err := hex.Decode(sum[:], []byte(name)); err != nil || n != len(sum) {
		return nil, fmt.Errorf("plan %q: %w", name, ErrNoPlan)
	}
	plan, err := readPlain(filepath.Join(dir, name), maxPlan+1)
	if errors.Is(err, fs.ErrNotExist) {
		plan, err = packedPlan(dir, sum, c)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("plan %.12s: %w", name, err)
	case sha256.Sum256(plan) != sum:
		return nil, fmt.Errorf("plan %.12s: its bytes were changed", name)
	}
	return plan, nil
}

// maxPlan bounds a stored plan: what a reader may be made to hold.
const maxPlan = 1 << 20

// packedPlan reads a plan at the place that the index has for it.
func packedPlan(dir string, sum [sha256.Size]byte, c Codec) ([]byte, error) {
	at, ok := findPlan(dir, sum)
	if !ok {
		return nil, ErrNoPlan
	}
	f, err := OpenTranscript(filepath.Join(dir, packName(at.pack)), c)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoPlan
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(at.offset, io.SeekStart); err != nil {
		return nil, err
	}
	return readRecord(f)
}

// A pack is plans one after the other, each with its length, of 4 bytes, before it.
const recordHead = 4

func readRecord(r io.Reader) ([]byte, error) {
	var head [recordHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxPlan {
		return nil, errors.New("the pack is damaged: a plan is longer than any that is stored")
	}
	plan := make([]byte, n)
	_, err := io.ReadFull(r, plan)
	return plan, err
}

func packName(n uint32) string { return fmt.Sprintf("pack.%06d", n) }

// packNumbers are those of the packs of a folder, in their order.
func packNumbers(names []string) (list []uint32) {
	for _, name := range names {
		var n uint32
		name = strings.TrimSuffix(name, packedSuffix)
		if _, err := fmt.Sscanf(name, "pack.%d", &n); err == nil && packName(n) == name &&
			!slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// isPlanName reports whether a file is a plan that is not packed.
func isPlanName(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*sha256.Size
}
