package archive

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/tada-run/tada-run/audit"
)

// A Folder is a folder of transcripts. It remembers the text of the archives that were read from
// last, at most some 20 MiB, for readers of many transcripts. Its methods may be called at the same
// time.
type Folder struct {
	Dir   string
	Codec audit.Codec // its zero value opens nothing packed

	mu   sync.Mutex
	last []*shelf
}

// A shelf is an archive in memory.
type shelf struct {
	*file
	name  string
	plain []byte
	once  sync.Once
	err   error
}

// keep is how many archives a folder remembers: readers in several goroutines are seldom in more.
func keep() int { return min(max(2, runtime.GOMAXPROCS(0)), 4) }

const archivesName = "archives"

// Open opens a transcript, given by the id of its session. The result reads as plain text and seeks
// anywhere. It is fs.ErrNotExist if there is none, and [audit.ErrPacked] without a codec.
func (f *Folder) Open(id string) (t io.ReadSeekCloser, err error) {
	err = again(func() error {
		t, err = f.openOnce(id)
		return err
	})
	return t, err
}

// again tries once more what found no file: another process may have put the transcript elsewhere
// after its old place was looked at, or before its new one was.
func again(try func() error) error {
	err := try()
	for range 3 {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		err = try()
	}
	return err
}

func (f *Folder) openOnce(id string) (io.ReadSeekCloser, error) {
	own, err := f.openOwn(id)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return own, err
	}
	s, e, findErr := f.find(id)
	if findErr != nil {
		return nil, findErr
	}
	if s == nil {
		return nil, err
	}
	return s.open(e), nil
}

// openOwn opens the file of a transcript that is in no archive.
func (f *Folder) openOwn(id string) (io.ReadSeekCloser, error) {
	return audit.OpenTranscript(filepath.Join(f.Dir, id+castSuffix), f.Codec)
}

// find looks for a transcript in the archives: in those that are in memory first. nil if there is
// none; the error is of damaged ones that it may be in.
func (f *Folder) find(id string) (*shelf, entry, error) {
	f.mu.Lock()
	last := slices.Clone(f.last)
	f.mu.Unlock()
	var in []string
	for _, l := range slices.Backward(last) {
		if _, err := os.Lstat(filepath.Join(f.in(), l.name)); err == nil && spans(l.name, id) {
			in = append(in, l.name)
		}
	}
	if s, e, err := f.findIn(in, id); s != nil {
		return s, e, err
	}
	names, err := f.archivesOf(id)
	if err != nil {
		return nil, entry{}, err
	}
	return f.findIn(names, id)
}

// findIn looks for a transcript in some archives.
func (f *Folder) findIn(names []string, id string) (*shelf, entry, error) {
	var damaged error
	for _, name := range names {
		s, err := f.shelf(name)
		if isDamaged(err) {
			damaged = errors.Join(damaged, err)
			continue
		} else if err != nil {
			return nil, entry{}, err
		}
		if e, ok := s.find(id); ok {
			return s, e, nil
		}
	}
	return nil, entry{}, damaged
}

// open opens a transcript of an archive.
func (s *shelf) open(e entry) io.ReadSeekCloser {
	return inMemory{bytes.NewReader(s.plain[e.offset : e.offset+e.size])}
}

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// archivesOf are the archives that may have a transcript.
func (f *Folder) archivesOf(id string) (names []string, err error) {
	all, err := f.archives()
	for _, name := range all {
		if spans(name, id) {
			names = append(names, name)
		}
	}
	return names, err
}

// spans reports whether an archive may have a transcript.
func spans(name, id string) bool {
	first, last, ok := span(name)
	return ok && first <= id && id <= last
}

// visit calls do with each file, some of them perhaps twice or gone by then, and returns the
// archives as they were at one moment: a transcript that is moved meanwhile is in one of both.
func (f *Folder) visit(do func(name string)) (archives []string, err error) {
	after, err := f.archives()
	for range 100 {
		if err != nil {
			return nil, err
		}
		archives = after
		if err = eachName(f.Dir, do); err != nil {
			return nil, err
		}
		if after, err = f.archives(); err == nil && slices.Equal(archives, after) {
			break
		}
	}
	return archives, err
}

// eachName calls do with the names in a folder, of which there may be a million.
func eachName(dir string, do func(name string)) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1 << 10)
		for _, name := range names {
			do(name)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// names are the files of the folder, sorted.
func (f *Folder) names() ([]string, error) { return namesIn(f.Dir) }

// in is the folder of the archives.
func (f *Folder) in() string { return filepath.Join(f.Dir, archivesName) }

// archives are the names of the archives, sorted.
func (f *Folder) archives() ([]string, error) {
	names, err := namesIn(f.in())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, _, ok := span(name)
		return !ok
	}), err
}

func namesIn(dir string) (names []string, err error) {
	err = eachName(dir, func(name string) { names = append(names, name) })
	slices.Sort(names)
	return names, err
}

// shelf returns an archive with its text.
func (f *Folder) shelf(name string) (*shelf, error) {
	f.mu.Lock()
	s := &shelf{name: name}
	if i := slices.IndexFunc(f.last, func(s *shelf) bool { return s.name == name }); i >= 0 {
		s = f.last[i]
		f.last = slices.Delete(f.last, i, i+1)
	}
	f.last = append(slices.Clone(f.last[max(0, len(f.last)-keep()+1):]), s)
	f.mu.Unlock()
	s.once.Do(func() { s.err = damaged(name, s.read(f.in(), f.Codec)) })
	if s.err != nil {
		f.forgetShelf(s)
	}
	return s, s.err
}

func (s *shelf) read(dir string, c audit.Codec) (err error) {
	if s.file, err = open(dir, s.name, c); err != nil {
		return err
	}
	defer s.text.Close()
	s.plain, err = s.all()
	return err
}

// forgetShelf makes the next reader try again.
func (f *Folder) forgetShelf(s *shelf) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = slices.DeleteFunc(f.last, func(is *shelf) bool { return is == s })
}

// Has reports whether there is a transcript, or may be one in a damaged archive.
func (f *Folder) Has(id string) bool {
	return again(func() error {
		if f.hasOnce(id) {
			return nil
		}
		return fs.ErrNotExist
	}) == nil
}

func (f *Folder) hasOnce(id string) bool {
	for _, packed := range []string{"", suffix} {
		if _, err := os.Lstat(filepath.Join(f.Dir, id+castSuffix+packed)); err == nil {
			return true
		}
	}
	s, _, err := f.find(id)
	return s != nil || isDamaged(err)
}

// IDs returns the sessions that have a transcript, sorted; with only, those that it is true for.
// With a [DamagedError] they are those of the other archives.
func (f *Folder) IDs(only func(id string) bool) (ids []string, err error) {
	err = f.Say(func(id string) {
		if only == nil || only(id) {
			ids = append(ids, id)
		}
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Say calls add with each session that has a transcript, in any order, and with some of them twice.
// With a [DamagedError] they are those of the other archives.
func (f *Folder) Say(add func(id string)) error {
	return again(func() error { return f.sayOnce(add) })
}

func (f *Folder) sayOnce(add func(id string)) error {
	archives, err := f.visit(func(name string) {
		if id, ok := idOf(name); ok {
			add(id)
		}
	})
	if err != nil {
		return err
	}
	for _, name := range archives {
		a, openErr := open(f.in(), name, f.Codec)
		if isDamaged(openErr) {
			err = errors.Join(err, openErr)
			continue
		} else if openErr != nil {
			return openErr
		}
		for _, e := range a.list {
			add(e.id)
		}
		a.text.Close()
	}
	return err
}
