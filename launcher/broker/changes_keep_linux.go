//go:build amd64 || arm64

package broker

import (
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A capture announces changes (Profile.Changes). It looks at names before the kernel does: a
// program that swaps them in between spoils what is kept of its own changes. It reaches nothing
// more by that, because the call is decided as it would be without a capture.
type capture struct {
	*Capture
	files *files
	folders
}

func newCapture(p *Profile, f *files) *capture {
	if p.Changes == nil {
		return nil
	}
	c := *p.Changes
	c.Changes = withRights{c.Changes}
	k := &capture{Capture: &c, files: f}
	if c.Strict {
		f.book.keeper = k
	}
	return k
}

func (k *capture) close() {
	if k != nil {
		k.forget()
	}
}

// written announces that a file is opened for writing; a strict capture knows (keepsContent).
func (k *capture) written(object int, name string) {
	if k != nil && !k.Strict && k.keepsObject(object, name) {
		_ = k.Write(object, name)
	}
}

// made announces that an entry comes to a place.
func (k *capture) made(p *spot) {
	if k != nil && k.kept(p.in) != keepsNone {
		_ = k.Make(p.dir, p.in, p.name)
	}
}

// keepsObject reports whether an open object is in a place of which something is kept. The name is
// the kernel's.
func (k *capture) keepsObject(object int, name string) bool {
	switch k.kept(name) {
	case keepsAll:
		return true
	case keepsOwn:
		var st unix.Statx_t
		return statx(object, "", &st) == nil && k.files.ours(&st)
	}
	return false
}

// keeps reports whether something is kept of an entry that may be there.
func (k *capture) keeps(d *folder, name string) bool {
	var st unix.Statx_t
	switch d.keeps {
	case keepsAll:
		return true
	case keepsOwn:
		return statx(d.fd, name, &st) == nil && k.files.ours(&st)
	}
	return false
}

// kept says what is kept of what has this name, or is in the folder of this name.
func (k *capture) kept(name string) keeping {
	switch {
	case withinAny(name, k.Except):
		return keepsNone
	case k.files.trees.holds(name):
		return keepsAll
	}
	switch {
	case k.isShared(name) && k.Shared:
		return keepsOwn
	case k.isShared(name):
		return keepsNone
	}
	if strings.HasPrefix(name, "/") && k.files.trees.writable(name) {
		return keepsAll // in a tree that was moved
	}
	return keepsNone
}

// isShared reports whether what has this name is in a shared directory.
func (k *capture) isShared(name string) bool {
	return slices.ContainsFunc(k.files.dirs(), func(d viewDir) bool { return within(name, d.name) })
}
