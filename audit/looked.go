package audit

import (
	"fmt"
	"io/fs"
	"os"
)

// A look is what a file was before any of it was read: one that is the same when its hash is made
// was verified with what the hash is of.
type look struct {
	info fs.FileInfo
	size int64
	at   string // when it was changed last, as the kernel keeps it
}

func lookAt(info fs.FileInfo) look {
	return look{info, info.Size(), fmt.Sprint(info.ModTime().UnixNano(), " ", changedAt(info))}
}

func (l look) same(info fs.FileInfo) bool {
	now := lookAt(info)
	return l.info != nil && os.SameFile(l.info, info) && now.size == l.size && now.at == l.at
}

// looked is what the files were before any of them was read.
type looked struct {
	files map[string]look // of transcripts
	looks []look          // at the parts of the log
}
