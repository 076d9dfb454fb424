package audit

import "io/fs"

// A look is what a file was before any of it was read: one that is the same when its hash is made
// was verified with what the hash is of. There may be many.
type look struct {
	plain         bool // else nothing is known
	size, written int64
	identity      identity
}

func lookAt(info fs.FileInfo) look {
	id, known := identify(info)
	return look{known && info.Mode().IsRegular(), info.Size(), info.ModTime().UnixNano(), id}
}

func (l look) same(info fs.FileInfo) bool { return l.plain && l == lookAt(info) }

// looked is what the files were before any of them was read.
type looked struct {
	files   map[string]look // of transcripts
	crowded bool            // there are more than mostFiles: none is noted
	looks   []look          // at the parts of the log
}

// mostFiles is how many files of transcripts are noted. Those of a record of years are in some
// hundred archives; where so many wait to be packed, the next Verify reads everything again.
const mostFiles = 1 << 14
