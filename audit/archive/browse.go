package archive

import (
	"errors"
	"io"
	"io/fs"
	"sort"
	"sync"
)

// A Browser opens many transcripts of a folder, which it has listed once. Those that were moved
// since are found too.
type Browser struct {
	folder *Folder
	own    filter    // the sessions with a file of their own
	spans  []spanned // by first

	mu  sync.Mutex
	bad map[string]error // the damaged archives that were met: they are not unpacked once more
}

// spanned is an archive; furthest is the last session of any archive up to it.
type spanned struct{ name, first, last, furthest string }

// Browse lists the folder.
func (f *Folder) Browse() (*Browser, error) {
	b := &Browser{folder: f, bad: map[string]error{}}
	archives, err := f.visit(func(name string) {
		if id, ok := idOf(name); ok {
			b.own.add(id)
		}
	})
	if err != nil {
		return nil, err
	}
	furthest := ""
	for _, name := range archives { // which are sorted by the first session
		first, last, _ := span(name)
		furthest = max(furthest, last)
		b.spans = append(b.spans, spanned{name, first, last, furthest})
	}
	return b, nil
}

// Open is [Folder.Open]. It may be called at the same time.
func (b *Browser) Open(id string) (io.ReadSeekCloser, error) {
	if b.own.mayHave(id) {
		return b.folder.Open(id)
	}
	after := sort.Search(len(b.spans), func(i int) bool { return b.spans[i].first > id })
	var damaged error
	for i := after - 1; i >= 0 && b.spans[i].furthest >= id; i-- {
		if b.spans[i].last < id {
			continue
		}
		s, err := b.shelf(b.spans[i].name)
		if isDamaged(err) {
			damaged = errors.Join(damaged, err)
			continue
		} else if err != nil {
			damaged = nil
			break
		}
		if e, ok := s.find(id); ok {
			return s.open(e), nil
		}
	}
	if damaged == nil {
		return b.folder.Open(id)
	}
	own, err := b.folder.openOwn(id) // a redaction may have made it meanwhile
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damaged
	}
	return own, err
}

// shelf returns an archive with its text.
func (b *Browser) shelf(name string) (*shelf, error) {
	b.mu.Lock()
	err := b.bad[name]
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	s, err := b.folder.shelf(name)
	if isDamaged(err) {
		b.mu.Lock()
		b.bad[name] = err
		b.mu.Unlock()
	}
	return s, err
}
