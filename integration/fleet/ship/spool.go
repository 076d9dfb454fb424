package ship

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
)

// A spool has the checked manifests of a machine in a file without a name: a year has half a
// million, which are read twice and are not held in memory meanwhile.
type spool struct {
	file *os.File
	to   *bufio.Writer
	n    int // how many
}

// newSpool makes an empty one beside the files of a folder.
func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "manifests-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &spool{file: f, to: bufio.NewWriter(f)}, nil
}

func (s *spool) add(text []byte) error {
	if _, err := s.to.Write(binary.AppendUvarint(nil, uint64(len(text)))); err != nil {
		return err
	}
	s.n++
	_, err := s.to.Write(text)
	return err
}

// all yields the manifests, the first one first.
func (s *spool) all() iter.Seq2[manifest, error] {
	return func(yield func(manifest, error) bool) {
		if err := s.to.Flush(); err != nil {
			yield(manifest{}, err)
			return
		}
		from := bufio.NewReader(io.NewSectionReader(s.file, 0, 1<<62))
		for range s.n {
			m, err := nextManifest(from)
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

func nextManifest(from *bufio.Reader) (manifest, error) {
	size, err := binary.ReadUvarint(from)
	if err != nil {
		return manifest{}, err
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(from, text); err != nil {
		return manifest{}, err
	}
	return readManifest(text)
}

func (s *spool) Close() error { return s.file.Close() }
