package integration

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/export"
	"github.com/tada-run/tada-run/audit/zstandard"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
)

// A printed run is one with a transcript, as the other recorders get it.
type printed struct {
	madeRun
	number int
	began  time.Time
	events []audit.Event
	cast   []byte // the same as asciicast v2
}

// printedRuns reads the runs of a record that have a transcript, oldest first.
func (p pair) printedRuns(t *testing.T, home string) iter.Seq[printed] {
	t.Helper()
	r := record.Of(state.Home{Dir: home}.Use())
	r.Codec = audit.Codec{Decoder: zstandard.Decoder}
	open, err := r.Browse()
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(printed) bool) {
		number := 0
		for _, made := range p.sessions(t, home) {
			f, err := open(made.ID)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was not run
			}
			run := printed{madeRun: made, number: number}
			if err == nil {
				err = errors.Join(run.read(f), f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			if number++; !yield(run) {
				return
			}
		}
	}
}

func (p *printed) read(f io.ReadSeeker) error {
	var cast bytes.Buffer
	if err := export.Cast2(&cast, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	events, err := audit.NewReader(p.ID, f)
	if err != nil {
		return err
	}
	defer events.Free()
	p.began, p.cast = events.Header.Time, cast.Bytes()
	for {
		e, err := events.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		e.Data = bytes.Clone(e.Data)
		p.events = append(p.events, e)
	}
}

// output is what the run wrote, to whatever it wrote it.
func (p *printed) output() iter.Seq[audit.Event] {
	return func(yield func(audit.Event) bool) {
		for _, e := range p.events {
			if (e.Code == audit.CodeOutput || e.Code == audit.CodeStderr) && !yield(e) {
				return
			}
		}
	}
}

// sudoID is the name of a log of sudo: a number in the base of 36.
func (p *printed) sudoID() string {
	return fmt.Sprintf("%06s", strings.ToUpper(strconv.FormatInt(int64(p.number+1), 36)))
}

// sudo writes the directory that sudo writes with log_output (sudoers(5), I/O log files). It has
// less of the environment than a real one.
func (p *printed) sudo(dir string) error {
	id := p.sudoID()
	dir = filepath.Join(dir, id[:2], id[2:4], id[4:])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := json.MarshalIndent(map[string]any{
		"timestamp": map[string]any{"seconds": p.began.Unix(), "nanoseconds": p.began.Nanosecond()},
		"command":   "/bin/bash", "runargv": []string{"bash", "-c", p.Command},
		"submituser": "root", "submithost": "host", "submitcwd": p.Cwd, "ttyname": "/dev/pts/0",
		"runuser": "root", "runuid": 0, "columns": 80, "lines": 24,
		"runenv": []string{"TERM=xterm", "HOME=/root", "SUDO_COMMAND=/bin/bash -c " + p.Command},
	}, "", "    ")
	if err != nil {
		return err
	}
	var text, timing bytes.Buffer
	last := time.Duration(0)
	for e := range p.output() {
		fmt.Fprintf(&timing, "4 %.9f %d\n", (e.Time - last).Seconds(), len(e.Data))
		text.Write(e.Data)
		last = e.Time
	}
	head := fmt.Sprintf("%d:root:root::/dev/pts/0:24:80\n%s\n/bin/bash -c %s\n", p.began.Unix(),
		p.Cwd, p.Command)
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "log"), []byte(head), 0o600),
		os.WriteFile(filepath.Join(dir, "log.json"), info, 0o600),
		os.WriteFile(filepath.Join(dir, "timing"), gzipped(timing.Bytes()), 0o400),
		os.WriteFile(filepath.Join(dir, "ttyout"), gzipped(text.Bytes()), 0o600))
}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // to memory
	_ = w.Close()
	return b.Bytes()
}
