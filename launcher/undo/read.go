package undo

import (
	"errors"
	"fmt"
	"strings"
)

var errNoHead = errors.New("it has no head")

// afterMagic returns the records of a journal.
func afterMagic(b []byte) ([]byte, error) {
	if len(b) <= len(magic) && strings.HasPrefix(magic, string(b)) {
		return nil, errNoHead
	}
	if string(b[:min(len(b), len(magic))]) != magic {
		return nil, fmt.Errorf("it does not begin with %q", magic)
	}
	if v := b[len(magic)]; v != version {
		return nil, fmt.Errorf("it has the version %d; this program reads version %d", v, version)
	}
	return b[len(magic)+1:], nil
}

// parseHead reads the first record of a journal.
func parseHead(b []byte) (*book, error) {
	b, err := afterMagic(b)
	if err != nil {
		return nil, err
	}
	payload, _, err := nextFrame(b)
	if err != nil {
		return nil, err
	}
	k := &book{}
	return k, k.read(payload)
}

// parse reads a journal. closed says that its run ended in order, so that nothing may be missing.
func parse(b []byte, closed bool) (*book, error) {
	size := len(b)
	b, err := afterMagic(b)
	if err != nil {
		return nil, err
	}
	k := &book{}
	for len(b) > 0 {
		k.at = size - len(b) + frameHead
		payload, rest, err := nextFrame(b)
		if err == errTorn && !closed {
			break
		}
		if err != nil {
			return nil, err
		}
		if k.end != nil {
			return nil, fmt.Errorf("it goes on after its end")
		}
		if err := k.read(payload); err != nil {
			return nil, err
		}
		b = rest
	}
	switch {
	case k.head.run == "":
		return nil, errNoHead
	case closed && k.end == nil:
		return nil, fmt.Errorf("its end is missing")
	}
	return k, nil
}

func (k *book) read(payload []byte) error {
	f := &fields{b: payload[1:]}
	kind := payload[0]
	if (kind == recordHead) != (k.head.run == "") {
		return fmt.Errorf("its head is not where it must be")
	}
	switch kind {
	case recordHead:
		k.head = head{run: f.string(), start: f.int(), of: f.strings(), places: f.strings()}
		if k.head.run == "" {
			f.fail("its run has no name")
		}
	case recordFolder:
		d := &folder{at: k.folder(f), name: f.string(), before: f.state(), n: len(k.folders) + 1}
		if k.folders = append(k.folders, d); d.at == nil && !strings.HasPrefix(d.name, "/") ||
			d.at != nil && !oneName(d.name) {
			f.fail("a folder is at no place")
		}
	case recordInode:
		i := &inode{at: k.folder(f), name: f.string(), before: f.state(), n: len(k.inodes) + 1}
		if k.inodes = append(k.inodes, i); i.at != nil && i.name != "." && !oneName(i.name) {
			f.fail("an inode is at no place")
		}
	case recordAlso:
		i, at := k.inode(f), location{k.folder(f), f.string()}
		if i == nil || at.in == nil || at.name != "." && !oneName(at.name) {
			f.fail("an inode is at no place")
		} else {
			i.also = append(i.also, at)
		}
	case recordAttributes:
		if i := k.inode(f); i != nil {
			i.attributes, i.marked = f.attributes(), true
		}
	case recordObject:
		k.readObject(f)
	case recordContent:
		if i := k.inode(f); i != nil {
			i.copied = object{objectShort, len(f.b), int64(k.at + len(payload) - len(f.b))}
			f.b = nil
		}
	case recordEntry:
		e := &entry{in: k.folder(f), name: f.string(), before: k.inodeOrNone(f)}
		if e.in == nil || !oneName(e.name) {
			f.fail("an entry is in no folder")
		} else {
			e.in.touched = true
			k.entries = append(k.entries, e)
		}
	case recordRenewed:
		k.renewed = append(k.renewed, [2]ID{f.id(), f.id()})
	case recordLack:
		k.lacks = append(k.lacks, Lack{f.string(), f.string()})
	default:
		k.readLeft(kind, f)
	}
	if f.err == nil && len(f.b) > 0 {
		f.fail("a record is longer than its fields")
	}
	return f.err
}

func (k *book) readObject(f *fields) {
	i := k.inode(f)
	if i == nil || len(f.b) == 0 {
		f.fail("a pre-image is of no inode")
		return
	}
	kind := f.b[0]
	f.b = f.b[1:]
	o := object{kind: kind, place: int(f.uint32()), n: int64(f.uint())}
	switch {
	case o.n < 0:
		f.fail("a number of a record is too large")
	case o.place >= len(k.head.places):
		f.fail("a pre-image is in no place")
	case kind == objectCopy:
		i.copied = o
	case kind == objectLink || kind == objectStage:
		i.held = o
	default:
		f.fail("a pre-image is of no known kind")
	}
}

func (k *book) readLeft(kind byte, f *fields) {
	switch kind {
	case recordLeftEntry:
		if n := f.uint(); n == 0 || n > uint64(len(k.entries)) {
			f.fail("a record is about an unknown entry")
		} else {
			k.entries[n-1].left, k.entries[n-1].closed = f.state(), true
		}
	case recordLeftInode:
		if i := k.inode(f); i != nil {
			s := f.state()
			i.left, i.leftMarks = &s, f.attributes()
		}
	case recordLeftFolder:
		if d := k.folder(f); d == nil {
			f.fail("a record is about no folder")
		} else {
			s := f.state()
			d.left, d.touched = &s, true
		}
	case recordEnd:
		k.end = &end{kept: f.int(), walked: f.uint() != 0}
	default:
		f.fail(fmt.Sprintf("a record has the unknown kind %q", kind))
	}
}

// folder reads the number of a folder, and returns nil for 0.
func (k *book) folder(f *fields) *folder {
	n := f.uint()
	if n > uint64(len(k.folders)) {
		f.fail("a record is about an unknown folder")
	}
	if n == 0 || f.err != nil {
		return nil
	}
	return k.folders[n-1]
}

func (k *book) inodeOrNone(f *fields) *inode {
	n := f.uint()
	if n > uint64(len(k.inodes)) {
		f.fail("a record is about an unknown inode")
	}
	if n == 0 || f.err != nil {
		return nil
	}
	return k.inodes[n-1]
}

func (k *book) inode(f *fields) *inode {
	i := k.inodeOrNone(f)
	if i == nil {
		f.fail("a record is about no inode")
	}
	return i
}

// oneName reports whether name is that of an entry: an entry of a changed journal may not lead
// elsewhere.
func oneName(name string) bool {
	if name == "" || name == "." || name == ".." {
		return false
	}
	for i := range len(name) {
		if name[i] == '/' || name[i] == 0 {
			return false
		}
	}
	return true
}
