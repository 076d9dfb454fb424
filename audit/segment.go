package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rotateSize is the size of a log file at which the next one is begun: small enough that most of a
// log is in files which can be packed, large enough that years are in some hundred files.
const rotateSize = 8 << 20

// A segment is one file of the log.
type segment struct {
	n    int64
	base int64 // its offset in the whole log
	size int64 // of its text
	file string
	pack bool // Log.Pack has compressed it
	text *segmentText
}

// segments are the log as one run of bytes: its files, concatenated. Every offset in the log counts
// in that run.
type segments struct {
	parts  []segment
	start  cursor // before the first entry that is there
	pruned *pruned
	dir    string
}

// openSegments finds the existing parts of the log in dir; if there are none, it is not an error.
// Each is opened when it is read, and packed ones need the codec then.
func openSegments(dir string, c Codec) (*segments, error) {
	s := &segments{start: startCursor(), dir: dir}
	found, cuts, err := listSegments(dir)
	if err != nil {
		return nil, err
	}
	slices.Sort(cuts)
	numbers, err := s.begin(dir, slices.Sorted(maps.Keys(found)), cuts)
	if err != nil {
		return nil, err
	}
	base, cache := s.start.offset, &frames{codec: c}
	for _, n := range numbers {
		p := found[n]
		p.base, p.text = base, &segmentText{path: filepath.Join(dir, p.file), size: p.size,
			cache: cache}
		base += p.size
		s.parts = append(s.parts, p)
	}
	return s, nil
}

// listSegments lists the parts of the log, and where it was cut.
func listSegments(dir string) (found map[int64]segment, cuts []int64, err error) {
	for range 10 {
		names, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil, err
		}
		found, cuts = map[int64]segment{}, nil
		moved := false
		for _, e := range names {
			if n, ok := segmentNumber(e.Name()); ok {
				size, err := plainSize(filepath.Join(dir, e.Name()))
				if errors.Is(err, fs.ErrNotExist) {
					moved = true // packed just now: its new name may have been passed
					continue
				} else if err != nil {
					return nil, nil, err
				}
				found[n] = segment{n: n, size: size, file: e.Name()}
			} else if n, size, ok := packedNumber(e.Name()); ok {
				if _, both := found[n]; !both { // a packing that died leaves both
					found[n] = segment{n: n, size: size, file: e.Name(), pack: true}
				}
			} else if n, ok := prunedNumber(e.Name()); ok {
				cuts = append(cuts, n)
			}
		}
		if !moved {
			break
		}
	}
	return found, cuts, nil
}

// open opens all parts, so that they can be read although they are pruned meanwhile.
func (s *segments) open() error {
	for _, p := range s.parts {
		if err := p.text.open(); err != nil {
			return err
		}
	}
	return nil
}

// begin finds where the log begins: at its first entry or, if the first segments were pruned, at
// the first of the remaining ones. It returns the segments from there on; others may be left by a
// pruning that died.
func (s *segments) begin(dir string, found, cuts []int64) ([]int64, error) {
	if len(found) == 0 || found[0] == 0 {
		return found, nil
	}
	for _, n := range cuts {
		at := slices.Index(found, n)
		if at < 0 {
			continue
		}
		p, err := readPruned(dir, n)
		if errors.Is(err, errNotPruned) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.pruned, s.start = p, p.cursor()
		return found[at:], nil
	}
	return found, nil
}

// end returns the size of the log as a whole.
func (s *segments) end() int64 {
	if len(s.parts) == 0 {
		return s.start.offset
	}
	last := s.parts[len(s.parts)-1]
	return last.base + last.size
}

// last returns the number of the segment being written to.
func (s *segments) last() (n, base int64) {
	if len(s.parts) == 0 {
		return 0, s.start.offset
	}
	p := s.parts[len(s.parts)-1]
	return p.n, p.base
}

// base is where the part begins that has the byte before offset.
func (s *segments) base(offset int64) int64 {
	p, _ := s.at(offset - 1)
	return p.base
}

// at returns the part that contains the byte at offset.
func (s *segments) at(offset int64) (segment, bool) {
	i, ok := slices.BinarySearchFunc(s.parts, offset,
		func(p segment, offset int64) int { return cmp.Compare(p.base, offset) })
	if !ok {
		i--
	}
	for ok && i+1 < len(s.parts) && s.parts[i].size == 0 {
		// an empty part begins where the next one does
		i++
	}
	if i < 0 {
		return segment{}, false
	}
	return s.parts[i], true
}

// ReadAt reads across the seams between files.
func (s *segments) ReadAt(b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		p, ok := s.at(offset)
		in := offset - p.base
		if !ok || in >= p.size {
			return n, io.EOF
		}
		m, err := p.text.ReadAt(b[n:min(len(b), n+int(min(p.size-in, int64(len(b)))))], in)
		n, offset = n+m, offset+int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Close closes the files.
func (s *segments) Close() error {
	for i, p := range s.parts {
		p.text.Close()
		if i == 0 {
			p.text.cache.close()
		}
	}
	return nil
}

// name gives a bad entry a location that a person can find: a file, a line and a byte in it.
func (s *segments) name(err error) error {
	var bad *BadEntry
	if !errors.As(err, &bad) || bad.File != logName || len(s.parts) == 0 || bad.Line == 0 {
		return err
	}
	p, ok := s.at(bad.Offset)
	if !ok {
		return err
	}
	if bad.Offset == p.base && p.n > 0 && s.missing(p.n) {
		bad.Reason = fmt.Sprintf("%q is missing, and no entry says that it was removed",
			segmentName(p.n-1))
	}
	bad.File, bad.Offset = p.file, bad.Offset-p.base
	bad.Line = 1 + countLines(p.text, bad.Offset)
	return err
}

// missing reports whether the segment before n should exist and does not.
func (s *segments) missing(n int64) bool {
	first := s.parts[0].n == n && s.pruned == nil
	return first || !slices.ContainsFunc(s.parts, func(p segment) bool { return p.n == n-1 }) &&
		s.parts[0].n != n
}

// Missing returns the names of files that the log in dir had before others that are there, and that
// no entry says were removed. What they had is in no answer of a reader.
func Missing(dir string) (names []string, err error) {
	s, err := openSegments(dir, Codec{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer s.Close()
	for i, p := range s.parts {
		if i == 0 && p.n > 0 && s.pruned == nil || i > 0 && s.parts[i-1].n != p.n-1 {
			names = append(names, segmentName(p.n-1))
		}
	}
	return names, nil
}

func countLines(r io.ReaderAt, end int64) (n int64) {
	buf := make([]byte, 64<<10)
	for at := int64(0); at < end; {
		m, err := r.ReadAt(buf[:min(int64(len(buf)), end-at)], at)
		n += int64(strings.Count(string(buf[:m]), "\n"))
		at += int64(m)
		if err != nil {
			break
		}
	}
	return n
}

// shifted reads a file as the part of the log that begins at base.
type shifted struct {
	f    *os.File
	base int64
}

func (s shifted) ReadAt(b []byte, offset int64) (int, error) {
	if offset < s.base {
		return 0, fmt.Errorf("byte %d of the log is not in %q", offset, s.f.Name())
	}
	return s.f.ReadAt(b, offset-s.base)
}
