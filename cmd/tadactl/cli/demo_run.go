package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A demo is one telling of the story, in a folder that is removed after it.
type demo struct {
	*ctl
	*throwaway
	runner  string // the program tada-run
	self    string // the program tadactl
	present bool   // a person is at this terminal, and answers
	pauses  bool
}

// besideOf is the program of that name in the folder of another, or the one in PATH.
func besideOf(program, name string) (string, error) {
	path := filepath.Join(filepath.Dir(program), name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside %q nor in PATH", name, program)
	}
	return filepath.Abs(path)
}

var errLeft = errors.New("left before the end")

// pause waits for Enter at a terminal. It takes one key after the other: what is typed after Enter
// is for what runs next.
func (d *demo) pause(ctx context.Context) error {
	if ctx.Err() != nil || !d.pauses {
		return ctx.Err()
	}
	fmt.Fprint(d.out, "\n[press Enter] ")
	typed := make(chan error, 1)
	go func() {
		var key [1]byte
		for {
			if _, err := d.in.Read(key[:]); err != nil || key[0] == '\n' {
				typed <- err
				return
			}
		}
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-typed:
		if errors.Is(err, io.EOF) { // Ctrl-D
			err = errLeft
		}
		return err
	}
}

// A manner is how a command is started.
type manner int

const (
	asTyped manner = iota
	quiet
	piped
)

// run prints a command and starts it in the folder. A quiet one prints no line of JSON, which after
// a refusal is for a program. For one that is piped, standard output is no terminal.
func (d *demo) run(ctx context.Context, as manner, program string, args ...string) (int, error) {
	path := map[string]string{"tada-run": d.runner, "tadactl": d.self}[program]
	words := append([]string{program, "--home", "../state"}, args...)
	fmt.Fprintln(d.out, "$ "+typable(words)+map[manner]string{piped: " | cat"}[as])
	cmd := exec.CommandContext(ctx, path)
	cmd.Args, cmd.Dir, cmd.Stdout, cmd.Stderr = words, d.work, d.out, d.err
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if d.present {
		cmd.Stdin = d.in
	}
	var said bytes.Buffer
	if as == quiet || !d.present {
		cmd.Stderr = &said
	}
	if as == piped {
		cmd.Stdout = struct{ io.Writer }{d.out}
	}
	err := cmd.Run()
	for line := range strings.Lines(said.String()) {
		if !strings.HasPrefix(line, "{") {
			fmt.Fprint(d.out, line)
		}
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) && ctx.Err() == nil {
		return exit.ExitCode(), nil
	}
	return 0, errors.Join(err, ctx.Err())
}

// typable is a command line for a shell.
func typable(words []string) string {
	last := words[len(words)-1]
	if strings.Contains(last, " ") {
		last = "'" + last + "'"
	}
	return strings.Join(words[:len(words)-1], " ") + " " + last
}
