package launcher

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
)

// A whole run, over and over: it is planned, asked about, planned again when the answer comes, its
// approval is used while its sandbox is built, it runs, is recorded and sealed. At the same time
// other goroutines open and close files, so that a free number becomes another file's at once. Code
// that uses or closes a number that is no longer its own then hits one of theirs.
func TestDescriptorsOfARunAreItsOwn(t *testing.T) {
	rounds := hermetic.Rounds(50)
	l, req := world(t)
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
	req.Shell.Text = "rm -rf lib; cat a > out"
	asked := 0
	req.Ask = func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
		asked++
		d := permit.Answer(e, true, "", "tty")
		d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
		return d, nil
	}
	lay := func(dir, out string) {
		t.Helper()
		if os.MkdirAll(filepath.Join(dir, "lib"), 0o755) != nil ||
			os.WriteFile(filepath.Join(dir, "lib", "keep"), nil, 0o644) != nil ||
			os.WriteFile(filepath.Join(dir, "out"), []byte(out), 0o644) != nil {
			t.Fatal("no files")
		}
	}
	holds := func(dir string) (lib bool, out string) {
		_, err := os.Stat(filepath.Join(dir, "lib", "keep"))
		text, _ := os.ReadFile(filepath.Join(dir, "out"))
		return err == nil, string(text)
	}
	decoy := t.TempDir()
	lay(decoy, "decoy")
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for _, name := range []string{decoy, filepath.Join(decoy, "lib"), filepath.Join(decoy, "out")} {
		churn.Go(func() {
			for !t.Failed() {
				select {
				case <-stop:
					return
				default:
				}
				takeNumbers(t, name)
			}
		})
	}
	for round := range rounds {
		lay(req.Dir, "before")
		out, err := l.Run(context.Background(), req)
		if err != nil || out.Refusal != nil || out.Status != 0 {
			t.Errorf("round %d: %+v, %v", round, out, err)
		}
		if lib, text := holds(req.Dir); lib || text != "a\n" {
			t.Errorf("round %d: lib %v, out %q", round, lib, text)
		}
		if round%4 == 0 { // a file without references closes its descriptor
			runtime.GC()
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	churn.Wait()
	if lib, text := holds(decoy); !lib || text != "decoy" {
		t.Errorf("the decoy: lib %v, out %q", lib, text)
	}
	if asked != rounds {
		t.Errorf("asked %d times", asked)
	}
	if _, err := l.Verify(); err != nil {
		t.Errorf("the record: %v", err)
	}
	ended := 0
	for e, err := range l.Entries(audit.Filter{Kinds: []string{record.KindEnd}}) {
		if err != nil {
			t.Fatal(err)
		}
		if body := bodyOf(t, e); body["sid"] != nil {
			ended++
		}
	}
	if ended != rounds {
		t.Errorf("%d of %d runs are on record", ended, rounds)
	}
}

// takeNumbers opens name a few times, for writing where it can be written, and finds each of the
// descriptors as it was, when it closes them.
func takeNumbers(t *testing.T, name string) {
	var fds [4]int
	var was [len(fds)]unix.Stat_t
	for i := range fds {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err == unix.EISDIR {
			fd, err = unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		}
		if err == nil {
			err = unix.Fstat(fd, &was[i])
		}
		if err != nil {
			t.Error(err)
			return
		}
		fds[i] = fd
	}
	runtime.Gosched()
	for i, fd := range fds {
		var st unix.Stat_t
		err := unix.Fstat(fd, &st)
		if err != nil || st.Dev != was[i].Dev || st.Ino != was[i].Ino {
			t.Errorf("descriptor %d of %s was closed by somebody else: %v", fd, name, err)
		}
		if at, err := unix.Seek(fd, 0, unix.SEEK_CUR); err != nil || at != 0 {
			t.Errorf("descriptor %d of %s was read or written by somebody else: at %d, %v", fd,
				name, at, err)
		}
		if err := unix.Close(fd); err != nil {
			t.Errorf("descriptor %d of %s was closed by somebody else: %v", fd, name, err)
		}
	}
}
