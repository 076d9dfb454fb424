package audit

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"
)

// A packedSegment is a file of the log that Log.Pack has compressed. It is read from several
// goroutines at a time.
type packedSegment struct {
	*packedFile // its index
	cache       *frames
}

// ReadAt reads the plain text.
func (p *packedSegment) ReadAt(b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		if offset >= p.size() {
			return n, io.EOF
		}
		i := sort.Search(len(p.plain), func(i int) bool { return p.plain[i] > offset }) - 1
		text, err := p.cache.text(p, i)
		if err != nil {
			return n, err
		}
		m := copy(b[n:], text[offset-p.plain[i]:])
		n, offset = n+m, offset+int64(m)
	}
	return n, nil
}

// Close closes the file.
func (p *packedSegment) Close() error { return p.f.Close() }

// frames are the parts of packed segments that were unpacked last, of all segments of a log. Who
// reads the log in order, in whatever steps, unpacks each once.
type frames struct {
	codec Codec
	mu    sync.Mutex
	last  []*frame
	idle  []decoder
}

type frame struct {
	of   *packedSegment
	n    int
	once sync.Once
	text []byte
	err  error
}

type decoder struct {
	decode func(packed, dst []byte) ([]byte, error)
	done   func()
}

// keptFrames is how many MiB are kept: a few for each goroutine that verifies.
const keptFrames = 8

// text returns a frame's plain text, which nobody may change.
func (c *frames) text(p *packedSegment, n int) ([]byte, error) {
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

func (c *frames) unpack(p *packedSegment, n int) ([]byte, error) {
	d, err := c.decoder()
	if err != nil {
		return nil, err
	}
	defer c.free(d)
	packed := make([]byte, p.packed[n+1]-p.packed[n])
	if _, err := p.f.ReadAt(packed, p.packed[n]); err != nil {
		return nil, fmt.Errorf("%q: byte %d: %w", p.f.Name(), p.packed[n], err)
	}
	text, err := d.decode(packed, nil)
	if err == nil && int64(len(text)) != p.plain[n+1]-p.plain[n] {
		err = fmt.Errorf("the frame holds %s, the index says %d", Plural(len(text), "byte"),
			p.plain[n+1]-p.plain[n])
	}
	if err != nil {
		return nil, fmt.Errorf("%q: byte %d: %w", p.f.Name(), p.packed[n], err)
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
