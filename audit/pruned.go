package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
)

// A pruned is the memory of segments that were removed: the body of their prune entry, and for each
// of their entries its hash or, if the proof of the rest depends on it, the line itself.
type pruned struct {
	name  string
	said  []byte // the body of the prune entry
	body  pruneBody
	lines [][]byte
	at    int64 // where the lines begin in the file
}

type pruneBody struct {
	Count   int64  `json:"count"` // entries that were removed, from the first on
	Head    string `json:"head"`  // of the last of them
	Offset  int64  `json:"offset"`
	Reason  string `json:"reason"`
	Root    string `json:"root"` // of the tree over them
	Segment int64  `json:"segment"`
	Time    string `json:"time"`
}

func (b pruneBody) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, `{"count":%d,"head":"%s","offset":%d,"reason":`, b.Count, b.Head,
		b.Offset)
	dst = canonical.AppendString(dst, b.Reason)
	return fmt.Appendf(dst, `,"root":"%s","segment":%d,"time":"%s"}`, b.Root, b.Segment, b.Time)
}

// errNotPruned is returned for a file that is not a whole memory of removed segments.
var errNotPruned = errors.New("not a list of removed entries")

// readPruned reads the first line of a memory; load reads the rest.
func readPruned(dir string, n int64) (*pruned, error) {
	p := &pruned{name: prunedName(n)}
	head, err := ReadPlain(filepath.Join(dir, p.name), MaxLine)
	if err != nil {
		return nil, err
	}
	said, _, whole := strings.Cut(string(head), "\n")
	p.said, p.at = []byte(said), int64(len(said))+1
	if !whole || checkObject(p.said) != nil || json.Unmarshal(p.said, &p.body) != nil {
		return nil, fmt.Errorf("%q: %w", p.name, errNotPruned)
	}
	_, headOK := parseHash([]byte(p.body.Head))
	if b := p.body; !headOK || b.Segment != n || b.Count <= 0 || b.Offset <= 0 ||
		!validTime([]byte(b.Time)) || string(b.append(nil)) != said {
		return nil, fmt.Errorf("%q: %w", p.name, errNotPruned)
	}
	return p, nil
}

func (p *pruned) cursor() cursor {
	head, _ := parseHash([]byte(p.body.Head))
	return cursor{offset: p.body.Offset, seq: p.body.Count, head: head,
		time: stamp([]byte(p.body.Time))}
}

// load reads the lines and returns the tree over them. What it returns is proven only if an entry
// in the log says the same (pruned.said).
func (p *pruned) load(dir string) (*tree, error) {
	all, err := ReadPlain(filepath.Join(dir, p.name), 1<<40)
	if err != nil {
		return nil, err
	}
	bad := func(n int64, why string) error {
		return &BadEntry{File: p.name, Seq: n, Line: n + 2, Reason: why}
	}
	t, last := &tree{}, Hash{}
	rest := all[min(p.at, int64(len(all))):]
	for len(rest) > 0 {
		var line []byte
		var ok bool
		if line, rest, ok = cutLine(rest); !ok {
			return nil, bad(t.size, "has no end")
		}
		if last, ok = leafOf(line, t.size); !ok {
			return nil, bad(t.size, "is neither a hash nor an entry")
		}
		p.lines = append(p.lines, line)
		if err := t.add(last); err != nil {
			return nil, err
		}
	}
	root, err := t.root()
	switch {
	case err != nil:
		return nil, err
	case t.size != p.body.Count || last.String() != p.body.Head:
		return nil,
			bad(t.size, fmt.Sprintf("the list ends here, and has to name %s that the log removed",
				Plural(p.body.Count, "entry")))
	case root.String() != p.body.Root:
		return nil, bad(0, "the list is not the one that was made when they were removed")
	}
	return t, nil
}

// cutLine removes the first line of b.
func cutLine(b []byte) (line, rest []byte, ok bool) {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		return nil, b, false
	}
	return b[:n], b[n+1:], true
}

// leafOf returns the hash of removed entry seq. The line is that hash, or the entry itself.
func leafOf(line []byte, seq int64) (Hash, bool) {
	if h, ok := parseHash(line); ok {
		return h, true
	}
	f, ok := splitLine(line)
	return sha256.Sum256(line), ok && f.seq == seq
}
