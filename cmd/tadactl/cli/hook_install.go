package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher"
)

// A registration is the hook and the file of one platform that it belongs in.
type registration struct {
	settings.Place
	hook settings.Hook
	file string
}

// registration finds where the hook of a platform belongs. This is the person's door, so $HOME is the person's.
func (c *ctl) registration(name string, wait time.Duration) (registration, error) {
	place, known := settings.Of(name)
	if !known {
		if say := insteadOf("platform", strings.ToLower(name)); say != "" {
			return registration{}, &usageError{fmt.Errorf("no hook for %q: %s", name, say)}
		}
		return registration{}, &usageError{fmt.Errorf("no platform %q; there are %s", name, platform.Names())}
	}
	if wait < 0 {
		return registration{}, &usageError{errors.New("--wait must not be negative")}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return registration{}, err
	}
	runner, err := hook.RunnerPath()
	if err != nil {
		return registration{}, fmt.Errorf("tada-run not found beside tadactl: %w", err)
	}
	h := settings.Hook{Ctl: filepath.Join(filepath.Dir(runner), "tadactl"), Wait: wait, Each: hook.Limit}
	if c.place.State != "" {
		if h.Home, err = filepath.Abs(c.place.State); err != nil {
			return registration{}, err
		}
	}
	return registration{place, h, place.Path(home, os.Getenv)}, nil
}

func (c *ctl) hookInstall() *cobra.Command {
	var wait time.Duration
	show := false
	cmd := &cobra.Command{
		Use:   "install " + platform.Names(),
		Short: "Register the hook in a platform's settings",
		Long: "Register the hook in a platform's own settings, for all its projects. The rest of the\n" +
			"file stays as it is, byte for byte; a file with comments or a syntax error is not changed.\n" +
			"The old file is saved in backup/ of the state directory, and the new one is protected: if\n" +
			"it is changed from outside, nothing runs until `tadactl tamper accept`.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
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
			return c.register(r, "installed", func(was []byte) ([]byte, error) { return r.Install(was, r.hook) })
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 0, "let a call wait this long for an approval")
	cmd.Flags().BoolVar(&show, "print", false, "print the settings for a new file; change nothing")
	return verb(cmd)
}

// printText prints what would be in a file.
func (c *ctl) printText(r registration, text []byte) error {
	if c.json {
		return c.printJSON(map[string]string{"platform": r.Platform, "file": r.file, "text": string(text)})
	}
	_, err := c.out.Write(text)
	return err
}

// register changes the file, and tells what was done.
func (c *ctl) register(r registration, word string, edit func([]byte) ([]byte, error)) error {
	l, err := c.open()
	if err != nil {
		return err
	}
	backup, err := l.Register(r.file, edit, func(text []byte) bool { return c.registers(l, r, text) })
	if errors.Is(err, settings.ErrNotJSON) {
		err = fmt.Errorf("%w; to see what to add by hand, run the same with --print", err)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]string{"platform": r.Platform, "file": r.file, "done": word, "backup": backup, "note": r.Note})
	}
	fmt.Fprintf(c.out, "%s %s\n", word, inert(r.file))
	if backup != "" {
		fmt.Fprintf(c.out, "backup %s\n", inert(backup))
	}
	if r.Note != "" && word == "installed" {
		fmt.Fprintln(c.out, r.Note)
	}
	return nil
}

// unregister takes what is ours out of the file, if there is one.
func (c *ctl) unregister(r registration, remove func([]byte) ([]byte, error)) error {
	text, err := os.ReadFile(r.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
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
	return c.register(r, word, func(was []byte) ([]byte, error) {
		if was == nil {
			return nil, nil
		}
		return remove(was)
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
	return verb(&cobra.Command{
		Use:   "uninstall " + platform.Names(),
		Short: "Remove the hook from a platform's settings",
		Long:  "Remove the hook from a platform's settings, and stop protecting the file.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := c.registration(args[0], 0)
			if err != nil {
				return err
			}
			return c.unregister(r, r.Uninstall)
		},
	})
}

func (c *ctl) hookStatus() *cobra.Command {
	return verb(&cobra.Command{
		Use:   "status [" + platform.Names() + "]",
		Short: "Show where the hook is registered, and whether that was changed",
		Long: "Show where the hook is registered: complete, other (from another version or place, or\n" +
			"changed), missing, or why the file cannot be read; and whether the file is protected, or\n" +
			"was changed from outside.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := c.open()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				for _, a := range platform.All() {
					args = append(args, a.Name)
				}
			} else {
				c.status = 1
			}
			for _, name := range args {
				r, err := c.registration(name, 0)
				if err != nil {
					return err
				}
				if err := c.printHook(l, r, len(args) == 1); err != nil {
					return err
				}
			}
			return nil
		},
	}, "1    the hook of the named platform is missing, incomplete or changed")
}

func (c *ctl) printHook(l *launcher.Launcher, r registration, asked bool) error {
	data, err := os.ReadFile(r.file)
	state := settings.Missing
	if err == nil || errors.Is(err, os.ErrNotExist) {
		state, err = r.State(data, r.hook)
	}
	word := string(state)
	if err != nil {
		word = "unreadable"
	}
	protected, change, lookErr := l.Protected(r.file)
	if lookErr != nil {
		return lookErr
	}
	guard := map[bool]string{true: "protected", false: "not protected"}[protected]
	if change != "" {
		guard = change
	}
	if asked && state == settings.Complete && change == "" {
		c.status = 0
	}
	if c.json {
		return c.printJSON(map[string]any{"platform": r.Platform, "file": r.file, "state": word, "protected": protected, "changed": change})
	}
	_, err = fmt.Fprintf(c.out, "%-12s %-10s %-13s %s\n", r.Platform, word, guard, inert(r.file))
	return err
}
