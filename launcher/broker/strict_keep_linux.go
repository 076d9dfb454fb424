//go:build amd64 || arm64

package broker

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// A capture is a keeper where it is strict.

func (k *capture) keepsEntry(c *call, dir int, in, name string) error {
	if k.kept(in) != keepsAll {
		return nil
	}
	k.moved()
	return k.orRefuse(c, path.Join(in, name), k.Remove(dir, in, name))
}

// keepsMoved lets nothing go where nothing is kept of it, as from there it would be lost: programs
// copy.
func (k *capture) keepsMoved(c *call, dir int, in, name string, to int, toIn, toName string,
	both bool) error {
	covered := k.kept(in) == keepsAll
	switch {
	case covered != (k.kept(toIn) == keepsAll):
		return unix.EXDEV
	case !covered:
		return nil
	}
	k.moved()
	return k.orRefuse(c, path.Join(toIn, toName), k.Move(dir, in, name, to, toIn, toName, both))
}

func (k *capture) keepsContent(c *call, at int, name string, st *unix.Statx_t, slow bool) error {
	switch {
	case k.kept(name) == keepsAll:
	case st.Nlink > 1: // another name of it could be where something is kept
		k.files.told.add(c, name, linkedOutside)
		return unix.EACCES
	default:
		return nil
	}
	if !slow && st.Size > maxAtOnce {
		return errSlow
	}
	return k.orRefuse(c, name, k.Write(at, strings.TrimSuffix(name, deleted)))
}

// maxAtOnce is how much the thread that receives calls copies.
const maxAtOnce = 1 << 20

// orRefuse refuses a call where its object could not be kept.
func (k *capture) orRefuse(c *call, name string, err error) error {
	if err == nil {
		return nil
	}
	k.files.told.add(c, name, "it stays, because it could not be kept for undo: "+err.Error())
	return unix.EDQUOT
}
