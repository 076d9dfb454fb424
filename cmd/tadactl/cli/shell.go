package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

func (c *ctl) shell() *cobra.Command {
	cmd := &cobra.Command{Use: "shell"}
	cmd.AddCommand(c.shellInstall(), c.shellUninstall())
	return cmd
}

// A shellRegistration is the file of one platform that names its shell.
type shellRegistration struct {
	registration
	shell  settings.ShellPlace
	runner string
}

func (c *ctl) shellRegistration(name string) (shellRegistration, error) {
	shell, known := settings.ShellOf(name)
	if !known {
		if why := agents.Lacks(agents.OfPlatform(name), "shell"); why != "" {
			return shellRegistration{}, usagef("the shell of %q cannot be set: %s", name, why)
		}
		return shellRegistration{},
			usagef("no platform %q whose shell can be set; there are %s", name,
				settings.ShellPlatforms())
	}
	runner, err := hook.RunnerPath()
	if err != nil {
		return shellRegistration{}, err
	}
	if !shell.HasSetting() { // and so no file
		return shellRegistration{registration{}, shell, runner}, nil
	}
	r, err := c.registration(name, 0)
	if err != nil {
		return shellRegistration{}, err
	}
	home, err := os.UserHomeDir()
	// the note is about the hook
	r.file, r.Note, r.managed = shellFile(shell.Paths(home, os.Getenv)), "", shell.Managed()
	return shellRegistration{r, shell, runner}, err
}

// shellFile returns, of the existing files, the one that the platform reads last, and so the one
// that counts; otherwise the one that the platform would make.
func shellFile(paths []string) string {
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return paths[len(paths)-1]
}

// openShell returns the registration of a platform's shell, and the launcher of this account.
func (c *ctl) openShell(platform string) (shellRegistration, *launcher.Launcher, error) {
	r, err := c.shellRegistration(platform)
	if err != nil {
		return r, nil, err
	}
	l, err := c.open()
	return r, l, err
}

func (c *ctl) shellInstall() *cobra.Command {
	show := false
	cmd := verb("install "+settings.ShellPlatforms(), cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		r, l, err := c.openShell(args[0])
		if err != nil {
			return err
		}
		link := l.Home().ShellLink()
		if !show {
			if link, err = l.Settings().LinkShell(r.runner); err != nil {
				return err
			}
		}
		switch {
		case !r.shell.HasSetting():
			return c.advise(r, link)
		case show:
			text, err := r.shell.Install(nil, link)
			if err != nil {
				return err
			}
			return c.printText(r.registration, text)
		}
		return c.register(r.registration, "installed", func(was, _ []byte) ([]byte, error) {
			return r.shell.Install(was, link)
		})
	})
	cmd.Flags().BoolVar(&show, "print", false, "")
	return cmd
}

// advise prints what is left to the person.
func (c *ctl) advise(r shellRegistration, link string) error {
	text := r.shell.Advice(filepath.Dir(link), r.runner)
	return c.say(map[string]string{"platform": r.shell.Platform, "file": "", "done": "",
		"backup": "", "note": text}, "%v\n", text)
}

func (c *ctl) shellUninstall() *cobra.Command {
	return verb("uninstall "+settings.ShellPlatforms(), cobra.ExactArgs(1), func(_ *cobra.Command,
		args []string) error {
		r, l, err := c.openShell(args[0])
		if err != nil {
			return err
		}
		link := l.Home().ShellLink()
		if !r.shell.HasSetting() {
			return c.advise(r, link)
		}
		return c.unregister(r.registration, func(was, before []byte) ([]byte, error) {
			return r.shell.Uninstall(was, link, before)
		})
	})
}
