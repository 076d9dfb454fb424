// Package dirent reads what getdents64(2) gives. os.ReadDir would make two more system calls, and
// an object for each name.
package dirent

import (
	"bytes"
	"encoding/binary"
)

// An Entry is one entry of a folder.
type Entry struct {
	Number uint64 // of its inode
	Kind   byte   // such as unix.DT_DIR; not every file system has kinds
	Name   []byte // in the buffer that was read, where a zero byte follows
}

// Next returns the first entry in b, and what comes after it; ok is false if there is none. The two
// dots are left out.
func Next(b []byte) (e Entry, rest []byte, ok bool) {
	const length, kind, name = 16, 18, 19
	for len(b) > name {
		size := int(binary.NativeEndian.Uint16(b[length:]))
		if size <= name || size > len(b) {
			break
		}
		text := b[name:size]
		text = text[:max(0, bytes.IndexByte(text, 0))]
		if s := string(text); s != "." && s != ".." && s != "" {
			return Entry{binary.NativeEndian.Uint64(b), b[kind], text}, b[size:], true
		}
		b = b[size:]
	}
	return Entry{}, nil, false
}
