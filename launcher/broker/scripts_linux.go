//go:build amd64 || arm64

package broker

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// scripts are the files of code whose text was judged. A shell opens such a file by its name, and
// another program may have put its own there by then; so it is handed the text that was judged.
// Once the run itself changes what is at the name, the name leads where it leads.
type scripts []*heldScript

type heldScript struct {
	Script
	fd      int
	changed atomic.Bool
}

func newScripts(p *Profile) (list scripts) {
	for _, s := range p.Scripts {
		held := &heldScript{Script: s, fd: -1}
		_ = Control(s.File, func(fd int) (err error) {
			held.fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
			return err
		})
		list = append(list, held)
	}
	return list
}

func (s scripts) close() {
	for _, script := range s {
		unix.Close(script.fd)
	}
}

// named returns the script of a name, in its [Spelling], that the run has not changed, or nil.
func (s scripts) named(name string) *heldScript {
	for _, script := range s {
		if slices.Contains(script.Names, name) && !script.changed.Load() {
			return script
		}
	}
	return nil
}

// has tells most names apart at once.
func (s scripts) has(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, script := range s {
		for _, known := range script.Names {
			if strings.HasSuffix(known, base) && path.Base(known) == base {
				return true
			}
		}
	}
	return false
}

// change notes that the run changes an entry, which may be a script or a folder of one.
func (s scripts) change(entry string) {
	base := path.Base(entry)
	for _, script := range s {
		if base != "." && slices.ContainsFunc(script.Names, func(known string) bool {
			return strings.Contains(known+"/", "/"+base+"/")
		}) {
			script.changed.Store(true)
		}
	}
}

// write notes that the run writes to a file, of which this is one name.
func (s scripts) write(name string, id Identity) {
	for _, script := range s {
		if script.ID == id || slices.Contains(script.Names, name) {
			script.changed.Store(true)
		}
	}
}
