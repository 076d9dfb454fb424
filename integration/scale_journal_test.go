package integration

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// remote makes a journal out of its export format.
const remote = "/usr/lib/systemd/systemd-journal-remote"

// sealing makes keys where the program looks for them, in a mount namespace, and becomes the
// program. The key that verifies goes into a file, which is empty where systemd cannot seal.
const sealing = `
if mount -t tmpfs none /var/log && mkdir -p /var/log/journal/$(cat /etc/machine-id) &&
	journalctl --setup-keys >"$0"
then set -- "$@" --seal=yes
fi
exec "$@"`

// verifies returns the key that verifies the journal in a folder, or nothing if it is not sealed.
func verifies(dir string) string {
	key, _ := os.ReadFile(filepath.Join(dir, "key"))
	return strings.TrimSpace(string(key))
}

// A journal is a journal file that is being written.
type journal struct {
	cmd         *exec.Cmd
	to          *bufio.Writer
	pipe        io.Closer
	said        bytes.Buffer
	first, last time.Time     // of what was recorded
	later       time.Duration // how much later it is in the journal: a sealed one begins now
}

// newJournal starts to write one in a folder, sealed if the account may make a mount namespace.
func newJournal(dir string) (*journal, error) {
	args := []string{remote, "--split-mode=none", "--output", filepath.Join(dir, "runs.journal"),
		"-"}
	if exec.Command("unshare", "--map-root-user", "--mount", "true").Run() == nil {
		args = append([]string{"unshare", "--map-root-user", "--mount", "sh", "-c", sealing,
			filepath.Join(dir, "key")}, args...)
	}
	j := &journal{cmd: exec.Command(args[0], args[1:]...)}
	j.cmd.Stdout, j.cmd.Stderr = &j.said, &j.said
	pipe, err := j.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	j.pipe, j.to = pipe, bufio.NewWriterSize(pipe, 1<<20)
	return j, errors.Join(os.MkdirAll(dir, 0o700), j.cmd.Start())
}

// add writes a run: its command, each line that it printed, and its end. A service that journald
// listens to has about twenty more fields in each entry.
func (j *journal) add(p printed) error {
	j.entry(p.began, "RUN", p.ID, "KIND", "start", "MESSAGE", p.Command, "CWD", p.Cwd)
	at, rest := p.began, ""
	for e := range p.output() {
		at = p.began.Add(e.Time)
		rest += string(e.Data)
		for {
			line, after, whole := strings.Cut(rest, "\n")
			if !whole {
				break
			}
			j.entry(at, "RUN", p.ID, "MESSAGE", strings.TrimSuffix(line, "\r"))
			rest = after
		}
	}
	if rest != "" {
		j.entry(at, "RUN", p.ID, "MESSAGE", rest)
	}
	return j.entry(at, "RUN", p.ID, "KIND", "end", "MESSAGE", p.State)
}

// entry writes one in the export format, with time going on as a journal requires.
func (j *journal) entry(at time.Time, fields ...string) error {
	if j.first.IsZero() {
		j.first, j.later = at, time.Since(at)+time.Minute
	}
	if at.Before(j.last) {
		at = j.last
	}
	j.last = at
	fmt.Fprintf(j.to, "__REALTIME_TIMESTAMP=%d\n__MONOTONIC_TIMESTAMP=%d\n_BOOT_ID=%032x\n",
		at.Add(j.later).UnixMicro(), at.Sub(j.first).Microseconds()+1, 1)
	for i := 0; i < len(fields); i += 2 {
		size := binary.LittleEndian.AppendUint64(nil, uint64(len(fields[i+1])))
		fmt.Fprintf(j.to, "%s\n%s%s\n", fields[i], size, fields[i+1])
	}
	return j.to.WriteByte('\n')
}

// close returns when the journal is whole.
func (j *journal) close() error {
	err := errors.Join(j.to.Flush(), j.pipe.Close(), j.cmd.Wait())
	if err != nil {
		err = fmt.Errorf("%w: %s", err, j.said.String())
	}
	return err
}
