package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/zstandard"
)

var codec = audit.Codec{Encoder: zstandard.Encoder, Decoder: zstandard.Decoder}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func nobody(string) bool { return false }

// made is a folder with transcripts, and what each has.
type made struct {
	*Folder
	want map[string][]byte
	made int
}

// fill adds transcripts, of some bytes to some hundred KiB. To an archive all bytes are alike.
func (m *made) fill(t testing.TB, n int, random *rand.Rand) {
	t.Helper()
	for range n {
		id := fmt.Sprintf("id%06d", m.made)
		m.made++
		size := 1 + random.IntN(1500)
		if random.IntN(40) == 0 {
			size = random.IntN(3 * small)
		}
		text := bytes.Repeat(fmt.Appendf(nil, "%s %d\n", id, random.IntN(1<<30)), size/20+1)
		must(t, os.WriteFile(filepath.Join(m.Dir, id+castSuffix), text, 0o600))
		m.want[id] = text
	}
}

func newFolder(t testing.TB) *made {
	return &made{&Folder{Dir: t.TempDir(), Codec: codec}, map[string][]byte{}, 0}
}

// check reads everything back.
func (m *made) check(t testing.TB) {
	t.Helper()
	ids, err := m.IDs(nil)
	must(t, err)
	if len(ids) != len(m.want) {
		t.Fatalf("%d transcripts, want %d", len(ids), len(m.want))
	}
	now, err := m.Browse()
	must(t, err)
	for _, id := range slices.Sorted(maps.Keys(m.want)) {
		want := m.want[id]
		for _, open := range []func(string) (io.ReadSeekCloser, error){m.Open, now.Open} {
			f, err := open(id)
			must(t, err)
			got, err := io.ReadAll(f)
			must(t, errors.Join(err, f.Close()))
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: %d bytes, want %d", id, len(got), len(want))
			}
		}
		if !m.Has(id) {
			t.Fatalf("%s: not there", id)
		}
	}
	m.checkAtRest(t)
	if _, err := m.Open("none"); !errors.Is(err, fs.ErrNotExist) || m.Has("none") {
		t.Errorf("one that is not there: %v", err)
	}
	if _, err := now.Open("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
}

// checkAtRest requires that each transcript is in one of the files that AtRest lists.
func (m *made) checkAtRest(t testing.TB) {
	t.Helper()
	s := m.AtRest(func(string) bool { return true })
	var files []string
	must(t, s.Files(func(file string) { files = append(files, file) }))
	in := map[string]bool{}
	for _, file := range files {
		ids, err := s.In(file)
		must(t, err)
		first, last := s.Span(file)
		for _, id := range ids {
			in[id] = true
			if id < first || id > last {
				t.Errorf("%s is in %s, which has %s to %s by its name", id, file, first, last)
			}
		}
		_, err = os.Lstat(s.Path(file))
		must(t, err)
	}
	if len(in) != len(m.want) {
		t.Errorf("%d transcripts in %d files, want %d", len(in), len(files), len(m.want))
	}
}

// transcript is a transcript of an output.
func transcript(t testing.TB, output string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.cast")
	r, err := audit.Create(path, audit.Header{Cols: 80, Rows: 24}, audit.RecordOptions{
		Now:  func() time.Duration { return 0 },
		Rand: rand.NewChaCha8([32]byte{1})})
	must(t, err)
	must(t, r.Output(audit.CodeOutput, []byte(output)))
	_, err = r.Close()
	must(t, err)
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

func (m *made) files(t testing.TB) []string {
	t.Helper()
	names, err := m.names()
	must(t, err)
	archives, err := m.archives()
	must(t, err)
	return slices.DeleteFunc(append(archives, names...),
		func(name string) bool { return name == "archives" })
}

// However often a folder is packed, every transcript reads as it was written, in few files.
func TestPack(t *testing.T) {
	m := newFolder(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		m.fill(t, 500, random)
		before, err := m.Browse()
		must(t, err)
		done, err := m.Pack(t.Context(), nobody)
		must(t, err)
		for id, want := range m.want { // moved since the folder was listed
			f, err := before.Open(id)
			must(t, err)
			if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %d bytes, %v, want %d", id, len(got), err, len(want))
			}
		}
		if done.Files != 500 || done.After >= done.Before {
			t.Errorf("%+v", done)
		}
		m.check(t)
	}
	archives := 0
	for _, name := range m.files(t) {
		if _, _, ok := span(name); ok {
			archives++
		} else if strings.HasSuffix(name, castSuffix) {
			t.Errorf("left: %s", name)
		}
	}
	if archives > 6 {
		t.Errorf("%d archives", archives)
	}
	f, err := m.Open("id000001")
	must(t, err)
	_, err = f.Seek(10, io.SeekStart)
	must(t, err)
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, m.want["id000001"][10:]) {
		t.Errorf("from byte 10: %q, %v", got, err)
	}
}

// Few small ones stay as they are: an archive of them would take as much.
func TestPackFew(t *testing.T) {
	m := newFolder(t)
	for i := range fewest - 1 {
		id := fmt.Sprint("id", i)
		m.want[id] = []byte(id)
		must(t, os.WriteFile(filepath.Join(m.Dir, id+castSuffix), m.want[id], 0o600))
	}
	before := m.files(t)
	done, err := m.Pack(t.Context(), nobody)
	if err != nil || done.Files != 0 || !slices.Equal(m.files(t), before) {
		t.Errorf("%+v, %v: %q", done, err, m.files(t))
	}
	done, err = m.Pack(t.Context(), func(string) bool { return true })
	if err != nil || done.Files != 0 {
		t.Errorf("busy: %+v, %v", done, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m.fill(t, 100, rand.New(rand.NewPCG(1, 3)))
	if done, err = m.Pack(ctx, nobody); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", done, err)
	}
	m.check(t)
}

// A process that is killed while it packs loses nothing, and the next one completes its work.
func TestPackKilled(t *testing.T) {
	if dir := os.Getenv("ARCHIVE_TEST_PACK"); dir != "" {
		_, err := (&Folder{Dir: dir, Codec: codec}).Pack(t.Context(), nobody)
		must(t, err)
		return
	}
	m := newFolder(t)
	random := rand.New(rand.NewPCG(4, 2))
	killed := 0
	for range 25 {
		m.fill(t, 60, random)
		cmd := exec.Command(os.Args[0], "-test.run=^TestPackKilled$")
		cmd.Env = append(os.Environ(), "ARCHIVE_TEST_PACK="+m.Dir)
		must(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		m.Folder = &Folder{Dir: m.Dir, Codec: codec}
		m.check(t)
	}
	if killed == 0 {
		t.Error("none was killed")
	}
	_, err := m.Pack(t.Context(), nobody)
	must(t, err)
	m.check(t)
	for _, name := range m.files(t) {
		if strings.HasSuffix(name, castSuffix) {
			t.Errorf("left: %s", name)
		}
	}
}

// What is removed is in no file any more, and the others stay.
func TestRemove(t *testing.T) {
	m := newFolder(t)
	random := rand.New(rand.NewPCG(1, 2))
	m.fill(t, 400, random)
	_, err := m.Pack(t.Context(), nobody)
	must(t, err)
	gone := []string{"id000000", "id000007", "id000399", "none"}
	must(t, m.Remove(gone...))
	for _, id := range gone {
		delete(m.want, id)
	}
	m.check(t)
	// one that was redacted: a file in the place of what is packed
	id := "id000100"
	m.want[id] = transcript(t, "redacted")
	must(t, os.WriteFile(filepath.Join(m.Dir, id+castSuffix), m.want[id], 0o600))
	m.check(t)
	must(t, m.RemovePacked(id))
	m.check(t)
	// and one whose process died before it could remove what is packed
	id = "id000101"
	m.want[id] = transcript(t, "redacted too")
	must(t, os.WriteFile(filepath.Join(m.Dir, id+castSuffix), m.want[id], 0o600))
	_, err = m.Pack(t.Context(), nobody)
	must(t, err)
	m.check(t)
	for _, name := range m.files(t) {
		if _, _, ok := span(name); !ok {
			continue
		}
		a, err := open(m.in(), name, codec)
		must(t, err)
		text, err := a.all()
		must(t, errors.Join(err, a.text.Close()))
		if bytes.Contains(text, []byte("id000101 ")) || bytes.Contains(text, []byte("id000007 ")) {
			t.Errorf("%s still has a text that was removed", name)
		}
	}
	must(t, m.Remove(slices.Collect(maps.Keys(m.want))...))
	if left := m.files(t); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A file in the place of an archived transcript counts only if it is whole: until then both stay.
func TestDamagedBesideArchive(t *testing.T) {
	m := newFolder(t)
	m.fill(t, 100, rand.New(rand.NewPCG(1, 2)))
	_, err := m.Pack(t.Context(), nobody)
	must(t, err)
	for _, name := range []string{"id000003" + castSuffix, "id000004" + castSuffix + suffix} {
		path := filepath.Join(m.Dir, name)
		must(t, os.WriteFile(path, []byte("x"), 0o600))
		_, _ = m.Pack(t.Context(), nobody)
		must(t, os.Remove(path))
		m.check(t)
	}
}

// Files with other names than transcripts have are left alone.
func TestOtherNames(t *testing.T) {
	m := newFolder(t)
	m.fill(t, 40, rand.New(rand.NewPCG(1, 2)))
	others := []string{"id000001 (copy).cast", "0.bak.cast", strings.Repeat("x", 240) + ".cast",
		".cast", "a\nb.cast", "archive.x.y.zst"}
	for _, name := range others {
		must(t, os.WriteFile(filepath.Join(m.Dir, name), []byte("other"), 0o600))
	}
	must(t, os.Mkdir(filepath.Join(m.Dir, "id000990.cast"), 0o700))
	_, err := m.Pack(t.Context(), nobody)
	if err != nil && !errors.Is(err, audit.ErrUnsafe) {
		t.Error(err)
	}
	for _, name := range others {
		if _, err := os.Lstat(filepath.Join(m.Dir, name)); err != nil {
			t.Error(err)
		}
		must(t, os.Remove(filepath.Join(m.Dir, name)))
	}
	must(t, os.Remove(filepath.Join(m.Dir, "id000990.cast")))
	m.check(t)
}

// One file that cannot be read does not keep the others from being packed.
func TestOneBadFile(t *testing.T) {
	m := newFolder(t)
	m.fill(t, 40, rand.New(rand.NewPCG(1, 2)))
	bad := filepath.Join(m.Dir, "id000500"+castSuffix+suffix)
	must(t, os.WriteFile(bad, nil, 0o600))
	done, err := m.Pack(t.Context(), nobody)
	if err == nil || done.Files < 40 {
		t.Errorf("%+v, %v", done, err)
	}
	must(t, os.Remove(bad))
	m.check(t)
}

// A session that ends after younger ones is packed after them. A process that dies when the archive
// with it is there, and the old one too, leaves nothing that a later one cannot complete.
func TestDiedWithBoth(t *testing.T) {
	m := newFolder(t)
	m.fill(t, 60, rand.New(rand.NewPCG(1, 2)))
	busy := func(id string) bool { return id == "id000000" || id >= "id000040" }
	_, err := m.Pack(t.Context(), busy)
	must(t, err)
	archives, err := m.archives()
	must(t, err)
	before, err := os.ReadFile(filepath.Join(m.in(), archives[0]))
	must(t, err)
	_, err = m.Pack(t.Context(), nobody)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(m.in(), archives[0]), before, 0o600))
	must(t, os.WriteFile(filepath.Join(m.in(), draftPrefix+"1"), nil, 0o600))
	m.check(t)
	for range 3 {
		m.fill(t, 20, rand.New(rand.NewPCG(1, 2)))
		_, err = m.Pack(t.Context(), nobody)
		must(t, err)
		m.check(t)
	}
	if names, err := m.archives(); err != nil || len(names) != 1 {
		t.Errorf("%q, %v", names, err)
	}
}

// While archives are replaced, every transcript can be opened and is listed.
func TestOpenWhilePacking(t *testing.T) {
	m := newFolder(t)
	random := rand.New(rand.NewPCG(1, 2))
	m.fill(t, 60, random)
	_, err := m.Pack(t.Context(), nobody)
	must(t, err)
	over := make(chan error)
	go func() {
		packer := &Folder{Dir: m.Dir, Codec: codec}
		var err error
		for i := range 60 {
			for n := range 16 {
				id := fmt.Sprintf("new%03d-%d", i, n)
				err = errors.Join(err, os.WriteFile(filepath.Join(m.Dir, id+castSuffix),
					[]byte(id), 0o600))
			}
			_, packErr := packer.Pack(context.Background(), nobody)
			err = errors.Join(err, packErr)
		}
		over <- err
	}()
	for {
		select {
		case err := <-over:
			must(t, err)
			return
		default:
		}
		reader := &Folder{Dir: m.Dir, Codec: codec}
		f, err := reader.Open("id000007")
		must(t, err)
		must(t, f.Close())
		ids, err := reader.IDs(nil)
		must(t, err)
		if _, ok := slices.BinarySearch(ids, "id000007"); !ok || len(ids) < 60 {
			t.Fatalf("%d transcripts", len(ids))
		}
	}
}

// An archive that was cut or changed is refused by name, and nothing of it is believed.
func TestDamaged(t *testing.T) {
	m := newFolder(t)
	for i := range 40 {
		id := fmt.Sprint("id", 10+i)
		must(t, os.WriteFile(filepath.Join(m.Dir, id+castSuffix), []byte(id+" text"), 0o600))
	}
	_, err := m.Pack(t.Context(), nobody)
	must(t, err)
	name := m.files(t)[0]
	path := filepath.Join(m.in(), name)
	whole, err := os.ReadFile(path)
	must(t, err)
	random := rand.New(rand.NewPCG(5, 2))
	for i := range 300 {
		b := bytes.Clone(whole)
		if i%2 == 0 {
			b = b[:random.IntN(len(b))]
		} else {
			b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
		}
		must(t, os.WriteFile(path, b, 0o600))
		m.Folder = &Folder{Dir: m.Dir, Codec: codec}
		f, err := m.Open("id20")
		if err != nil {
			if !strings.Contains(err.Error(), name[:len(name)-len(suffix)]) {
				t.Errorf("no name in %q", err)
			}
			continue
		}
		// bytes that zstd does not check are those of other transcripts, or found by the log's head
		if got, err := io.ReadAll(f); err != nil || len(got) != len("id20 text") {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func FuzzList(f *testing.F) {
	f.Add([]byte("abid1 0 1 5\nid2 1 1 6\n" + version + " 000000000000002\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a := &file{text: inMemory{bytes.NewReader(text)}}
		if a.readList() != nil {
			return
		}
		for _, e := range a.list {
			if e.offset < 0 || e.size < 0 || e.offset+e.size > int64(len(text)) {
				t.Errorf("%+v is not in %d bytes", e, len(text))
			}
			if got, ok := a.find(e.id); !ok || got.id != e.id {
				t.Errorf("%q is not found", e.id)
			}
		}
	})
}

// Old transcripts are removed, archived or not, and the log says so before they are.
func TestDrop(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "audit")
	log, err := audit.OpenLog(dir, audit.LogOptions{Now: time.Now, BootID: "b"})
	must(t, err)
	defer log.Close()
	f := &Folder{Dir: filepath.Join(root, "sessions"), Codec: codec}
	must(t, os.Mkdir(f.Dir, 0o700))
	now := time.Now()
	add := func(i int) {
		id := fmt.Sprintf("s%02d", i)
		path := filepath.Join(f.Dir, id+castSuffix)
		r, err := audit.Create(path, audit.Header{Cols: 80, Rows: 24}, audit.RecordOptions{
			Now: func() time.Duration { return 0 }, Rand: rand.NewChaCha8([32]byte{byte(i)})})
		must(t, err)
		must(t, r.Output(audit.CodeOutput, []byte("hello "+id+"\r\n")))
		sum, err := r.Close()
		must(t, err)
		_, err = log.Append(audit.KindClose, fmt.Appendf(nil,
			`{"bytes":%d,"count":%d,"head":"%s","sid":"%s"}`, sum.Bytes, sum.Count, sum.Head, id),
			audit.Lazy)
		must(t, err)
		at := now.Add(time.Duration(i-60) * time.Hour)
		must(t, os.Chtimes(path, at, at))
	}
	for i := range 40 {
		add(i)
	}
	_, err = f.Pack(t.Context(), nobody)
	must(t, err)
	for i := 40; i < 60; i++ {
		add(i)
	}
	must(t, os.WriteFile(filepath.Join(f.Dir, "note.txt"), []byte("not ours"), 0o600))
	verify := func() error {
		_, err := audit.Verify(dir, audit.VerifyOptions{
			Transcript:  func(id string) (io.ReadCloser, error) { return f.Open(id) },
			Transcripts: f.Say})
		return err
	}
	must(t, verify())
	busy := func(id string) bool { return id == "s45" }
	got, _, err := f.Drop(log, audit.Retention{MaxAge: 50*time.Hour + time.Minute}, now, "age",
		busy)
	if err != nil || len(got) != 10 || got[0] != "s00" || got[9] != "s09" {
		t.Errorf("by age: %q, %v", got, err)
	}
	must(t, verify())
	list, total, err := f.oldest(time.Now())
	must(t, err)
	size := list[len(list)-1].size
	got, _, err = f.Drop(log, audit.Retention{MaxBytes: 10*size + 10}, now, "quota", busy)
	if err != nil || len(got) == 0 || slices.Contains(got, "s45") || !slices.Contains(got, "s46") {
		t.Errorf("by size, %d of %d: %q, %v", 10*size, total, got, err)
	}
	must(t, verify())
	must(t, f.Remove("s58"))
	var bad *audit.BadEntry
	if err := verify(); !errors.As(err, &bad) || !strings.HasPrefix(bad.File, "s58") {
		t.Errorf("one that was removed without a word: %v", err)
	}
}

// One damaged archive hides no transcript of the others, and is named.
func TestDamagedArchiveHidesNoOther(t *testing.T) {
	m := newFolder(t)
	for range 3 { // more than one archive gets
		for range 40 {
			id := fmt.Sprintf("id%06d", m.made)
			m.made++
			text := bytes.Repeat(fmt.Appendf(nil, "%s\n", id), small/10)
			must(t, os.WriteFile(filepath.Join(m.Dir, id+castSuffix), text, 0o600))
			m.want[id] = text
		}
		_, err := m.Pack(context.Background(), nobody)
		must(t, err)
	}
	names, err := m.archives()
	must(t, err)
	if len(names) < 3 {
		t.Fatalf("%d archives", len(names))
	}
	path := filepath.Join(m.in(), names[1])
	whole, err := os.ReadFile(path)
	must(t, err)
	a, err := open(m.in(), names[1], codec)
	must(t, err)
	in := a.list
	a.text.Close()
	for how, damage := range map[string][]byte{"cut": whole[:len(whole)-9], "empty": {},
		"a byte": flipped(whole, len(whole)/3), "the list": flipped(whole, len(whole)-60)} {
		must(t, os.WriteFile(path, damage, 0o600))
		m.checkDamaged(t, how, names[1], in)
	}
	must(t, os.WriteFile(path, whole, 0o600))
	m.check(t)
}

func flipped(b []byte, i int) []byte {
	b = slices.Clone(b)
	b[i] ^= 1
	return b
}

func (m *made) checkDamaged(t *testing.T, how, name string, in []entry) {
	t.Helper()
	f := &Folder{Dir: m.Dir, Codec: codec}
	b, err := f.Browse()
	must(t, err)
	lost := 0
	for id, want := range m.want {
		for _, open := range []func(string) (io.ReadSeekCloser, error){f.Open, b.Open} {
			r, err := open(id)
			if slices.ContainsFunc(in, func(e entry) bool { return e.id == id }) {
				lost++
				bad, ok := errors.AsType[*DamagedError](err)
				if !ok || bad.Name != name || !f.Has(id) {
					t.Fatalf("%s: %s of the damaged archive: %v", how, id, err)
				}
				continue
			}
			must(t, err)
			got, err := io.ReadAll(r)
			must(t, errors.Join(err, r.Close()))
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: %s: %d bytes, want %d", how, id, len(got), len(want))
			}
		}
	}
	if ids, err := f.IDs(nil); lost != 2*len(in) || err != nil && !isDamaged(err) ||
		len(ids) < len(m.want)-len(in) {
		t.Errorf("%s: %d cannot be opened of %d; %d are listed of %d: %v", how, lost/2, len(in),
			len(ids), len(m.want), err)
	}
}

// Beyond the quota the oldest go by any clock: after one was set back by years, new transcripts are
// not the oldest, and by one that was set forward the others are.
func TestDropByAWrongClock(t *testing.T) {
	m := newFolder(t)
	now := time.Now()
	write := func(id string, at time.Time) {
		path := filepath.Join(m.Dir, id+castSuffix)
		must(t, os.WriteFile(path, []byte("x"), 0o600))
		must(t, os.Chtimes(path, at, at))
	}
	write("c-yesterday", now.AddDate(0, 0, -1))
	write("d-today", now)
	write("a-epoch", time.Unix(100, 0))
	write("b-later", now.Add(time.Minute))
	for _, c := range []struct {
		now  time.Time
		want string
	}{
		{now, "a-epoch c-yesterday d-today b-later"},
		{now.AddDate(170, 0, 0), "a-epoch c-yesterday d-today b-later"},
		{time.Unix(200, 0), "c-yesterday d-today b-later a-epoch"},
	} {
		list, _, err := m.oldest(c.now)
		must(t, err)
		var ids []string
		for _, o := range list {
			ids = append(ids, o.id)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("in %d: %s, want %s", c.now.Year(), got, c.want)
		}
	}
}
