package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// An entry is a transcript in an archive.
type entry struct {
	id           string
	offset, size int64
	at           time.Time // of the last write
}

// A file is an archive.
type file struct {
	text io.ReadSeekCloser // the plain text
	list []entry           // sorted by id
	size int64             // of the transcripts
}

const (
	castSuffix = ".cast"

	prefix  = "archive."
	suffix  = ".zst"
	version = "tada-archive/v1"
	// of a file that has not got its name yet
	draftPrefix = ".archive-"
	lastLen     = len(version) + 1 + 15 + 1
)

const (
	// small is the longest transcript that goes into an archive: of a longer one a reader wants to
	// seek in its file.
	small = 128 << 10
	// full is how much text an archive gets: to find one transcript, all of it is unpacked.
	full = 4 << 20
)

// What is longer was not made here: maxText for the transcripts of an archive, maxList for the
// lines about them.
const (
	maxText = full + small
	maxList = 16 << 20
)

// nameOf is the name of an archive of these transcripts, which are sorted, with this text: another
// text has another name.
func nameOf(list []entry, text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s%s.%s.%x%s", prefix, list[0].id, list[len(list)-1].id, sum[:8], suffix)
}

// isID reports whether a transcript of that name may go into an archive: its name is a part of the
// archive's name, and a word of its text.
func isID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return id != "" && len(id) <= 64 && strings.Trim(id, letters) == ""
}

// span returns the first and the last id of an archive by its name; false for another name.
func span(name string) (first, last string, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 5 || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) ||
		!isID(parts[1]) || !isID(parts[2]) {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// idOf is the session of a file that has one transcript.
func idOf(file string) (id string, ok bool) {
	return strings.CutSuffix(strings.TrimSuffix(file, suffix), castSuffix)
}

// open reads what is in an archive.
func open(dir, name string, c audit.Codec) (*file, error) {
	text, err := audit.OpenTranscript(filepath.Join(dir, strings.TrimSuffix(name, suffix)), c)
	if err != nil {
		return nil, damaged(name, err)
	}
	f := &file{text: text}
	if err := f.readList(); err != nil {
		text.Close()
		return nil, damaged(name, err)
	}
	return f, nil
}

// A DamagedError is returned for an archive that cannot be read.
type DamagedError struct {
	Name string // of its file
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("archive %q: %v", e.Name, e.Err) }

// Unwrap returns the reason.
func (e *DamagedError) Unwrap() error { return e.Err }

// damaged is err as that of an archive, unless the archive was moved meanwhile, or nobody has said
// how archives are read.
func damaged(name string, err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, audit.ErrPacked) ||
		isDamaged(err) {
		return err
	}
	return &DamagedError{name, err}
}

func isDamaged(err error) bool {
	_, ok := errors.AsType[*DamagedError](err)
	return ok
}

var errDamaged = errors.New("the list of its transcripts is damaged")

func (f *file) readList() error {
	end, err := f.text.Seek(-int64(lastLen), io.SeekEnd)
	if err != nil {
		return errDamaged
	}
	var last [lastLen]byte
	if _, err := io.ReadFull(f.text, last[:]); err != nil {
		return err
	}
	if n, err := fmt.Sscanf(string(last[:]), version+" %d\n", &f.size); n != 1 || err != nil ||
		f.size < 0 || f.size > end || f.size > maxText || end-f.size > maxList {
		return errDamaged
	}
	if _, err := f.text.Seek(f.size, io.SeekStart); err != nil {
		return err
	}
	lines := make([]byte, end-f.size)
	if _, err := io.ReadFull(f.text, lines); err != nil {
		return err
	}
	for line := range bytes.Lines(lines) {
		e, ok := parseEntry(string(line))
		if !ok || e.offset > f.size-e.size {
			return errDamaged
		}
		f.list = append(f.list, e)
	}
	if len(f.list) == 0 || !slices.IsSortedFunc(f.list, entry.compare) {
		return errDamaged
	}
	return nil
}

// parseEntry reads a line of the list.
func parseEntry(line string) (e entry, ok bool) {
	words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(words) != 4 || words[0] == "" {
		return e, false
	}
	var n [3]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(words[i+1], 10, 64); err != nil || n[i] < 0 {
			return e, false
		}
	}
	return entry{words[0], n[0], n[1], time.UnixMilli(n[2])}, true
}

func (e entry) compare(o entry) int { return cmp.Compare(e.id, o.id) }

// find returns the entry of a transcript.
func (f *file) find(id string) (entry, bool) {
	i, ok := slices.BinarySearchFunc(f.list, entry{id: id}, entry.compare)
	if !ok {
		return entry{}, false
	}
	return f.list[i], true
}

// all reads the transcripts into memory.
func (f *file) all() ([]byte, error) {
	if _, err := f.text.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text := make([]byte, f.size)
	_, err := io.ReadFull(f.text, text)
	return text, err
}

// A draft is what is to become an archive.
type draft struct {
	text []byte
	list []entry
}

// add copies a transcript into the draft.
func (d *draft) add(id string, text []byte, at time.Time) {
	d.list = append(d.list, entry{id, int64(len(d.text)), int64(len(text)), at})
	d.text = append(d.text, text...)
}

// write makes an archive of a draft, and returns its name and its size once it is on the disk and
// reads as it should. It lies there under a second name, which is left by a process that dies
// before it calls done: call that when what the archive replaces is gone.
func (d *draft) write(dir string, c audit.Codec) (name string, size int64, done func(), err error) {
	slices.SortFunc(d.list, entry.compare)
	whole := d.text
	for _, e := range d.list {
		whole = fmt.Appendf(whole, "%s %d %d %d\n", e.id, e.offset, e.size, e.at.UnixMilli())
	}
	whole = fmt.Appendf(whole, "%s %015d\n", version, len(d.text))
	name = nameOf(d.list, whole)
	f, err := os.CreateTemp(dir, draftPrefix+"*"+suffix)
	if err != nil {
		return "", 0, nil, err
	}
	done = func() { os.Remove(f.Name()) }
	err = errors.Join(audit.Pack(f, bytes.NewReader(whole), c), f.Sync())
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Link(f.Name(), filepath.Join(dir, name))
		if errors.Is(err, os.ErrExist) { // left by a process that died
			err = nil
		}
	}
	if err == nil {
		err = d.readBack(dir, name, c)
	}
	if err == nil {
		err = audit.SyncFolder(dir)
	}
	if err != nil {
		done()
		return "", 0, nil, fmt.Errorf("archive %q: %w", name, err)
	}
	return name, size, done, nil
}

// readBack reads an archive as a reader will, by its name.
func (d *draft) readBack(dir, name string, c audit.Codec) error {
	if _, _, ok := span(name); !ok {
		return errDamaged
	}
	f, err := open(dir, name, c)
	if err != nil {
		return err
	}
	defer f.text.Close()
	text, err := f.all()
	if err == nil && (!bytes.Equal(text, d.text) || !slices.EqualFunc(f.list, d.list, entry.same)) {
		err = errors.New("it does not read back the same")
	}
	return err
}

// same reports whether two entries have the same line.
func (e entry) same(o entry) bool {
	return e.id == o.id && e.offset == o.offset && e.size == o.size &&
		e.at.UnixMilli() == o.at.UnixMilli()
}
