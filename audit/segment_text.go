package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A segmentText is the text of a file of the log, packed or not, which is opened when it is first
// read. It is read from several goroutines at a time.
type segmentText struct {
	path  string
	size  int64
	cache *frames

	once   sync.Once
	err    error
	file   *os.File
	packed *packedFile // its index; nil for a plain file
}

func (t *segmentText) open() error {
	t.once.Do(func() { t.err = t.openFile() })
	return t.err
}

func (t *segmentText) openFile() (err error) {
	if t.file, err = openPlain(t.path); errors.Is(err, fs.ErrNotExist) {
		// Packed since it was listed. Its name has the size that it had.
		t.path += fmt.Sprintf(".%d%s", t.size, packedSuffix)
		t.file, err = openPlain(t.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return t.failed(errGone)
	}
	if err != nil || !strings.HasSuffix(t.path, packedSuffix) {
		return err
	}
	t.packed, err = indexPacked(t.file)
	if err == nil && t.packed.size() != t.size {
		err = fmt.Errorf("its name says that it has %s, its index %d", Plural(t.size, "byte"),
			t.packed.size())
	}
	if err != nil {
		return t.failed(err)
	}
	return nil
}

var errGone = errors.New("it was removed while the log was read")

func (t *segmentText) failed(err error) error {
	return &SegmentError{filepath.Base(t.path), err}
}

// ReadAt reads the plain text.
func (t *segmentText) ReadAt(b []byte, offset int64) (n int, err error) {
	if err := t.open(); err != nil {
		return 0, err
	}
	if t.packed == nil {
		return t.file.ReadAt(b, offset)
	}
	p := t.packed
	for n < len(b) {
		if offset >= p.size() {
			return n, io.EOF
		}
		i := sort.Search(len(p.plain), func(i int) bool { return p.plain[i] > offset }) - 1
		text, err := t.cache.text(p, i)
		if err != nil {
			return n, t.failed(err)
		}
		m := copy(b[n:], text[offset-p.plain[i]:])
		n, offset = n+m, offset+int64(m)
	}
	return n, nil
}

// Close closes the file, if it was opened.
func (t *segmentText) Close() {
	if t.file != nil {
		t.file.Close()
	}
}

// frames are the parts of packed segments that were unpacked last, of all segments of a log. Who
// reads the log in order, in whatever steps, unpacks each once.
type frames struct {
	codec Codec
	mu    sync.Mutex
	last  []*frame
	idle  []decoder
}

type frame struct {
	of   *packedFile
	n    int
	once sync.Once
	text []byte
	err  error
}

type decoder struct {
	decode func(packed, dst []byte) ([]byte, error)
	done   func()
}

// keptFrames is how many are kept, of 128 KiB: some for each goroutine that verifies.
const keptFrames = 32

// text returns a frame's plain text, which nobody may change.
func (c *frames) text(p *packedFile, n int) ([]byte, error) {
	if c.codec.Decoder == nil {
		return nil, ErrPacked
	}
	c.mu.Lock()
	i := slices.IndexFunc(c.last, func(f *frame) bool { return f.of == p && f.n == n })
	var f *frame
	if i >= 0 {
		f = c.last[i]
		c.last = slices.Delete(c.last, i, i+1)
	} else {
		f = &frame{of: p, n: n}
		c.last = c.last[max(0, len(c.last)-keptFrames+1):]
	}
	c.last = append(c.last, f)
	c.mu.Unlock()
	f.once.Do(func() { f.text, f.err = c.unpack(p, n) })
	return f.text, f.err
}

func (c *frames) unpack(p *packedFile, n int) ([]byte, error) {
	d, err := c.decoder()
	if err != nil {
		return nil, err
	}
	defer c.free(d)
	packed := make([]byte, p.packed[n+1]-p.packed[n])
	if _, err := p.f.ReadAt(packed, p.packed[n]); err != nil {
		return nil, fmt.Errorf("byte %d: %w", p.packed[n], err)
	}
	text, err := d.decode(packed, nil)
	if err == nil && int64(len(text)) != p.plain[n+1]-p.plain[n] {
		err = fmt.Errorf("the frame holds %s, the index says %d", Plural(len(text), "byte"),
			p.plain[n+1]-p.plain[n])
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", p.packed[n], err)
	}
	return text, nil
}

func (c *frames) decoder() (d decoder, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		d, c.idle = c.idle[n-1], c.idle[:n-1]
		return d, nil
	}
	d.decode, d.done, err = c.codec.Decoder(frameSize)
	return d, err
}

func (c *frames) free(d decoder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, d)
}

func (c *frames) close() {
	for _, d := range c.idle {
		d.done()
	}
}
