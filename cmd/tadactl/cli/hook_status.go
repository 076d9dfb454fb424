package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/integration/hook/settings"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/setup"
	"github.com/tada-run/tada-run/launcher/switches"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

func (c *ctl) hookStatus() *cobra.Command {
	return verb("status ["+platform.Names()+"]", cobra.MaximumNArgs(1),
		c.opened(func(l *launcher.Launcher, cmd *cobra.Command, args []string) error {
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
				if err := c.printHook(cmd.Context(), l, r, len(args) == 1); err != nil {
					return err
				}
			}
			return nil
		}))
}

func (c *ctl) printHook(ctx context.Context, l *launcher.Launcher, r registration,
	asked bool) error {
	data, err := setup.Read(r.file)
	state := settings.Missing
	if err == nil {
		state, err = r.State(data, r.hook)
	}
	word := string(state)
	if err != nil {
		word = "unreadable"
	}
	protected, change, lookErr := l.Settings().Protected(r.file)
	if lookErr != nil {
		return lookErr
	}
	guard := map[bool]string{true: "protected", false: "not protected"}[protected]
	if change != "" {
		guard = change
	}
	answers := ""
	off := []string{}
	if state == settings.Complete {
		answers = r.canary(ctx, change != "")
		if off = r.off(); len(off) > 0 {
			word = "off"
		}
	}
	if asked && word == string(settings.Complete) && change == "" && answers == "" {
		c.status = 0
	}
	if c.json {
		return c.printJSON(map[string]any{"platform": r.Platform, "file": r.file, "state": word,
			"protected": protected, "changed": change,
			"answers": state == settings.Complete && answers == "", "problem": answers, "off": off})
	}
	fmt.Fprintf(c.out, "%-12s %-10s %-13s %s\n", r.Platform, word, guard, inert(r.file))
	for _, why := range off {
		fmt.Fprintf(c.out, "%-12s %s\n", "", visible(why))
	}
	if answers != "" {
		fmt.Fprintf(c.out, "%-12s %s\n", "", visible(answers))
	}
	return nil
}

// canary starts what is registered as the platform starts it, and returns what is wrong with its
// answers: to a harmless call, and to an unreadable one, which must be blocked. While a person has
// to review changed files, every call is blocked.
func (r registration) canary(ctx context.Context, changed bool) string {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	try := func(call []byte) (int, string, error) {
		argv := r.hook.Argv(r.Platform)
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdin = bytes.NewReader(call)
		var out, reason bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &reason
		err := cmd.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			return 0, "", err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(reason.String()), "\n")
		if err == nil && !json.Valid(out.Bytes()) {
			first = "its answer is not JSON"
		}
		return cmd.ProcessState.ExitCode(), first, nil
	}
	status, reason, err := try([]byte("{}"))
	switch {
	case err != nil:
		return "it cannot be started: " + err.Error()
	case status != 2 || reason == "":
		return fmt.Sprintf("it does not block: a call that cannot be read ends with status %d",
			status)
	}
	switch status, reason, err = try(platform.Canary(r.Platform, dir)); {
	case err != nil:
		return "it cannot be started: " + err.Error()
	case changed && status == 2:
		return ""
	case status != 0 || reason != "":
		return fmt.Sprintf("it lets nothing pass here: a harmless call ends with status %d: %s",
			status, reason)
	}
	return ""
}

// off lists what turns the hooks of the platform off, for this account on this machine in this
// directory.
func (r registration) off() []string { return append(r.switchedOff(), r.untrusted()...) }

// untrusted says that the platform skips the hook until the user trusts it.
func (r registration) untrusted() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // switchedOff says so
	}
	trust := agents.First(agents.OfPlatform(r.Platform), "trust")
	if trust == "" || r.trusted(filepath.Join(r.Folder(home, os.Getenv), trust)) {
		return nil
	}
	return []string{fmt.Sprintf("%[1]s was not told to trust the hook, and skips it: "+
		"start %[1]s and trust it there (/hooks)", r.Platform)}
}

// switchedOff lists the settings that switch the hooks off, or take another shell.
func (r registration) switchedOff() (list []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return []string{err.Error()}
	}
	dir, err := os.Getwd()
	if err != nil {
		return []string{err.Error()}
	}
	read := map[string]map[string]any{}
	for _, s := range switches.All() {
		if s.Platform != r.Platform || s.TakesShell() && !switches.OwnShell(r.Platform, home,
			r.Folder(home, os.Getenv)) {
			continue
		}
		for _, path := range s.Files(home, r.Folder(home, os.Getenv), dir, switches.Top(dir)) {
			values, seen := read[path]
			if !seen {
				values, err = decodeSettings(path)
				if read[path] = values; err != nil {
					list = append(list, err.Error())
				}
			}
			if key := s.Off(values); key != "" && s.TakesShell() {
				list = append(list, s.Says(path, key))
			} else if key != "" {
				list = append(list, fmt.Sprintf("switched off in %s (%s settings): %s", path,
					s.Level, key))
			}
		}
	}
	return list
}

// decodeSettings reads a file of a platform. A missing file is empty.
func decodeSettings(path string) (values map[string]any, err error) {
	data, err := setup.Read(path)
	switch {
	case err != nil || data == nil:
		return nil, err
	case strings.HasSuffix(path, ".toml"):
		err = toml.Unmarshal(data, &values)
	case filepath.Base(path) == ".env":
		values = switches.EnvSettings(data)
	default:
		values, err = settings.Values(data)
	}
	if err != nil {
		err = fmt.Errorf("%s cannot be read, and may switch the hook off: %w", path, err)
	}
	return values, err
}

// trusted reports whether the user allowed the platform to start the hook, in a file in which the
// platform stores a hash for each hook.
func (r registration) trusted(config string) bool {
	values, err := decodeSettings(config)
	if err != nil {
		return false
	}
	hooks, _ := values["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for name, v := range state {
		entry, _ := v.(map[string]any)
		hash, _ := entry["trusted_hash"].(string)
		if strings.HasPrefix(name, r.file) && hash != "" && entry["enabled"] != false {
			return true
		}
	}
	return false
}
