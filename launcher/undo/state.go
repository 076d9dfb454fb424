package undo

import "io/fs"

// An ID is the identity of an inode: no two have the same one, at any time. On a file system that
// has no times of birth, Birth is 0.
type ID struct {
	Dev, Ino uint64
	Birth    int64 // nanoseconds
}

// A State is what is at an entry. The zero value is that there is nothing.
type State struct {
	ID       ID
	Mode     uint32 // type and permissions, as in stat(2)
	UID, GID uint32
	Links    uint32
	Size     int64
	Device   uint64 // that a device file is for
	Accessed int64  // nanoseconds, as the next two
	Modified int64
	Changed  int64
	Target   string // of a symbolic link
	Sum      string // SHA-256 of the content, if it was taken
}

// The types of a State.
const (
	typeMask    = 0o170000
	typeFolder  = 0o040000
	typeRegular = 0o100000
	typeLink    = 0o120000
)

func (s State) Absent() bool  { return s.Mode == 0 }
func (s State) Folder() bool  { return s.Mode&typeMask == typeFolder }
func (s State) Regular() bool { return s.Mode&typeMask == typeRegular }
func (s State) Link() bool    { return s.Mode&typeMask == typeLink }

// FileMode returns the type and permissions as Go has them.
func (s State) FileMode() fs.FileMode {
	m := fs.FileMode(s.Mode & 0o777)
	for bit, to := range map[uint32]fs.FileMode{
		0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky,
	} {
		if s.Mode&bit != 0 {
			m |= to
		}
	}
	switch s.Mode & typeMask {
	case typeFolder:
		m |= fs.ModeDir
	case typeLink:
		m |= fs.ModeSymlink
	case 0o010000:
		m |= fs.ModeNamedPipe
	case 0o140000:
		m |= fs.ModeSocket
	case 0o060000:
		m |= fs.ModeDevice
	case 0o020000:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	return m
}

// An attribute is an extended attribute; access control lists are such attributes too.
type attribute struct{ name, value string }
