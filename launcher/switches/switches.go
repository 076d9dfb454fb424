package switches

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A Switch is a setting by which the program of an agent stops calling hooks, or starts its
// commands with another shell.
type Switch struct{ Platform, Level, File, Key, value string }

// The words for values that are no one text, in the facts about agents.
const (
	anyValue   = "*"
	firstValue = "first"
	shellValue = "shell"
)

// All are those of all agents.
var All = sync.OnceValue(func() (list []Switch) {
	for fact := range agents.Of("switch") {
		f := fact.Words()
		s := Switch{agents.Platform(fact.Agent), f[0], f[1], f[2], strings.Join(f[3:], " ")}
		list = append(list, s)
	}
	return list
})

// Files are the files of a switch that there may be: for a person with this home, whose settings of
// the platform are in folder, in the directory and in those above it up to the top of its
// workspace.
func (s Switch) Files(home, folder, dir, top string) (list []string) {
	switch name := s.File; {
	case strings.HasPrefix(name, "~/"):
		if folder == "" {
			return []string{filepath.Join(home, name[2:])}
		}
		_, inside, _ := strings.Cut(name[2:], "/")
		for fact := range agents.Of("settings") {
			if below, is := strings.CutPrefix(name, fact.Words()[0]+"/"); is {
				inside = below
			}
		}
		return []string{filepath.Join(folder, inside)}
	case strings.HasPrefix(name, "./"):
		for {
			list = append(list, filepath.Join(dir, name))
			up := filepath.Dir(dir)
			if dir == top || up == dir || !strings.HasPrefix(dir, top+"/") {
				return list
			}
			dir = up
		}
	default:
		list, _ = filepath.Glob(name)
		return list
	}
}

// Off returns the key in settings that were read which switches the hooks off, the hook of this
// program among them, or takes another shell; "" where none does.
func (s Switch) Off(settings map[string]any) string {
	var v any = settings
	names := strings.Split(s.Key, ".")
	for _, name := range names {
		o, _ := v.(map[string]any)
		if name == anyValue {
			return s.first(o)
		}
		v = o[name]
	}
	text, _ := v.(string)
	if part, ok := strings.CutPrefix(s.value, "~"); ok {
		list, _ := v.([]any)
		if !slices.ContainsFunc(list,
			func(each any) bool { t, _ := each.(string); return strings.Contains(t, part) }) {
			return ""
		}
		return s.Key
	}
	switch {
	case v == nil, s.value == shellValue && shell.IsSelf(text):
		return ""
	case s.value == shellValue, s.value == anyValue, fmt.Sprint(v) == s.value:
		return s.Key
	}
	return ""
}

// first returns the key of a variable that a shell or the loader of programs acts on before
// anything else.
func (s Switch) first(variables map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if variables[name] != nil && environ.ActsFirst(name) {
			return strings.TrimSuffix(s.Key, anyValue) + name
		}
	}
	return ""
}

// isEnv reports whether a file is variables of the environment, one a line.
func isEnv(path string) bool { return filepath.Base(path) == ".env" }

// EnvSettings reads such a file as settings. How a value is written does not matter here.
func EnvSettings(data []byte) map[string]any {
	values := map[string]any{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if name = strings.TrimSpace(name); name != "" {
			values[name] = strings.TrimSpace(value)
		}
	}
	return values
}

// notice is that a file of settings switches the hooks of a platform off; "" where it does not.
func (s Switch) notice(path string) string {
	data, err := readSmall(path)
	if err != nil {
		return ""
	}
	key, word := "", s.Key[strings.LastIndexByte(s.Key, '.')+1:]
	if strings.HasSuffix(path, ".toml") {
		if regexp.MustCompile(`(?m)^[^#\n]*\b` + word + `["']?[ \t]*=[ \t]*` + s.value +
			`\b`).Match(data) {
			key = s.Key
		}
	} else if isEnv(path) {
		key = s.Off(EnvSettings(data))
	} else {
		var settings map[string]any
		if err := json.Unmarshal(data, &settings); err != nil &&
			bytes.Contains(data, []byte(`"`+strings.TrimSuffix(word, anyValue))) {
			return fmt.Sprintf("%s cannot be read as JSON, and may switch the hooks of %s off; "+
				"see: tadactl hook status %s", path, s.Platform, s.Platform)
		}
		key = s.Off(settings)
	}
	if key == "" {
		return ""
	}
	return fmt.Sprintf("%s; see: tadactl hook status %s", s.Says(path, key), s.Platform)
}

// Says returns the text of what a file does with a key that [Switch.Off] returned.
func (s Switch) Says(path, key string) string {
	if s.value == shellValue {
		return fmt.Sprintf("%s starts the commands of %s with another shell (%s): they are "+
			"checked only by the hook, if at all", path, s.Platform, key)
	}
	return fmt.Sprintf("%s switches the hooks of %s off (%s): its file tools and other tools are "+
		"not checked", path, s.Platform, key)
}

// TakesShell reports whether the switch is for the shell, which counts without a hook too.
func (s Switch) TakesShell() bool { return s.value == shellValue }

// OwnShell reports whether the settings of a user with this home, or those in folder, name this
// program as the shell of a platform.
func OwnShell(platform, home, folder string) bool {
	for fact := range agents.Of("shell") {
		f := fact.Words()
		if agents.Platform(fact.Agent) != platform {
			continue
		}
		paths := []string{filepath.Join(home, strings.TrimPrefix(f[0], "~"))}
		if folder != "" {
			paths = append(paths, filepath.Join(folder, filepath.Base(f[0])))
		}
		for _, path := range paths {
			data, _ := readSmall(path)
			word := f[1][strings.LastIndexByte(f[1], '.')+1:]
			for _, m := range regexp.MustCompile(`"`+word+`"\s*:\s*"([^"]*)"`).FindAllSubmatch(data,
				-1) {
				if shell.IsSelf(string(m[1])) {
					return true
				}
			}
		}
	}
	return false
}

// Top is the nearest folder with a repository at or above a directory, the directory itself where
// there is none.
func Top(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// maxProject bounds a file of settings that is read before each command.
const maxProject = 1 << 20

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path) // a FIFO would hold the run
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("no file: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxProject))
}
