package broker

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// placeAt is the place of a name in a shared directory.
func placeAt(t *testing.T, name string) *spot {
	t.Helper()
	fd, err := unix.Open(filepath.Dir(name), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	return &spot{dir: fd, in: filepath.Dir(name), name: filepath.Base(name)}
}

func looked(t *testing.T, p *spot) *unix.Statx_t {
	t.Helper()
	var st unix.Statx_t
	must(t, statx(p.dir, p.name, &st))
	return &st
}

// What another program puts to a name between the look and the change is there afterwards, and
// what was looked at is changed. E-bkr-1.
func TestSwappedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(from, to *spot, old, now *unix.Statx_t) error{
		"remove":   func(_, to *spot, _, now *unix.Statx_t) error { return takeOut(to, now) },
		"replace":  replace,
		"exchange": exchange,
		"move over": func(from, to *spot, old, now *unix.Statx_t) error {
			return replace(to, from, now, old)
		},
		"move": func(from, to *spot, old, now *unix.Statx_t) error {
			free := *to
			free.name = "free"
			return move(to, &free, now)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swapped := range []bool{false, true} {
				dir := t.TempDir()
				for _, name := range []string{"from", "to", "theirs"} {
					must(t, os.WriteFile(dir+"/"+name, []byte(name), 0o600))
				}
				from, to := placeAt(t, dir+"/from"), placeAt(t, dir+"/to")
				old, now := looked(t, from), looked(t, to)
				if swapped {
					must(t, os.Rename(dir+"/theirs", dir+"/to"))
				}
				err := change(from, to, old, now)
				text, _ := os.ReadFile(dir + "/to")
				switch {
				case swapped && (err != errSwapped || string(text) != "theirs"):
					t.Errorf("theirs is %q, %v", text, err)
				case !swapped && (err != nil || string(text) == "to"):
					t.Errorf("it is %q still, %v", text, err)
				}
				left, _ := filepath.Glob(dir + "/.tada-run-*")
				if len(left) > 0 {
					t.Errorf("left: %q", left)
				}
			}
		})
	}
}

// A folder is removed and replaced when it is empty, and only then.
func TestFolderTakenOut(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/d", 0o700))
	must(t, os.WriteFile(dir+"/d/x", nil, 0o600))
	p := placeAt(t, dir+"/d")
	if err := takeOut(p, looked(t, p)); err != unix.ENOTEMPTY {
		t.Errorf("%v", err)
	}
	must(t, os.Mkdir(dir+"/e", 0o700))
	e := placeAt(t, dir+"/e")
	if err := replace(e, p, looked(t, e), looked(t, p)); err != unix.ENOTEMPTY {
		t.Errorf("%v", err)
	}
	must(t, os.Remove(dir+"/d/x"))
	if err := replace(e, p, looked(t, e), looked(t, p)); err != nil {
		t.Errorf("%v", err)
	}
	if err := takeOut(p, looked(t, p)); err != nil {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// An outside program that puts its own entry to a name again and again, while a run removes it, has
// it there each time.
func TestSwapRace(t *testing.T) {
	dir := t.TempDir()
	p := placeAt(t, dir+"/x")
	done := make(chan struct{})
	var outside sync.WaitGroup
	outside.Go(func() {
		defer close(done)
		for range hermetic.Rounds(20_000) {
			theirs := dir + "/theirs"
			if os.WriteFile(theirs, []byte("theirs"), 0o600) != nil ||
				os.Rename(theirs, dir+"/x") != nil {
				t.Error("the outside program failed")
				return
			}
			there := false
			for began := time.Now(); !there && time.Since(began) < 10*time.Second; {
				text, err := os.ReadFile(dir + "/x")
				there = err == nil && string(text) == "theirs"
			}
			if !there {
				t.Error("what another program made is gone")
				return
			}
			_ = os.Remove(dir + "/x")
		}
	})
	for n := 0; ; n++ {
		select {
		case <-done:
			outside.Wait()
			t.Logf("%d removals", n)
			return
		default:
		}
		fd, err := unix.Openat(p.dir, p.name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
		if err != nil {
			continue
		}
		var st unix.Statx_t
		err = statx(fd, "", &st)
		unix.Close(fd)
		if err == nil {
			_ = takeOut(p, &st)
		}
	}
}

// A change that is under way, as on a file system that does not answer, holds up no other call: the
// thread that receives calls goes on.
func TestAnswersBesideAChange(t *testing.T) {
	f := &files{work: newWorkers()}
	f.book.changing.Lock()
	r := &fileRequest{call: &call{}, fileCall: &fileCall{}, cached: resolveCached}
	if err := f.alone(r); err != errSlow {
		t.Errorf("%v", err)
	}
	r.cached = 0
	done := make(chan error, 1)
	go func() { done <- f.alone(r) }()
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	f.book.changing.Unlock()
	must(t, <-done)
}

// File systems that others answer for are known by their kind. The rest is not asked about twice.
func TestSlowDevices(t *testing.T) {
	const table = `22 1 0:20 / /mnt/a rw - fuse.sshfs host:/ rw
23 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
24 1 0:21 / /n rw - nfs4 server:/ rw
25 1 0:22 / /v rw - virtiofs share rw
`
	for dev, want := range map[string]bool{"0:20": true, "8:1": false, "0:21": true, "0:22": true,
		"9:9": false} {
		if isSlowDevice(table, dev) != want {
			t.Errorf("%s: %v", dev, !want)
		}
	}
	dir, err := unix.Open(t.TempDir(), unix.O_PATH|unix.O_DIRECTORY, 0)
	must(t, err)
	defer unix.Close(dir)
	if isSlow(dir) {
		t.Error("temporary files are slow")
	}
}
