//go:build linux || darwin

package undo

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// maxText is the size of a file up to which its lines are compared.
const maxText = 1 << 20

// Diff writes what the run changed as a unified diff in git's form, of these paths and what is
// below them, or of all. Content that was changed after the run is not there any more.
func (r *Run) Diff(w io.Writer, paths ...string) error {
	t := newRestorer(r, pastOf(r, r.store.undos(), nil), Take{Paths: paths}, nil)
	defer t.close()
	for _, c := range r.Changes() {
		if !t.wanted(c.Path) && (c.From == "" || !t.wanted(c.From)) {
			continue
		}
		if _, err := io.WriteString(w, t.diff(c)); err != nil {
			return err
		}
		t.scene.trim()
	}
	return nil
}

func (r *restorer) diff(c Change) string {
	var b strings.Builder
	name := r.relative(c.Path)
	from := name
	if c.From != "" {
		from = r.relative(c.From)
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", quoted("a/"+from), quoted("b/"+name))
	c.heads(&b, from, name)
	if c.Before.Folder() || c.After.Folder() {
		return b.String()
	}
	before, err1 := r.contentBefore(c)
	after, err2 := r.contentAfter(c)
	left, right := quoted("a/"+from), quoted("b/"+name)
	if c.Before.Absent() {
		left = "/dev/null"
	}
	if c.After.Absent() {
		right = "/dev/null"
	}
	switch {
	case err1 == nil && err2 == nil && bytes.Equal(before, after):
	case err1 != nil || err2 != nil || noText(before) || noText(after):
		word := "Binary files"
		if err1 != nil || err2 != nil {
			word = "Files"
		}
		fmt.Fprintf(&b, "%s %s and %s differ (%s; %s)\n", word, left, right,
			described(c.Before, before, err1), described(c.After, after, err2))
	default:
		text := diff.Diff(left, before, right, after)
		_, text, _ = bytes.Cut(text, []byte("\n"))
		b.Write(text)
	}
	return b.String()
}

// heads writes what git writes of names and modes.
func (c Change) heads(b *strings.Builder, from, name string) {
	switch {
	case c.Before.Absent():
		fmt.Fprintf(b, "new file mode %06o\n", c.After.Mode)
	case c.After.Absent():
		fmt.Fprintf(b, "deleted file mode %06o\n", c.Before.Mode)
	case c.Before.Mode != c.After.Mode:
		fmt.Fprintf(b, "old mode %06o\nnew mode %06o\n", c.Before.Mode, c.After.Mode)
	}
	if c.From != "" {
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", quoted(from), quoted(name))
	}
}

// relative is a path below its tree.
func (r *restorer) relative(path string) string {
	for _, f := range r.run.book.folders {
		if f.at == nil && within(path, []string{f.name}) {
			return strings.TrimPrefix(strings.TrimPrefix(path, f.name), "/")
		}
	}
	return path
}

// quoted is a name as git prints it: in quotes if it has what a line cannot have.
func quoted(name string) string {
	q := fmt.Sprintf("%q", name)
	if q == `"`+name+`"` {
		return name
	}
	return q
}

func noText(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 }

func described(s State, content []byte, err error) string {
	switch {
	case s.Absent():
		return "none"
	case err != nil:
		return bytesOf(s.Size) + ", " + err.Error()
	}
	return fmt.Sprintf("%s, SHA-256 %x", bytesOf(s.Size), sha256.Sum256(content))
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

var errLong = errors.New("too long to compare")

// contentBefore is what a path had before the run.
func (r *restorer) contentBefore(c Change) ([]byte, error) {
	switch {
	case c.Before.Link():
		return []byte(c.Before.Target), nil
	case !c.Before.Regular() || c.Before.Size == 0:
		return nil, nil
	}
	if c.inode.copied.kind != 0 {
		f, err := r.objects.openCopy(r.run, c.inode)
		return whole(f, err)
	}
	if src, ok := r.objects.find(c.Before.ID); ok {
		f, err := openRegular(src.dir, src.name)
		return whole(f, err)
	}
	if at := r.placeOf(c.inode); at.in != nil { // it was renamed, or is back
		fd, err := r.scene.open(at.in)
		if err != nil {
			return nil, err
		}
		f, err := openRegular(fd, at.name)
		return whole(f, err)
	}
	return nil, errors.New("not kept")
}

// contentAfter is what the run left, if it is still there.
func (r *restorer) contentAfter(c Change) ([]byte, error) {
	switch {
	case c.After.Link():
		return []byte(c.After.Target), nil
	case !c.After.Regular() || c.After.Size == 0:
		return nil, nil
	}
	places := append(r.byID()[c.After.ID], &entry{})
	if c.inode != nil {
		for _, at := range c.inode.places() {
			places = append(places, &entry{in: at.in, name: at.name})
		}
	}
	for _, e := range places {
		if e.in == nil {
			continue
		}
		fd, err := r.scene.open(e.in)
		if err != nil {
			continue
		}
		at := source{fd, e.name}
		if now, err := look(fd, e.name); err == nil && sameLeft(at, now, c.After) {
			f, err := openRegular(fd, e.name)
			return whole(f, err)
		}
	}
	if src, ok := r.objects.find(c.After.ID); ok { // it was undone
		f, err := openRegular(src.dir, src.name)
		return whole(f, err)
	}
	for _, k := range r.later() { // another run or an undo rewrote it, or took it away
		for _, i := range k.book.inodes {
			if i.before.ID != c.After.ID || !sameMarks(i.before, c.After) {
				continue
			}
			if i.copied.kind != 0 {
				f, err := r.objects.openCopy(k, i)
				return whole(f, err)
			}
			dir, err := r.objects.folder(k, i.held.place)
			if err != nil || i.held.kind == 0 {
				continue
			}
			if now, err := look(dir, i.held.file()); err == nil && sameMarks(now, c.After) &&
				now.Size == c.After.Size {
				f, err := openRegular(dir, i.held.file())
				return whole(f, err)
			}
		}
	}
	return nil, errLater
}

// later are the runs that came after, undos too. What cannot be read is left out.
func (r *restorer) later() []*Run {
	if r.after != nil {
		return r.after
	}
	r.after = []*Run{}
	list, _ := r.run.store.Runs()
	for _, info := range list {
		if info.Start <= r.run.book.head.start {
			continue
		}
		if k, err := r.run.store.Read(info.Run); err == nil {
			r.after = append(r.after, k)
		}
	}
	return r.after
}

func whole(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if len(b) > maxText {
		return nil, errLong
	}
	return b, err
}
