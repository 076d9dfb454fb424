package resolve

import (
	"encoding/binary"

	"github.com/tada-run/tada-run/pathguard/walk"
)

// Facts are bytes in the making.
type Facts []byte

func Each[T any](f *Facts, items []T, put func(*Facts, *T)) {
	f.Number(int64(len(items)))
	for i := range items {
		put(f, &items[i])
	}
}

func (f *Facts) Texts(texts ...string) {
	for _, s := range texts {
		*f = append(binary.AppendUvarint(*f, uint64(len(s))), s...)
	}
}

func (f *Facts) Number(n int64) { *f = binary.AppendVarint(*f, n) }

func (f *Facts) Flag(b bool) {
	if b {
		*f = append(*f, 1)
		return
	}
	*f = append(*f, 0)
}

func (f *Facts) list(words []string) {
	f.Number(int64(len(words)))
	f.Texts(words...)
}

// place adds a path and the inode that it had.
func (f *Facts) place(path string, id walk.ID) {
	f.Texts(path)
	*f = binary.AppendUvarint(*f, id.Dev)
	*f = binary.AppendUvarint(*f, id.Ino)
}
