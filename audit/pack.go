package audit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/approval/flock"
)

// Pack compresses a transcript, or anything else, in zstd's seekable format. Hashes are over the
// plain text, so what was proven of it stays proven. It takes some 10 MiB of memory and one core.
func Pack(w io.Writer, r io.Reader, c Codec) error { return pack(w, r, frameSize, c) }

// pack is Pack with frames of another size, at most frameSize.
func pack(w io.Writer, r io.Reader, frame int, c Codec) error {
	if c.Encoder == nil {
		return ErrPacked
	}
	encode, done, err := c.Encoder(frame)
	if err != nil {
		return fmt.Errorf("compressing: %w", err)
	}
	defer done()
	plain, packed := make([]byte, frame), []byte(nil)
	var table []byte
	for {
		n, err := io.ReadFull(r, plain)
		if n > 0 {
			packed = encode(plain[:n], packed[:0])
			if _, err := w.Write(packed); err != nil {
				return err
			}
			table = binary.LittleEndian.AppendUint32(table, uint32(len(packed)))
			table = binary.LittleEndian.AppendUint32(table, uint32(n))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return err
		}
	}
	_, err = w.Write(appendSeekTable(nil, table))
	return err
}

func appendSeekTable(dst, table []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, skippableMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(table)+seekFooter))
	dst = append(dst, table...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(table)/8))
	dst = append(dst, 0) // no checksums: the chain replaces them
	return binary.LittleEndian.AppendUint32(dst, seekableMagic)
}

// ErrRecording is returned for a transcript that is still being written.
var ErrRecording = errors.New("the session is still being recorded")

// Packed is the result of PackFolder.
type Packed struct {
	Files         int
	Before, After int64 // bytes on disk
}

// PackFolder packs every transcript of a folder that is not being written; if want is set, only
// those for which it returns true. Files that cannot be packed stay unchanged, and their errors are
// returned together. When ctx ends, PackFolder returns its results so far and ctx.Err(), within
// some milliseconds. Call it when no user waits.
func PackFolder(ctx context.Context, dir string, want func(name string) bool,
	c Codec) (Packed, error) {
	var done Packed
	list, err := os.ReadDir(dir)
	if err != nil {
		return done, fmt.Errorf("packing transcripts: %w", err)
	}
	var errs []error
	full := 0 // a later one may be small enough
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".cast") || want != nil && !want(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		sizes, err := packFile(ctx, path, path+packedSuffix, frameSize, c)
		switch {
		case ctx.Err() != nil:
			return done, errors.Join(append(errs, ctx.Err())...)
		case errors.Is(err, ErrRecording), errors.Is(err, ErrPacking),
			errors.Is(err, fs.ErrNotExist):
			// or just packed
		case errors.Is(err, syscall.ENOSPC):
			if full++; full == 1 {
				errs = append(errs, err)
			}
		case err != nil:
			errs = append(errs, err)
		default:
			done.Files++
			done.Before += sizes.Before
			done.After += sizes.After
		}
	}
	if full > 1 {
		errs = append(errs, fmt.Errorf("no space to pack %s", Plural(full-1, "more transcript")))
	}
	return done, errors.Join(errs...)
}

// packFile compresses the file at path into the file packed and reads it back from the disk. Only
// if that has the same bytes does it remove the plain file. A crash leaves the plain file, both, or
// the packed one: OpenTranscript finds it in each case, and packFile can be called again. It
// returns ErrRecording for a session that still runs, ErrPacking while another process packs it,
// and fs.ErrNotExist if there is no plain file.
func packFile(ctx context.Context, path, packed string, frame int, c Codec) (Packed, error) {
	sizes, err := packPlain(ctx, path, packed, frame, c)
	if err != nil {
		return sizes, fmt.Errorf("packing %q: %w", path, err)
	}
	return sizes, nil
}

func packPlain(ctx context.Context, path, packed string, frame int,
	c Codec) (sizes Packed, err error) {
	src, err := openPlain(path)
	if err != nil {
		return sizes, err
	}
	defer src.Close()
	if isWriting(src) {
		return sizes, ErrRecording
	}
	dst, err := claim(path, packed, src)
	if err != nil {
		return sizes, err
	}
	defer dst.Close()
	if sizes, err = packChecked(ctx, dst, src, frame, c); err != nil {
		os.Remove(packed)
		return sizes, err
	}
	if st, err := src.Stat(); err == nil { // its age is that of the session, for DropSessions
		_ = os.Chtimes(packed, st.ModTime(), st.ModTime())
	}
	// The name first, then the removal: after a power cut one of the two must be there.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		err = dir.Sync()
		dir.Close()
		if err != nil {
			return sizes, err
		}
	}
	return sizes, os.Remove(path)
}

// ErrPacking is returned while another process packs the transcript.
var ErrPacking = errors.New("another process is packing the session")

// claim opens the packed file, empty and for this process alone. If the plain file still exists,
// the content of the packed one was left by a process that died, and is deleted. A process that
// finished in the meantime removed the plain name before it released the lock. Its packed file is
// then the only copy and must not be touched.
func claim(path, packed string, src *os.File) (*os.File, error) {
	dst, err := lockNew(packed, 0)
	if err != nil {
		return nil, err
	}
	if !isNamed(src, path) || !isNamed(dst, packed) {
		dst.Close()
		return nil, ErrPacking
	}
	if info, err := dst.Stat(); err == nil && info.Size() == 0 {
		return dst, nil
	}
	defer dst.Close()
	if err := os.Remove(packed); err != nil {
		return nil, err
	}
	return lockNew(packed, os.O_EXCL)
}

// lockNew opens a file for writing, creates it if it is missing, and locks it.
func lockNew(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|nofollow|flags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrPacking
	}
	if err == nil && flock.Try(f) != nil {
		f.Close()
		return nil, ErrPacking
	}
	return f, err
}

// isNamed reports whether path still refers to the open file.
func isNamed(f *os.File, path string) bool {
	named, err1 := os.Lstat(path)
	open, err2 := f.Stat()
	return err1 == nil && err2 == nil && os.SameFile(named, open)
}

// packChecked fills dst, and returns once what is on disk was read back and is the same.
func packChecked(ctx context.Context, dst, src *os.File, frame int,
	c Codec) (sizes Packed, err error) {
	sum := sha256.New()
	if err := pack(dst, io.TeeReader(patient{ctx, src}, sum), frame, c); err != nil {
		return sizes, err
	}
	if err := dst.Sync(); err != nil {
		return sizes, err
	}
	back := sha256.New()
	packed, err := openPacked(dst, c)
	if err == nil {
		_, err = io.Copy(back, patient{ctx, packed})
		packed.done()
	}
	if err != nil {
		return sizes, err
	}
	if !bytes.Equal(sum.Sum(nil), back.Sum(nil)) {
		return sizes, errors.New("it does not read back the same")
	}
	if sizes.Before, err = src.Seek(0, io.SeekCurrent); err != nil {
		return sizes, err
	}
	if st, err := src.Stat(); err != nil || st.Size() != sizes.Before {
		return sizes, errors.Join(ErrRecording, err) // where locks do not work
	}
	sizes.After, err = dst.Seek(0, io.SeekEnd)
	return sizes, err
}

// patient is a reader that ends with its context.
type patient struct {
	ctx context.Context
	r   io.Reader
}

func (p patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}
