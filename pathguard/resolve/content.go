package resolve

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// content binds the file of a target that an interpreter executes by what is in it.
func (r *resolver) content(t *Target) {
	if !t.Exists || t.Mode.IsDir() || r.bound[t.Real] || t.file == nil && t.Mode.IsRegular() {
		return
	}
	c := Content{Path: t.Real, Command: t.Command, Bound: Bound{ID: t.ID}, file: t.file}
	if t.file == nil {
		c.Why = notRegular
		r.keepContent(c)
		return
	}
	var st unix.Stat_t
	if t.file.Use(func(fd int) error { return unix.Fstat(fd, &st) }) == nil {
		c.Size, c.ModTime = st.Size, st.Mtim.Nano()
		if c.Why = onlyRoot; !rootOnly(t.Real, &st) {
			var text string
			c.Sum, text, c.Why = sum(t.file, uint32(st.Mode), st.Size)
			r.remember(t.Real, text)
		}
	}
	r.keepContent(c)
}

// rootOnly reports whether a file is one of the system's that an ordinary user cannot write:
// inode, size and time name it well enough, and a shell has a megabyte to hash.
func rootOnly(real string, st *unix.Stat_t) bool {
	return pathname.IsSystem(real) && st.Uid == 0 && st.Mode&0o022 == 0
}

func (r *resolver) keepContent(c Content) {
	if r.bound == nil {
		r.bound = map[string]bool{}
	}
	r.bound[c.Path] = true
	r.plan.Contents = append(r.plan.Contents, c)
}

// remember keeps a text that was hashed, so that the text that is judged is the one that was bound.
func (r *resolver) remember(path, text string) {
	if text == "" {
		return
	}
	if r.share.texts == nil {
		r.share.texts = map[string]string{}
	}
	r.share.texts[path] = text
}

// sum hashes a regular file through the handle that the plan holds, so that it is
// the same inode, and returns the very bytes when they are few enough to be judged. Anything
// else is never opened: reading a FIFO would wait, reading a device may act.
func sum(f *walk.Held, mode uint32, size int64) (hash, text, why string) {
	switch {
	case mode&unix.S_IFMT != unix.S_IFREG:
		return "", "", notRegular
	case size > maxContent:
		return "", "", "larger than 16 MiB"
	}
	err := f.Use(func(held int) error {
		fd, err := walk.Reopen(held)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		hash, text, why = sumText(reader(fd), size)
		return nil
	})
	if err != nil {
		return "", "", err.Error()
	}
	return hash, text, why
}

// sumText hashes a text of the size that it had a moment ago, and returns the text too if it is
// short.
func sumText(in io.Reader, size int64) (hash, text, why string) {
	h := sha256.New()
	var few []byte
	n, buf := 0, make([]byte, min(size+1, 64<<10))
	for n <= maxContent {
		got, err := in.Read(buf)
		h.Write(buf[:got])
		if n += got; n <= maxInnerText {
			few = append(few, buf[:got]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", "", err.Error()
		}
	}
	switch {
	case n > maxContent:
		return "", "", "larger than 16 MiB"
	case n > maxInnerText:
		few = nil
	}
	return hex.EncodeToString(h.Sum(nil)), string(few), ""
}

// A reader reads a descriptor without handing it to the runtime's poller.
type reader int

func (r reader) Read(p []byte) (int, error) {
	n, err := unix.Read(int(r), p)
	switch {
	case err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}
