package sorted

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// Memory is how much a Sorter has in memory, unless a single record is longer. Tests lower it.
var Memory = 1 << 20

// A Sorter takes records in any order, and yields them sorted. What exceeds its memory is in a
// temporary file without a name. The zero value is ready.
type Sorter struct {
	// Limit is how many bytes are in memory; 0 means Memory.
	Limit int

	text  []byte // of the records in memory
	spans []span
	file  *os.File
	runs  []run
	size  int64 // of file
	err   error
}

// A span is where a record is in the text.
type span struct{ from, to int }

// spanSize is what a span takes.
const spanSize = 16

// A run is a part of the file with sorted records.
type run struct{ from, to int64 }

// Add adds a copy of a record. An error, of the temporary file, is the first that is yielded.
func (s *Sorter) Add(record []byte) {
	limit := s.Limit
	if limit == 0 {
		limit = Memory
	}
	if len(s.spans) > 0 && len(s.text)+len(record)+spanSize*(len(s.spans)+1) > limit {
		s.spill()
	}
	if s.err == nil {
		from := len(s.text)
		s.text = append(s.text, record...)
		s.spans = append(s.spans, span{from, len(s.text)})
	}
}

func (s *Sorter) record(p span) []byte { return s.text[p.from:p.to] }

func (s *Sorter) sort() {
	slices.SortFunc(s.spans, func(a, b span) int { return bytes.Compare(s.record(a), s.record(b)) })
}

// spill moves the records in memory to the file.
func (s *Sorter) spill() {
	if s.file == nil && s.err == nil {
		s.file, s.err = nameless()
	}
	if s.err != nil {
		return
	}
	s.sort()
	to := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), 64<<10)
	at := s.size
	for _, p := range s.spans {
		var head [binary.MaxVarintLen64]byte
		n := binary.PutUvarint(head[:], uint64(p.to-p.from))
		_, _ = to.Write(head[:n])
		_, _ = to.Write(s.record(p)) // Flush returns the error
		at += int64(n + p.to - p.from)
	}
	if err := to.Flush(); err != nil {
		s.err = failed(err)
	}
	s.runs = append(s.runs, run{s.size, at})
	s.size, s.text, s.spans = at, s.text[:0], s.spans[:0]
}

// folders are where a temporary file may be. In the first are large ones: the second is memory on
// many systems.
func folders() []string { return []string{"/var/tmp", os.TempDir()} }

// nameless opens a file that goes when it is closed.
func nameless() (*os.File, error) {
	var failures []error
	for _, dir := range folders() {
		f, err := os.CreateTemp(dir, "tada-sorted-*") // with mode 0600
		if err == nil {
			if err = os.Remove(f.Name()); err == nil {
				return f, nil
			}
			f.Close()
		}
		failures = append(failures, err)
	}
	return nil, failed(errors.Join(failures...))
}

func failed(err error) error {
	return fmt.Errorf("a large record needs a temporary file in %q: %w; make room there",
		folders(), err)
}

// all yields the records in order, see Records.
func (s *Sorter) all() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if len(s.runs) > 0 && len(s.spans) > 0 {
			s.spill()
		}
		switch {
		case s.err != nil:
			yield(nil, s.err)
		case len(s.runs) > 0:
			s.text, s.spans = nil, nil
			s.merge(yield)
		default:
			s.sort()
			for _, p := range s.spans {
				if !yield(s.record(p), nil) {
					return
				}
			}
		}
	}
}

// merge yields the records of all runs.
func (s *Sorter) merge(yield func([]byte, error) bool) {
	var h sources
	size := min(max(Memory/2/len(s.runs), 4<<10), 64<<10) // of each buffer
	for _, r := range s.runs {
		from := &source{in: bufio.NewReaderSize(io.NewSectionReader(s.file, r.from, r.to-r.from),
			size)}
		if err := from.next(); err != nil {
			yield(nil, failed(err))
			return
		}
		h = append(h, from)
	}
	heap.Init(&h)
	for len(h) > 0 {
		if !yield(h[0].record, nil) {
			return
		}
		switch err := h[0].next(); {
		case err == io.EOF:
			heap.Pop(&h)
		case err != nil:
			yield(nil, failed(err))
			return
		default:
			heap.Fix(&h, 0)
		}
	}
}

// Close frees the memory and the file. It may be called more than once.
func (s *Sorter) Close() {
	if s.file != nil {
		s.file.Close()
	}
	*s = Sorter{Limit: s.Limit}
}

// A source is a run that is read.
type source struct {
	in     *bufio.Reader
	record []byte
}

// next reads a record; io.EOF is the end.
func (s *source) next() error {
	n, err := binary.ReadUvarint(s.in)
	if err != nil {
		return err
	}
	s.record = slices.Grow(s.record[:0], int(n))[:n]
	_, err = io.ReadFull(s.in, s.record)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// sources are a heap, with the first record on top.
type sources []*source

func (h sources) Len() int           { return len(h) }
func (h sources) Less(i, j int) bool { return bytes.Compare(h[i].record, h[j].record) < 0 }
func (h sources) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *sources) Push(x any)        { *h = append(*h, x.(*source)) }

func (h *sources) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
