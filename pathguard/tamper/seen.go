package tamper

import (
	"fmt"
	"os"
	"strings"
)

// A Form is the kind of file behind a name. The zero value is nothing at all.
type Form int

// The forms.
const (
	Absent Form = iota
	Regular
	Link
	Directory
	Pipe
	Socket
	Device
	Unreadable // unreadable, so it may have changed
)

var formNames = [...]string{"absent", "file", "link", "directory", "pipe", "socket", "device",
	"unreadable"}

// String returns the form as one word.
func (f Form) String() string {
	if f < 0 || int(f) >= len(formNames) {
		return formNames[Unreadable]
	}
	return formNames[f]
}

func formOf(word string) (Form, bool) {
	for i, name := range formNames {
		if name == word {
			return Form(i), true
		}
	}
	return 0, false
}

// A Seen is what a look at a name found.
type Seen struct {
	Form Form   `json:"form"`
	Mode uint32 `json:"mode"` // permission bits, setuid, setgid and sticky among them
	Size int64  `json:"size"`
	// SHA-256 of the bytes of a file, or of the target of a link, in hex
	Raw string `json:"raw,omitempty"`
	// the same with LF for every end of a line; "" for what is no text
	Text   string `json:"text,omitempty"`
	Target string `json:"target,omitempty"` // of a link
	// the directory that the name is really in, if there is a link on the way
	Real string `json:"real,omitempty"`
	Why  string `json:"why,omitempty"` // why it is unreadable

	stamp stamp
}

// A stamp holds what stat(2) reports about a file and what changes with it. A program can set the
// time of the last modification; the time of the last change of the inode is set by the kernel
// alone.
type stamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime int64 // nanoseconds since 1970
	mode         uint32
}

// Checksum is the hash that a file is known by: of its text where it is one, else of its bytes; ""
// when there is no content.
func (s Seen) Checksum() string {
	if s.Text != "" {
		return s.Text
	}
	return s.Raw
}

// The right to read is not part of the baseline, and taking away a right to write, or giving it to
// the owner, opens the file to no one: repairing a file that others can write is not tampering.
const (
	readBits    = 0o444
	writeBits   = 0o222
	othersWrite = 0o022
)

// String says what was seen, for a person.
func (s Seen) String() string {
	switch s.Form {
	case Regular:
		return fmt.Sprintf("file %04o, %s", s.Mode, s.length())
	case Link:
		return "link to " + Inert(s.Target)
	case Unreadable:
		return "unreadable (" + Inert(s.Why) + ")"
	}
	return s.Form.String()
}

// length is the size in words.
func (s Seen) length() string {
	if s.Size == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", s.Size)
}

// fileMode is a mode of stat(2) as package os spells it.
func fileMode(mode uint32) os.FileMode {
	m := os.FileMode(mode & 0o777)
	for bit, name := range map[uint32]os.FileMode{0o4000: os.ModeSetuid, 0o2000: os.ModeSetgid,
		0o1000: os.ModeSticky} {
		if mode&bit != 0 {
			m |= name
		}
	}
	return m
}

// identity is all of it in one spelling, for a digest.
func (s Seen) identity() string {
	return fmt.Sprintf("%s %04o %q %q %q %q", s.Form, s.Mode, s.Raw, s.Text, s.Target, s.Real)
}

// digestOf binds a decision to a file, to what it was, and to what it is now.
func digestOf(path string, was, now Seen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tada-tamper 1\n%q\n%s\n%s\n", path, was.identity(), now.identity())
	return hexSum([]byte(b.String()))
}

// A Kind says how a file differs from its baseline.
type Kind string

// The kinds, as they are written in messages and in the log.
const (
	Changed Kind = "changed"
	// it was not there, or matches a pattern whose files were all known
	Created         Kind = "created"
	Deleted         Kind = "deleted"
	TypeChanged     Kind = "type"             // it is a link, a directory, a pipe now
	ModeChanged     Kind = "mode"             // others may write it, or it is executed or no longer
	Moved           Kind = "moved"            // a directory on the way is another one now
	Unseen          Kind = "unreadable"       // it may have changed
	BaselineMissing Kind = "baseline_missing" // it once had a baseline, which was removed
)

// differs compares the present state with the baseline, and returns how they differ, "" if they do
// not. A difference in line endings alone does not count: see [Note].
func differs(was, now Seen) Kind {
	switch {
	case now.Form == Unreadable && was.Form != Unreadable:
		return Unseen
	case was.Form == Absent && now.Form != Absent:
		return Created
	case was.Form != Absent && now.Form == Absent:
		return Deleted
	case was.Form != now.Form:
		return TypeChanged
	case was.Real != now.Real:
		return Moved
	case was.Target != now.Target:
		return TypeChanged
	case was.Text != "" && now.Text != "" && was.Text != now.Text,
		(was.Text == "" || now.Text == "") && was.Raw != now.Raw:
		return Changed
	case was.Form == Regular && (was.Mode^now.Mode)&^(readBits|writeBits) != 0,
		was.Form == Regular && now.Mode&^was.Mode&othersWrite != 0:
		return ModeChanged
	}
	return ""
}
