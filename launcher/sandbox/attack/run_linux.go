//go:build amd64 || arm64

package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// List returns every attack, by kind.
func List() []Attack {
	var all []Attack
	for _, group := range []struct {
		kind    string
		attacks []Attack
	}{
		{"files", files}, {"handles", slices.Concat(handles, roundabout)}, {"hidden", hidden},
		{"guarded", guarded},
		{"linked", linked}, {"shared", slices.Concat(shared, customs)},
		{"set-uid", setIDs},
		{"sockets", slices.Concat(sockets, detours, locals, beside, publics)},
		{"processes", slices.Concat(processes, neighbours)}, {"objects", objects},
		{"namespaces", namespaces},
		{"kernel", backRooms}, {"machine", machine}, {"terminal", terminals},
		{"programs", programs},
	} {
		for _, a := range group.attacks {
			a.Kind = group.kind
			all = append(all, a)
		}
	}
	return all
}

// Main plays the attacker when args, which are os.Args, say so; mine is false in every other case,
// and nothing has been done. The code is 0 when the attack worked, 1 when it was refused, 2 when
// the attacker itself failed.
func Main(args []string) (code int, mine bool) {
	if len(args) != 2 || args[0] != argv0 {
		return 0, false
	}
	if args[1] == "" { // the decoy: it is only there
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0, true
	}
	runtime.LockOSThread()
	var w World
	if err := json.Unmarshal([]byte(os.Getenv(worldKey)), &w); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2, true
	}
	races = w.Races
	// In a private pid namespace the number may be another process's.
	if birth(w.Launcher) != w.LauncherBirth {
		w.Launcher = 1 << 30
	}
	if birth(w.Decoy) != w.DecoyBirth {
		w.Decoy = 1 << 30
	}
	for _, a := range List() {
		if a.Name == args[1] {
			if err := a.try(w); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1, true
			}
			return 0, true
		}
	}
	fmt.Fprintf(os.Stderr, "no attack %q\n", args[1])
	return 2, true
}

// Run tries every attack without a sandbox and behind one of the given level, some at a time, and
// returns a row for each in the order of List. An error means that the table is not whole: the
// context ended, or the machine cannot give the level.
func Run(ctx context.Context, level sandbox.Level) ([]Row, error) {
	list := List()
	rows, errs := make([]Row, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2*runtime.NumCPU())
	for i, a := range list {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			if errs[i] = ctx.Err(); errs[i] != nil {
				return
			}
			row, err := a.Try(level)
			if errs[i] = err; err == nil {
				rows[i] = row[0]
			}
		}()
	}
	wg.Wait()
	return rows, errors.Join(errs...)
}

// Try tries one attack without a sandbox, once, and behind one of each given level. Attacks by
// sockets are also tried behind one that reaches one host, and the row is the worse of both.
func (a Attack) Try(levels ...sandbox.Level) ([]Row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var bare error
	if a.Root && os.Geteuid() != 0 {
		bare = errors.New("without a sandbox it takes root")
	} else if bare, err = inWorld(self,
		func(w *World) (error, error) { return w.bare(self, a.Name) }); err != nil {
		return nil, err
	}
	var rows []Row
	for _, level := range levels {
		row, err := a.tryBehind(self, level, bare)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// tryBehind tries the attack behind a level's sandbox, of which there may be two.
func (a Attack) tryBehind(self string, level sandbox.Level, bare error) (Row, error) {
	row, err := a.behind(self, level, bare, a.near)
	if errors.Is(err, sandbox.ErrNoAnswers) {
		return Row{Name: a.Name, Kind: a.Kind, Level: level, Outcome: Unproven, Note: err.Error()},
			nil
	}
	if a.near || err != nil || a.Kind != "sockets" || row.Outcome == Broken {
		return row, err
	}
	other, err := a.behind(self, level, bare, true)
	if errors.Is(err, sandbox.ErrNoAnswers) { // such a sandbox cannot be had here
		return row, nil
	}
	if other.Outcome == Broken {
		other.Note = strings.TrimSuffix("network by host: "+other.Note, ": ")
		return other, err
	}
	return row, err
}

// behind tries the attack behind a sandbox, without a network or with one that reaches a host.
func (a Attack) behind(self string, level sandbox.Level, bare error,
	hosts bool) (row Row, err error) {
	_, err = inWorld(self, func(w *World) (error, error) {
		w.hosts, w.serves = hosts, a.serves
		worked, receipt, note, err := w.sandboxed(self, level, a.Name)
		row = a.judge(level, bare, worked, receipt, note)
		return nil, err
	})
	if err != nil {
		return Row{}, fmt.Errorf("attack %q: %w", a.Name, err)
	}
	return row, nil
}

// inWorld calls f with a world of its own: attacks that work destroy theirs.
func inWorld(self string, f func(*World) (error, error)) (error, error) {
	w, err := newWorld(self)
	if err != nil {
		return nil, err
	}
	defer w.close()
	done := make(chan struct{})
	defer close(done)
	go w.visit(done)
	return f(w)
}

// apart are attacks that would change this machine: without a sandbox they get mounts and a network
// of their own.
var apart = strings.Fields("umount setns mount open_tree remount change swap unshare")

// bare runs the attacker without a sandbox. The first error is the attacker's. A race that can be
// won ends early, so fewer tries than usual would save nothing.
func (w *World) bare(self, name string) (error, error) {
	free := *w
	free.Races = max(races, usualRaces)
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	cmd := exec.CommandContext(ctx, self)
	cmd.Args, cmd.Env, cmd.Stdin, cmd.ExtraFiles = []string{argv0, name}, free.env(), w.tty,
		[]*os.File{w.leak}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	first, _, _ := strings.Cut(name, " ")
	for _, word := range apart {
		if first == word && os.Geteuid() == 0 {
			cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWNET
		}
	}
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &exit) && exit.ExitCode() != 2:
		return fmt.Errorf("without a sandbox: %v: %s", err, bytes.TrimSpace(text.Bytes())), nil
	case cmd.SysProcAttr.Unshareflags != 0 && errors.Is(err, unix.EPERM): // a container's root
		return errors.New("without a sandbox it takes mounts of its own, which are refused here"),
			nil
	}
	return nil, fmt.Errorf("attack %q without a sandbox: %w: %s", name, err, text.Bytes())
}

// sandboxed runs the attacker behind a sandbox.
func (w *World) sandboxed(self string, level sandbox.Level,
	name string) (worked bool, r sandbox.Receipt, note string, err error) {
	out, in, err := os.Pipe()
	if err != nil {
		return false, r, "", err
	}
	defer out.Close()
	w.Level = level.String()
	process, r, err := sandbox.Start(w.profile(self, level), sandbox.Command{
		Path: self, Argv: []string{argv0, name}, Env: w.env(), Files: []*os.File{w.tty, in, in},
		TTY: 0, HasTTY: true,
	})
	in.Close()
	if err != nil {
		return false, r, "", err
	}
	timer := time.AfterFunc(patience(), process.Kill)
	defer timer.Stop()
	text, _ := io.ReadAll(out)
	s, err := process.Wait()
	note = strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; ") // a row is a line
	switch {
	case err != nil:
	case s.Signal == unix.SIGSYS:
		note = "killed by the filter"
	case s.Exited && s.Code == 2:
		err = fmt.Errorf("the attacker itself failed: %s", note)
	}
	return s.Exited && s.Code == 0, r, note, err
}
