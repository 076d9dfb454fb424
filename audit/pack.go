package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// packedSuffix names a transcript at rest.
const packedSuffix = ".zst"

// frameSize is how much plain text one zstd frame holds. Each is whole in
// itself, so a reader can start at any of them.
const frameSize = 1 << 20

// The seekable format (zstd/contrib/seekable_format): a skippable frame at
// the end that lists the frames before it. Plain decoders pass over it.
const (
	skippableMagic = 0x184D2A5E
	seekableMagic  = 0x8F92EAB1
)

// Pack compresses a transcript, or anything else, in zstd's seekable format.
// Hashes are over the plain text, so what was proven of it stays proven.
func Pack(w io.Writer, r io.Reader) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(frameSize))
	if err != nil {
		return fmt.Errorf("compressing: %w", err)
	}
	defer enc.Close()
	plain, packed := make([]byte, frameSize), []byte(nil)
	var table []byte
	for {
		n, err := io.ReadFull(r, plain)
		if n > 0 {
			packed = enc.EncodeAll(plain[:n], packed[:0])
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
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(table)+9))
	dst = append(dst, table...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(table)/8))
	dst = append(dst, 0) // no checksums: the chain is one
	return binary.LittleEndian.AppendUint32(dst, seekableMagic)
}

// PackFile compresses the transcript at path to path.zst, reads that back,
// and only when it holds the same bytes, on disk, removes the plain file. A
// crash leaves the plain file, or both, or the packed one: OpenTranscript
// finds it in each case, and PackFile can be called again.
func PackFile(path string) error {
	if err := packFile(path); err != nil {
		return fmt.Errorf("packing transcript %q: %w", path, err)
	}
	return nil
}

func packFile(path string) error {
	src, err := openPlain(path)
	if err != nil {
		return err
	}
	defer src.Close()
	// What is there beside a plain file is of a packing that died.
	if err := os.Remove(path + packedSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dst, err := os.OpenFile(path+packedSuffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer dst.Close()
	sum := sha256.New()
	if err := Pack(dst, io.TeeReader(src, sum)); err != nil {
		return err
	}
	if err := dst.Sync(); err != nil {
		return err
	}
	if _, err := dst.Seek(0, io.SeekStart); err != nil {
		return err
	}
	back := sha256.New()
	if err := unpack(back, dst); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), back.Sum(nil)) {
		return errors.New("it does not read back the same")
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		err = dir.Sync()
		dir.Close()
		if err != nil {
			return err
		}
	}
	return os.Remove(path)
}

func unpack(w io.Writer, r io.Reader) error {
	d, err := newDecoder(r)
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = io.Copy(w, d)
	return err
}

// newDecoder reads frames of a size that Pack writes; a hostile file cannot
// make it take more memory.
func newDecoder(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
}

// OpenTranscript opens the transcript at path, or what PackFile made of it.
// The result reads as plain text, and can seek to its start.
// It returns fs.ErrNotExist when there is neither, and ErrUnsafe for a link.
func OpenTranscript(path string) (io.ReadSeekCloser, error) {
	f, err := openPlain(path)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f, err = openPlain(path + packedSuffix); err != nil {
		return nil, err
	}
	d, err := newDecoder(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("transcript %q: %w", path, err)
	}
	return &packedFile{f, d}, nil
}

type packedFile struct {
	f *os.File
	d *zstd.Decoder
}

func (p *packedFile) Read(b []byte) (int, error) { return p.d.Read(b) }

func (p *packedFile) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekStart {
		return 0, errors.New("a packed transcript seeks to its start only")
	}
	if _, err := p.f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	return 0, p.d.Reset(p.f)
}

func (p *packedFile) Close() error {
	p.d.Close()
	return p.f.Close()
}
