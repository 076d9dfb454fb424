package resolve

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// A gitIndex is which files git has as they are, by their names in the workspace: it has kept the
// content that each had at that time and size (gitformat-index(5)). The zero one knows nothing.
type gitIndex map[string]indexed

type indexed struct {
	seconds, nanos, size uint32
	mode                 uint32
}

// The layout of an entry: times, numbers and the hash, then the flags, then the name.
const (
	indexFlags    = 60 // with a hash of SHA-1
	indexExtended = 1 << 14
	indexModes    = 0o170000
	gitlinkMode   = 0o160000
)

// readIndex reads an index of version 2 or 3; nil for anything else, and for one that does not fit
// its own count.
func readIndex(text []byte) gitIndex {
	index, _ := indexAndRest(text)
	return index
}

// hasGitlinks reports whether an index may have repositories in it.
func hasGitlinks(text string) bool {
	index, rest := indexAndRest([]byte(text))
	if index == nil || bytes.HasPrefix(rest, []byte("link")) { // a part of it is in another file
		return true
	}
	for _, e := range index {
		if e.mode&indexModes == gitlinkMode {
			return true
		}
	}
	return false
}

// indexAndRest reads an index, and returns what follows the entries.
func indexAndRest(text []byte) (index gitIndex, rest []byte) {
	if len(text) < 12 || string(text[:4]) != "DIRC" {
		return nil, nil
	}
	version, left := binary.BigEndian.Uint32(text[4:]), binary.BigEndian.Uint32(text[8:])
	if version != 2 && version != 3 || int(left) > len(text)/(indexFlags+2) {
		return nil, nil
	}
	index = make(gitIndex, left)
	at := 12
	for ; left > 0; left-- {
		if len(text)-at < indexFlags+4 {
			return nil, nil
		}
		e := text[at:]
		head := indexFlags + 2
		if binary.BigEndian.Uint16(e[indexFlags:])&indexExtended != 0 {
			head += 2
		}
		end := bytes.IndexByte(e[head:], 0)
		if end <= 0 {
			return nil, nil
		}
		index[string(e[head:head+end])] = indexed{binary.BigEndian.Uint32(e[8:]),
			binary.BigEndian.Uint32(e[12:]), binary.BigEndian.Uint32(e[36:]),
			binary.BigEndian.Uint32(e[24:])}
		at += (head + end + 8) &^ 7 // at least one zero byte
	}
	return index, text[min(at, len(text)):]
}

// has reports whether git has the content of a file of the workspace, by its time and size.
func (x gitIndex) has(name string, seconds, nanos, size int64, mode uint32) bool {
	e, ok := x[strings.TrimPrefix(name, "/")]
	return ok && e.seconds == uint32(seconds) && (e.nanos == uint32(nanos) || e.nanos == 0) &&
		e.size == uint32(size) && e.mode&indexModes == mode&indexModes
}
