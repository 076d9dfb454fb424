package integration

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/tada-run/tada-run/audit"
	vt "github.com/tada-run/tada-run/audit/screen"
	"github.com/tada-run/tada-run/integration/scale"
)

// A long transcript that is made is one to its reader.
func TestMadeLongTranscript(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cast")
	made, err := scale.Long(path, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := audit.NewReader("a.cast", f)
	codes := map[byte]int{}
	for err == nil {
		var e audit.Event
		if e, err = r.Next(); err == nil {
			codes[e.Code]++
		}
	}
	if s := r.Summary(); !errors.Is(err, io.EOF) || s.Head != made.Head || s.Bytes < 2<<20 {
		t.Errorf("%v after %d bytes, made were %d", err, s.Bytes, made.Bytes)
	}
	for _, code := range []byte("oirm") {
		if codes[code] == 0 {
			t.Errorf("no event %c in %v", code, codes)
		}
	}
}

// What is found in a long transcript is all that there is, in its order.
func TestLongTranscriptIsSearched(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	p := pair{ctl: filepath.Join(filepath.Dir(place.dir), "bin", "tadactl"), env: place.env}
	sessions := filepath.Join(place.state, "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := scale.Long(filepath.Join(sessions, longID+".cast"), 1<<20); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	n := 0
	for line := range strings.Lines(p.asks(t, place.state, "export", longID, "--format", "txt")) {
		if n++; strings.Contains(line, "Building") {
			fmt.Fprintf(&want, "%s:%d:%s", longID, n, line)
		}
	}
	if got := p.asks(t, place.state, "log", "--grep", "Building"); got != want.String() ||
		len(got) < 500_000 {
		t.Errorf("%d bytes, not %d: %.300s", len(got), want.Len(), got)
	}
}

// longID is the id of a transcript that is made.
const longID = "00000000000000g0"

// TestLongSpeed prints how long the replay of one long transcript takes to show its first frame and
// to seek, and what export and log --grep of it cost. It is a report, not a check: BENCH_LONG is
// the size of what was printed in MiB.
func TestLongSpeed(t *testing.T) {
	size, err := strconv.Atoi(os.Getenv("BENCH_LONG"))
	if err != nil {
		t.Skip("a report for people: make bench-long")
	}
	run := installed(t, "../cmd/...")
	p := pair{run, filepath.Join(filepath.Dir(run), "tadactl"), os.Environ()}
	folder := quiet(t)
	state := filepath.Join(folder, "real")
	p.work(t, folder, state)
	if _, err := scale.Long(filepath.Join(state, "sessions", longID+".cast"),
		int64(size)<<20); err != nil {
		t.Fatal(err)
	}
	w := watchReplay(t, exec.Command(p.ctl, "--home", state, "replay", longID))
	t.Logf("first frame after %v", w.after("", "▶"))
	w.after(" ", "‖")
	for _, key := range []string{"9", "1", "7", "3", "G", "g"} {
		t.Logf("seek to %s: %v", key, w.after(key, "‖"))
	}
	t.Logf("memory: %d MB", w.ended()>>10)
	for _, args := range [][]string{
		{"log", "--grep", "a word that is not there"}, {"log", "--grep", "Building"},
		{"export", longID, "--format", "txt"}, {"export", longID, "--format", "cast"},
	} {
		if c, ok := p.cost(t, state, args[0], args); ok {
			t.Logf("%s: %.1f s, %.0f MB", strings.Join(args, " "), c.wall/1000, c.rss)
		}
	}
}

// A replayWatch is tadactl replay on a terminal, and a model of what it shows.
type replayWatch struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File
	read  chan []byte // what it shows; closed at its end
	shown *vt.Screen
	began time.Time
}

// replayRows is the height of the terminal; the second last row has the position.
const replayRows = 42

func watchReplay(t *testing.T, cmd *exec.Cmd) *replayWatch {
	t.Helper()
	w := &replayWatch{t: t, cmd: cmd, shown: vt.New(140, replayRows), began: time.Now()}
	var err error
	w.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: replayRows, Cols: 140})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.tty.Close() })
	w.read = make(chan []byte, 1)
	go func() {
		defer close(w.read)
		for {
			buf := make([]byte, 64<<10)
			n, err := w.tty.Read(buf)
			if err != nil {
				return
			}
			w.read <- buf[:n]
		}
	}()
	return w
}

// after types a key and returns how long it takes until the position is another one and shown
// behind a sign.
func (w *replayWatch) after(key, sign string) time.Duration {
	w.t.Helper()
	if key != "" {
		w.look(time.After(500*time.Millisecond), func() bool { return false })
		w.began = time.Now()
	}
	before := w.shown.Text(replayRows - 2)
	if _, err := w.tty.WriteString(key); err != nil {
		w.t.Fatal(err)
	}
	w.look(time.After(time.Minute), func() bool {
		now := w.shown.Text(replayRows - 2)
		return now != before && strings.HasPrefix(now, " "+sign)
	})
	return time.Since(w.began)
}

// look shows what comes, until it is right or the time is over.
func (w *replayWatch) look(over <-chan time.Time, right func() bool) {
	w.t.Helper()
	for !right() {
		select {
		case text, ok := <-w.read:
			if !ok {
				w.t.Fatal("the replay ended")
			}
			w.shown.Write(text)
		case <-over:
			return
		}
	}
}

// ended quits and returns the most memory that there was, in KiB.
func (w *replayWatch) ended() int64 {
	w.t.Helper()
	if _, err := w.tty.WriteString("q"); err != nil {
		w.t.Fatal(err)
	}
	for range w.read { // until the terminal is gone
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Fatal(err)
	}
	return w.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}
