package plans

import (
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

	"github.com/tada-run/tada-run/audit"
	"golang.org/x/sys/unix"
)

// Put stores a plan in a folder under its SHA-256 in hex, which it returns, unless it is there.
// The file is complete when it returns, and not yet on the disk: what vouches for the plan is the
// entry that names it.
func Put(dir string, plan []byte) (name string, err error) {
	sum := sha256.Sum256(plan)
	name = hex.EncodeToString(sum[:])
	if _, packed := find(dir, sum); packed {
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
	return name, replaceFile(path, plan, nil) // a process died while it wrote the file
}

// writeNew makes a file that is not there. One that could not be written is removed.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// ErrNone is returned for a plan that is not stored.
var ErrNone = errors.New("the plan is not stored")

// Get returns the plan of that name. The error wraps [ErrNone] if there is none, and says so
// if what is there has another hash.
func Get(dir, name string, c audit.Codec) ([]byte, error) {
	var sum [sha256.Size]byte
	if n, err := hex.Decode(sum[:], []byte(name)); err != nil || n != len(sum) {
		return nil, fmt.Errorf("plan %q: %w", name, ErrNone)
	}
	plan, err := audit.ReadPlain(filepath.Join(dir, name), most+1)
	if errors.Is(err, fs.ErrNotExist) {
		plan, err = packed(dir, sum, c)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("plan %.12s: %w", name, err)
	case sha256.Sum256(plan) != sum:
		return nil, fmt.Errorf("plan %.12s: its bytes were changed", name)
	}
	return plan, nil
}

// most bounds a stored plan: what a reader may be made to hold.
const most = 1 << 20

// packed reads a plan where the index has it, or looks for it in the packs.
func packed(dir string, sum [sha256.Size]byte, c audit.Codec) ([]byte, error) {
	if at, ok := find(dir, sum); ok {
		if plan, err := readAt(dir, at, c); err == nil && sha256.Sum256(plan) == sum {
			return plan, nil
		}
	}
	names, err := namesIn(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = ErrNone
	for _, n := range packNumbers(names) {
		for plan, failed := range of(dir, n, c) {
			if failed == nil && sha256.Sum256(plan) == sum {
				return plan, nil
			}
			if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
				err = failed
			}
		}
	}
	return nil, err
}

func readAt(dir string, at place, c audit.Codec) ([]byte, error) {
	f, err := audit.OpenTranscript(filepath.Join(dir, packName(at.pack)), c)
	if err != nil {
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
	if n > most {
		return nil, errors.New("the pack is damaged: a plan is longer than any that is stored")
	}
	plan := make([]byte, n)
	_, err := io.ReadFull(r, plan)
	return plan, err
}

// isName reports whether a file is a plan that is not packed.
func isName(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*sha256.Size
}

func namesIn(dir string) (names []string, err error) {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

// of yields the plans of a pack. The bytes are the caller's. After an error there is no more.
func of(dir string, n uint32, c audit.Codec) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := audit.OpenTranscript(filepath.Join(dir, packName(n)), c)
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
