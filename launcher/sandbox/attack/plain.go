package attack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// plainBash runs the attacks that are lines of a shell. macOS has it, in a version that still has
// /dev/tcp.
const plainBash = "/bin/bash"

// tryPlain tries the attacks of plain without a sandbox, and in one of the given level. They need
// nothing of the system but a shell, so they are those of a system whose sandbox has no others.
func tryPlain(ctx context.Context, level sandbox.Level) ([]Row, error) {
	rows := make([]Row, len(plain))
	for i, line := range plain {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := line.Try(level)
		if err != nil {
			return nil, fmt.Errorf("attack %q: %w", line.Name, err)
		}
		rows[i] = row
	}
	return rows, nil
}

// Try tries one of them, each time in a world of its own.
func (l plainLine) Try(level sandbox.Level) (row Row, err error) {
	var bare error
	err = inPlainWorld(func(w *plainWorld) error {
		cmd := exec.Command(plainBash, "-c", l.line)
		cmd.Env, cmd.Dir = w.env(), w.Work
		if out, err := cmd.CombinedOutput(); err != nil {
			bare = fmt.Errorf("without a sandbox: %w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		return row, err
	}
	err = inPlainWorld(func(w *plainWorld) error {
		worked, note, receipt, err := w.sandboxed(l.line, level)
		row = Attack{Name: l.Name, Kind: l.Kind, Lost: l.Lost}.judge(level, bare, worked, receipt,
			note)
		return err
	})
	return row, err
}

// sandboxed runs a line in the sandbox, and returns whether it worked and what it printed.
func (w *plainWorld) sandboxed(line string, level sandbox.Level) (worked bool, note string,
	receipt sandbox.Receipt, err error) {
	dir, err := os.Open(w.Work)
	if err != nil {
		return false, "", receipt, err
	}
	defer dir.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return false, "", receipt, err
	}
	defer read.Close()
	p := w.profile()
	p.Require, p.Most = level, level
	process, receipt, err := sandbox.Start(p, sandbox.Command{Path: plainBash,
		Argv: []string{"bash", "-c", line}, Env: w.env(), Dir: dir,
		Files: []*os.File{nil, write, write}})
	write.Close()
	if err != nil {
		return false, "", receipt, err
	}
	text, _ := io.ReadAll(io.LimitReader(read, 300))
	_, _ = io.Copy(io.Discard, read)
	status, err := process.Wait()
	if err == nil && !status.Exited {
		err = errors.New("a signal has ended it: the sandbox does not let the shell start")
	}
	return status.Code == 0, strconv.Quote(string(text)), receipt, err
}
