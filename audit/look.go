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

// look looks at the files of transcripts, and at those of the log, before they are read.
func (v *verifier) look() error {
	files, err := v.o.AtRest.Files()
	if err != nil {
		return fmt.Errorf("listing the transcripts: %w", err)
	}
	v.files = map[string]look{}
	for _, file := range files {
		v.files[file] = look{} // of what is no plain file there is no note
		if info, err := os.Lstat(v.o.AtRest.Path(file)); err == nil && info.Mode().IsRegular() {
			v.files[file] = lookAt(info)
		}
	}
	v.looks = make([]look, len(v.log.parts))
	for i, p := range v.log.parts {
		if info, err := p.text.file.Stat(); err == nil {
			v.looks[i] = lookAt(info)
		}
	}
	return nil
}
