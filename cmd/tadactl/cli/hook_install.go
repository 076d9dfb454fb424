package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A registration is the hook of one platform and the file that it belongs in.
type registration struct {
	settings.Place
	hook    settings.Hook
	file    string
	managed []string
}

// registration finds where the hook of a platform belongs. The person runs this command, so $HOME
// is the person's.
func (c *ctl) registration(name string, wait time.Duration) (registration, error) {
	place, known := settings.Of(name)
	if !known {
		if why := agents.Lacks(agents.OfPlatform(name), "hook"); why != "" {
			return registration{}, usagef("no hook for %q: %s", name, why)
		}
		if say := insteadOf("platform", strings.ToLower(name)); say != "" {
			return registration{}, usagef("no hook for %q: %s", name, say)
		}
		return registration{}, usagef("no platform %q; there are %s", name, platform.Names())
	}
	if wait < 0 {
		return registration{}, usagef("--wait must not be negative")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return registration{}, err
	}
	runner, err := hook.RunnerPath()
	if err != nil {
		return registration{}, fmt.Errorf("tada-run not found beside tadactl: %w", err)
	}
	h := settings.Hook{Ctl: filepath.Join(filepath.Dir(runner), "tadactl"), Wait: wait,
		Each: hook.Limit}
	if c.place.State != "" {
		if h.Home, err = filepath.Abs(c.place.State); err != nil {
			return registration{}, err
		}
	}
	if !place.Waits(h) {
		return registration{}, usagef("%s runs a call whose hook takes so long; give a shorter "+
			"--wait than %v", name, wait)
	}
	return registration{place, h, place.Path(home, os.Getenv), place.Managed()}, nil
}

func (c *ctl) hookInstall() *cobra.Command {
	var wait time.Duration
	show := false
	cmd := verb("install "+platform.Names(), cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		r, err := c.registration(args[0], wait)
		if err != nil {
			return err
		}
		if show {
			text, err := r.Install(nil, r.hook)
			if err != nil {
				return err
			}
			return c.printText(r, text)
		}
		return c.register(r, "installed", func(was, _ []byte) ([]byte, error) {
			return r.Install(was, r.hook)
		})
	})
	cmd.Flags().DurationVar(&wait, "wait", 0, "")
	cmd.Flags().BoolVar(&show, "print", false, "")
	return cmd
}

// printText prints what would be in a file.
func (c *ctl) printText(r registration, text []byte) error {
	if c.json {
		return c.printJSON(map[string]string{"platform": r.Platform, "file": r.file,
			"text": string(text)})
	}
	_, err := c.out.Write(text)
	return err
}

// register changes the file, and reports what was done.
func (c *ctl) register(r registration, word string, change func(was, before []byte) ([]byte,
	error)) error {
	l, err := c.open()
	if err != nil {
		return err
	}
	ours := c.ours(l, r)
	ours.Change = change
	backup, err := l.Settings().Register(r.file, ours)
	if err != nil {
		return notWritten(err, word)
	}
	note := c.notes(r, word)
	if c.json {
		return c.printJSON(map[string]string{"platform": r.Platform, "file": r.file, "done": word,
			"backup": backup, "note": note})
	}
	fmt.Fprintf(c.out, "%s %s\n", word, inert(r.file))
	if backup != "" {
		fmt.Fprintf(c.out, "backup %s\n", inert(backup))
	}
	if note != "" && word == "installed" {
		fmt.Fprintln(c.out, note)
	}
	return nil
}

// notWritten is the error for a file that was left unchanged.
func notWritten(err error, word string) error {
	byHand := errors.Is(err, settings.ErrNotJSON) || errors.Is(err, os.ErrPermission) ||
		errors.Is(err, syscall.EROFS)
	switch {
	case byHand && word == "installed":
		return failf(exit.Config, "%w; to see what to add by hand, run the same with --print", err)
	case byHand, errors.Is(err, settings.ErrUnread), errors.As(err, new(*setup.NotWrittenError)):
		return &exitError{err, exit.Config}
	}
	return err
}

// notes say what else the person has to know or to do.
func (c *ctl) notes(r registration, word string) string {
	notes := r.notes(word)
	if word == "installed" {
		notes = append(notes, "To go back to before one of its calls: tadactl sessions --agent "+
			r.Platform+"; tadactl undo --since ID --agent "+r.Platform)
	}
	return strings.TrimSpace(strings.Join(notes, "\n"))
}

// notes are those about the platform.
func (r registration) notes(word string) []string {
	notes := []string{r.Note}
	for _, file := range r.managed {
		if _, err := os.Stat(file); err == nil && word == "installed" {
			notes = append(notes,
				fmt.Sprintf(
					"%s has precedence over these settings; see there whether it switches hooks "+
						"off or sets another shell.", file))
		}
	}
	return notes
}

// ours says what is of tada-run in a file.
func (c *ctl) ours(l *launcher.Launcher, r registration) setup.Registration {
	return setup.Registration{
		Strip: func(was, before []byte) ([]byte, error) { return c.strip(l, r, was, before) },
		Holds: func(text []byte) bool { return c.registers(l, r, text) },
	}
}

// strip removes both the hook and the shell from a settings file.
func (c *ctl) strip(l *launcher.Launcher, r registration, text,
	before []byte) (_ []byte, err error) {
	if r.Holds(r.file) {
		if text, err = r.Uninstall(text, before); err != nil || text == nil {
			return nil, err
		}
	}
	if shell, known := settings.ShellOf(r.Platform); known {
		return shell.Uninstall(text, l.Home().ShellLink(), before)
	}
	return text, nil
}

// unregister removes our part from the file, if there is one.
func (c *ctl) unregister(r registration, remove func(was, before []byte) ([]byte, error)) error {
	text, err := setup.Read(r.file)
	if err != nil {
		return err
	}
	l, err := c.open()
	if err != nil {
		return err
	}
	word := "uninstalled"
	if !c.registers(l, r, text) {
		word = "not installed"
	}
	return c.register(r, word, func(was, before []byte) ([]byte, error) {
		if was == nil {
			return nil, nil
		}
		return remove(was, before)
	})
}

// registers reports whether a settings file has anything of tada-run in it: the hook, or its shell.
func (c *ctl) registers(l *launcher.Launcher, r registration, text []byte) bool {
	if r.Holds(r.file) {
		if state, err := r.State(text, r.hook); err == nil && state != settings.Missing {
			return true
		}
	}
	shell, known := settings.ShellOf(r.Platform)
	installed, err := shell.Installed(text, l.Home().ShellLink())
	return known && installed && err == nil
}

func (c *ctl) hookUninstall() *cobra.Command {
	return verb("uninstall "+platform.Names(), cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		r, err := c.registration(args[0], 0)
		if err != nil {
			return err
		}
		return c.unregister(r, r.Uninstall)
	})
}
