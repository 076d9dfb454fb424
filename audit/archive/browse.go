package archive

import (
	"io"
	"sort"
)

// A Browser opens many transcripts of a folder, which it has listed once. Those that were moved
// since are found too.
type Browser struct {
	folder *Folder
	own    map[string]bool // the sessions with a file of their own
	spans  []spanned       // by first
}

// spanned is an archive; furthest is the last session of any archive up to it.
type spanned struct{ name, first, last, furthest string }

// Browse lists the folder.
func (f *Folder) Browse() (*Browser, error) {
	names, archives, err := f.listed()
	if err != nil {
		return nil, err
	}
	b := &Browser{folder: f, own: map[string]bool{}}
	for _, name := range names {
		if id, ok := idOf(name); ok {
			b.own[id] = true
		}
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
	if b.own[id] {
		return b.folder.Open(id)
	}
	after := sort.Search(len(b.spans), func(i int) bool { return b.spans[i].first > id })
	for i := after - 1; i >= 0 && b.spans[i].furthest >= id; i-- {
		if b.spans[i].last < id {
			continue
		}
		s, err := b.folder.shelf(b.spans[i].name)
		if err != nil {
			break
		}
		if e, ok := s.find(id); ok {
			return s.open(e), nil
		}
	}
	return b.folder.Open(id)
}
