package audit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
)

// maxFrames limits the index of a packed transcript: a tebibyte of plain text.
const maxFrames = 1 << 20

// OpenTranscript opens the transcript at path, or what PackFolder made of it. The result reads as
// plain text and seeks anywhere, without unpacking what it skips. It returns fs.ErrNotExist if
// there is neither, ErrUnsafe for a link, and ErrPacked for a packed one without a codec.
func OpenTranscript(path string, c Codec) (io.ReadSeekCloser, error) {
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
	p, err := openPacked(f, c)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("transcript %q: %w", path+packedSuffix, err)
	}
	return p, nil
}

// Recording reports whether a transcript that OpenTranscript opened is still being written by a
// live process. It is false if the file system has no locks.
func Recording(transcript io.Reader) bool {
	f, ok := transcript.(*os.File)
	return ok && isWriting(f)
}

// A packedFile reads zstd's seekable format.
type packedFile struct {
	f      *os.File
	codec  Codec
	decode func(packed, dst []byte) ([]byte, error)
	done   func()  // with decode
	packed []int64 // where frame i begins in the file; one more for the end
	plain  []int64 // and in the plain text
	at     int64
	frame  int // the one in text
	text   []byte
	buf    []byte
}

func openPacked(f *os.File, c Codec) (*packedFile, error) {
	if c.Decoder == nil {
		return nil, ErrPacked
	}
	p, err := indexPacked(f)
	if err == nil {
		p.codec = c
		p.decode, p.done, err = c.Decoder(frameSize)
	}
	return p, err
}

// indexPacked knows how long the plain text is, and cannot read it.
func indexPacked(f *os.File) (*packedFile, error) {
	p := &packedFile{f: f, frame: -1}
	return p, p.index()
}

// index reads the table at the end of the file. It is used only if it adds up to the size of the
// file.
func (p *packedFile) index() error {
	size, err := p.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	var foot [seekFooter]byte
	if size < seekFooter+8 {
		return errors.New("the packed file is cut: it has no index")
	}
	if _, err := p.f.ReadAt(foot[:], size-seekFooter); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(foot[5:]) != seekableMagic {
		return errors.New(
			"the packed file is cut or of another kind: it does not end with an index")
	}
	if foot[4] != 0 {
		return errors.New(
			"the packed file was made by a later version, or by another program: its index has " +
				"fields that are unknown here")
	}
	n := int64(binary.LittleEndian.Uint32(foot[:]))
	start := size - seekFooter - 8*n
	if n > maxFrames || start < 8 {
		return fmt.Errorf("the packed file is damaged: its index says %s", Plural(n, "frame"))
	}
	table := make([]byte, 8*n+8)
	if _, err := p.f.ReadAt(table, start-8); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(table) != skippableMagic ||
		int64(binary.LittleEndian.Uint32(table[4:])) != 8*n+seekFooter {
		return errors.New("the packed file is damaged: its index has no head")
	}
	return p.read(table[8:], start-8)
}

func (p *packedFile) read(table []byte, end int64) error {
	p.packed, p.plain = []int64{0}, []int64{0}
	var packed, plain int64
	for ; len(table) > 0; table = table[8:] {
		a, b := binary.LittleEndian.Uint32(table), binary.LittleEndian.Uint32(table[4:])
		// Incompressible text grows by less than a 64th (ZSTD_compressBound).
		if b > frameSize || a > frameSize+frameSize/64 || a == 0 {
			return errors.New(
				"the packed file is damaged: a frame is larger than any that is written")
		}
		packed, plain = packed+int64(a), plain+int64(b)
		p.packed, p.plain = append(p.packed, packed), append(p.plain, plain)
	}
	if packed != end {
		return errors.New("the packed file is damaged: its frames do not fill it")
	}
	return nil
}

func (p *packedFile) size() int64 { return p.plain[len(p.plain)-1] }

func (p *packedFile) Read(b []byte) (int, error) {
	if p.at >= p.size() {
		return 0, io.EOF
	}
	i := sort.Search(len(p.plain), func(i int) bool { return p.plain[i] > p.at }) - 1
	if err := p.load(i); err != nil {
		return 0, err
	}
	n := copy(b, p.text[p.at-p.plain[i]:])
	p.at += int64(n)
	return n, nil
}

// load unpacks frame i.
func (p *packedFile) load(i int) error {
	if p.frame == i {
		return nil
	}
	p.frame = -1
	n := p.packed[i+1] - p.packed[i]
	if int64(cap(p.buf)) < n {
		p.buf = make([]byte, n)
	}
	p.buf = p.buf[:n]
	if _, err := p.f.ReadAt(p.buf, p.packed[i]); err != nil {
		return fmt.Errorf("packed transcript: byte %d: %w", p.packed[i], err)
	}
	var err error
	if p.text, err = p.decode(p.buf, p.text[:0]); err != nil {
		return fmt.Errorf("packed transcript: byte %d: %w", p.packed[i], err)
	}
	if int64(len(p.text)) != p.plain[i+1]-p.plain[i] {
		return fmt.Errorf("packed transcript: byte %d: the frame holds %s, the index says %d",
			p.packed[i], Plural(len(p.text), "byte"), p.plain[i+1]-p.plain[i])
	}
	p.frame = i
	return nil
}

func (p *packedFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += p.at
	case io.SeekEnd:
		offset += p.size()
	}
	if offset < 0 {
		return p.at, errors.New("packed transcript: seek to before its start")
	}
	p.at = offset
	return offset, nil
}

func (p *packedFile) Close() error {
	p.done()
	return p.f.Close()
}
