package audit

import (
	"bytes"
	"io"
	"iter"
)

// Newest returns the entries of the log in dir, newest first, and reads no more of it than the
// caller takes. Like [Entries] it does not prove, and returns a line that is not an entry as a
// *BadEntry; the number of a line is not known. Filter.Last does not count: the caller stops.
func Newest(dir string, f Filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		parts, err := openLog(dir, f.Codec)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer parts.Close()
		from, to := f.span(parts)
		f.scanBack(&backward{r: parts, start: from, at: to, block: backwardBlock,
			part: parts.base}, yield)
	}
}

func (f Filter) scanBack(in *backward, yield func(Entry, error) bool) {
	if err := in.skip(); err != nil { // a line without newline is still being written
		ended(err, yield)
		return
	}
	for {
		line, at, err := in.line()
		if err != nil {
			ended(err, yield)
			return
		}
		if !f.pass(line, at, 0, yield) {
			return
		}
	}
}

// backward reads lines from the end to the beginning.
type backward struct {
	r     io.ReaderAt
	start int64
	at    int64  // where buf begins
	buf   []byte // ends with a newline
	block int64  // bytes that are read at once
	// where the file begins that has the bytes before one: others may be packed
	part func(at int64) int64
}

// backwardBlock is a page of a list: some thirty runs.
const backwardBlock = 64 << 10

// skip drops what is behind the last newline.
func (b *backward) skip() error {
	for {
		if i := bytes.LastIndexByte(b.buf, '\n'); i >= 0 {
			b.buf = b.buf[:i+1]
			return nil
		}
		b.buf = b.buf[:0]
		if err := b.more(); err != nil {
			return err
		}
	}
}

// line returns the line before those that were returned, without its newline, and where it begins;
// io.EOF if there is none. Of a line that is longer than MaxLine only the place is returned. The
// bytes are valid until the next call.
func (b *backward) line() ([]byte, int64, error) {
	long := false
	for {
		text := b.buf
		if !long {
			text = text[:max(0, len(text)-1)] // without the newline at its end
		}
		i := bytes.LastIndexByte(text, '\n')
		if i >= 0 || b.at == b.start && len(b.buf) > 0 {
			line, at := text[i+1:], b.at+int64(i+1)
			b.buf = b.buf[:i+1]
			if long || len(line) >= MaxLine {
				line = nil
			}
			return line, at, nil
		}
		if len(b.buf) > MaxLine {
			b.buf, long = b.buf[:0], true
		}
		if err := b.more(); err == io.EOF && long {
			return nil, b.start, nil
		} else if err != nil {
			return nil, 0, err
		}
	}
}

// more reads the block before buf; io.EOF if there is none.
func (b *backward) more() error {
	n := min(b.block, b.at-max(b.start, b.part(b.at)))
	if n == 0 {
		return io.EOF
	}
	whole := make([]byte, int(n)+len(b.buf))
	if _, err := b.r.ReadAt(whole[:n], b.at-n); err != nil {
		return err
	}
	copy(whole[n:], b.buf)
	b.at, b.buf = b.at-n, whole
	return nil
}
