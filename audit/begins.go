package audit

import (
	"encoding/binary"

	"github.com/tada-run/tada-run/audit/sorted"
)

// A begins has the first entry about each run and each question, and each one about a run or a
// question that was forgotten since. It sorts them by what they are about, and then by place.
type begins struct {
	sorted.Sorter
	at     int64 // where the entry is that is looked at
	buffer []byte
}

// What an entry is about, the first byte of a key.
const (
	aboutRun      = "r"
	aboutQuestion = "q"
)

func (b *begins) add(about, id, kind string) {
	b.buffer = sorted.AppendKey(b.buffer[:0], about+id)
	b.buffer = binary.BigEndian.AppendUint64(b.buffer, uint64(b.at))
	b.buffer = append(b.buffer, kind...)
	b.Add(b.buffer)
}
