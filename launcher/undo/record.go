package undo

import "encoding/binary"

// The kinds of records, with their fields. The numbers of folders and inodes count their records,
// from 1; 0 is none.
const (
	recordHead       = 'h' // run, start, list of undone runs, list of places
	recordFolder     = 'd' // number of its parent, name, state
	recordInode      = 'i' // number of its folder, name, state
	recordAlso       = 'p' // number of the inode, number of the folder, name
	recordAttributes = 'x' // number of the inode, attributes
	recordObject     = 'o' // number of the inode, kind, place, number
	recordContent    = 'c' // number of the inode, its content up to the end
	recordEntry      = 'e' // number of the folder, name, number of the inode
	recordRenewed    = 'r' // identity of what was there, and of what an undo made in its place
	recordLack       = 'l' // path, reason

	// what a run left
	recordLeftEntry  = 'E' // number of the entry, state
	recordLeftInode  = 'I' // number of the inode, state, attributes
	recordLeftFolder = 'D' // number of the folder, state
	recordEnd        = 'z' // bytes kept, whether the trees were looked through
)

func (h *head) append(b []byte) []byte {
	b = appendString(append(b, recordHead), h.run)
	b = binary.AppendVarint(b, h.start)
	for _, list := range [][]string{h.of, h.places} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = appendString(b, s)
		}
	}
	return b
}

func (f *folder) number() uint64 {
	if f == nil {
		return 0
	}
	return uint64(f.n)
}

func (i *inode) number() uint64 {
	if i == nil {
		return 0
	}
	return uint64(i.n)
}

func (f *folder) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, recordFolder), f.at.number())
	return appendState(appendString(b, f.name), &f.before)
}

func (i *inode) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, recordInode), i.at.number())
	return appendState(appendString(b, i.name), &i.before)
}

func (i *inode) appendAlso(b []byte) []byte {
	at := i.also[len(i.also)-1]
	b = binary.AppendUvarint(append(b, recordAlso), i.number())
	return appendString(binary.AppendUvarint(b, at.in.number()), at.name)
}

func (i *inode) appendAttributes(b []byte) []byte {
	b = binary.AppendUvarint(append(b, recordAttributes), i.number())
	return appendAttributes(b, i.attributes)
}

func (i *inode) appendObject(b []byte, o object) []byte {
	b = append(binary.AppendUvarint(append(b, recordObject), i.number()), o.kind)
	b = binary.AppendUvarint(b, uint64(o.place))
	return binary.AppendUvarint(b, uint64(o.n))
}

func (i *inode) appendContent(b, content []byte) []byte {
	return append(binary.AppendUvarint(append(b, recordContent), i.number()), content...)
}

func (e *entry) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, recordEntry), e.in.number())
	return binary.AppendUvarint(appendString(b, e.name), e.before.number())
}

func appendRenewed(b []byte, old, id ID) []byte {
	return appendID(appendID(append(b, recordRenewed), old), id)
}

func (l *Lack) append(b []byte) []byte {
	return appendString(appendString(append(b, recordLack), l.Path), l.Why)
}

func appendLeft(b []byte, kind byte, n int, s *State) []byte {
	return appendState(binary.AppendUvarint(append(b, kind), uint64(n)), s)
}

func (e *end) append(b []byte) []byte {
	b = binary.AppendVarint(append(b, recordEnd), e.kept)
	if e.walked {
		return append(b, 1)
	}
	return append(b, 0)
}
