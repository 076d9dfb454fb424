package view

import (
	"encoding/binary"
	"hash/crc32"

	"golang.org/x/sys/unix"
)

// An ID is the identity of an entry: no two have the same one, at any time.
type ID struct {
	Dev, Ino uint64
	Sec      int64 // of its birth
	Nsec     uint32
}

// Identify returns the identity in the result of statx(2) with STATX_BTIME; ok is false on a file
// system that has no time of birth.
func Identify(st *unix.Statx_t) (id ID, ok bool) {
	return ID{
		Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino,
		Sec: st.Btime.Sec, Nsec: st.Btime.Nsec,
	}, st.Mask&unix.STATX_BTIME != 0 && (st.Btime.Sec != 0 || st.Btime.Nsec != 0)
}

// identify returns the identity and the kind of the entry of a name in a directory, or of what is
// open; ok is false where it has none.
func identify(fd int, name string, flags int) (id ID, kind uint16, ok bool) {
	var st unix.Statx_t
	if unix.Statx(fd, name, flags, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st) != nil {
		return ID{}, 0, false
	}
	id, ok = Identify(&st)
	return id, st.Mode & unix.S_IFMT, ok
}

const (
	made    = 1
	removed = 2

	recordSize = 32
)

// record is an entry as it is in the file; the last three bytes say whether it is whole.
func record(id ID, kind byte) []byte {
	b := make([]byte, 0, recordSize)
	b = binary.LittleEndian.AppendUint64(b, id.Dev)
	b = binary.LittleEndian.AppendUint64(b, id.Ino)
	b = binary.LittleEndian.AppendUint64(b, uint64(id.Sec))
	b = append(binary.LittleEndian.AppendUint32(b, id.Nsec), kind)
	sum := crc32.ChecksumIEEE(b)
	return append(b, byte(sum), byte(sum>>8), byte(sum>>16))
}
