package switches

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// switched is a file in which the key of a switch has a value, with the registration of the hook in
// it.
func switched(s Switch, key, value, registered string) string {
	if isEnv(s.File) {
		return "# " + key + "=x\nexport A=b\n" + strings.Replace(key+" = "+value, key+" = null",
			"B=c", 1) + "\n"
	}
	if strings.HasSuffix(s.File, ".toml") {
		if table, name, is := strings.Cut(key, "."); is {
			return fmt.Sprintf("# %s = %s\n[%s]\n%s = %s\n", name, value, table, name, value)
		}
		return fmt.Sprintf("%s = %s\n", key, value)
	}
	text := value
	for _, name := range slices.Backward(strings.Split(key, ".")) {
		text = fmt.Sprintf("{%q:%s}", name, text)
	}
	return strings.Replace(text, "{", `{"x":"`+registered+`",`, 1)
}

// C4: with our shell, the first command of a conversation tells what switches the hooks off, in the
// workspace and in the person's settings, whichever switch it is; the second does not, and what is
// switched on is not told.
func TestSwitchesAreTold(t *testing.T) {
	for _, s := range All() {
		if strings.HasPrefix(s.File, "/") {
			continue // as the others, but a test cannot write there
		}
		t.Run(s.Platform+" "+s.Level+" "+s.Key, func(t *testing.T) {
			agent := agents.OfPlatform(s.Platform)
			home, said := t.TempDir(), map[string]bool{}
			notices := Notices{Home: home, Tells: func(notice string) bool {
				before := said[notice]
				said[notice] = true
				return !before
			}}
			work := filepath.Join(home, "work")
			line := "tadactl hook run " + s.Platform
			lay(t, filepath.Join(work, ".git/HEAD"), "")
			for _, other := range All() {
				if other.Platform == s.Platform && strings.HasPrefix(other.File, "~/") {
					lay(t, filepath.Join(home, other.File[2:]), "")
					lay(t, filepath.Join(home, filepath.Dir(other.File)[2:], "hooks.json"),
						line)
				}
			}
			for fact := range agents.Of("shell") {
				name := path.Base(strings.ReplaceAll(fact.Words()[1], ".", "/"))
				lay(t, filepath.Join(home, fact.Words()[0][2:]),
					fmt.Sprintf(`{"x":{%q:"/proc/self/exe"}}`, name))
			}
			file := filepath.Join(work, s.File)
			if rest, is := strings.CutPrefix(s.File, "~/"); is {
				file = filepath.Join(home, rest)
			}
			marks := shellMarks()
			i := slices.IndexFunc(marks, func(m shellMark) bool { return m.agent == agent })
			if i < 0 && !strings.HasPrefix(s.File, "./") {
				return // tada-run is not its shell; hook status says what the person switches off
			}
			told := func(conversation string) string {
				if i < 0 {
					return notices.Off(s.Platform, work, conversation)
				}
				env := []string{marks[i].mark + "=1"}
				if name := marks[i].conversation; name != "" {
					env = append(env, name+"="+conversation)
				}
				return notices.OfShell(work, env)
			}
			off, on := s.value, map[string]string{"true": "false", "false": "true"}[s.value]
			if part, is := strings.CutPrefix(off, "~"); is {
				off, on = fmt.Sprintf("[%q]", "/bin/x "+part), "[]"
			}
			key, says := s.Key, "switches the hooks of "+s.Platform+" off ("
			switch off {
			case anyValue:
				off, on = `"x"`, "null"
			case shellValue:
				off, on, says = `"/bin/bash"`, `"/proc/self/exe"`,
					"starts the commands of "+s.Platform+" with another shell ("
			case firstValue:
				key = strings.TrimSuffix(key, anyValue) + "BASH_ENV"
				off, on = `"x"`, "null"
			}
			lay(t, file, switched(s, key, on, line))
			if got := told("1"); got != "" {
				t.Errorf("what is switched on: %q", got)
			}
			lay(t, file, switched(s, key, off, line))
			if got := told("2"); !strings.Contains(got, says+key+")") ||
				!strings.Contains(got, file) {
				t.Errorf("the first call: %q", got)
			}
			if got := told("2"); got != "" {
				t.Errorf("the second call: %q", got)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if got := told("3"); got != "" {
				t.Errorf("without the file: %q", got)
			}
		})
	}
}

// The variables by which a platform's commands are told are among those that its captured releases
// set.
func TestMarksAreCaptured(t *testing.T) {
	for _, m := range shellMarks() {
		if m.agent == "kilo" {
			continue // its calls were not captured; make test-clients tries its marks
		}
		files, err := filepath.Glob(filepath.Join("../../integration/testdata/clients",
			agents.Platform(m.agent), "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", m.agent, err)
		}
		var newest struct{ Env []string }
		for _, name := range files {
			var c struct{ Versions, Env []string }
			if text, err := os.ReadFile(name); err != nil || json.Unmarshal(text, &c) != nil {
				t.Fatal(name, err)
			}
			if newest.Env = append(newest.Env, c.Env...); m.conversation == "" {
				for _, v := range c.Env {
					if strings.Contains(v, "SESSION_ID") || strings.Contains(v, "THREAD_ID") {
						t.Errorf("%s tells its conversation in %s", name, v)
					}
				}
			}
		}
		for _, name := range []string{m.mark, m.conversation} {
			if name != "" && !slices.Contains(newest.Env, name) {
				t.Errorf("%s sets no %s", m.agent, name)
			}
		}
	}
}

// C4: every variable that the loader or a shell acts on before a hook's line counts, and no other:
// with LD_TRACE_LOADED_OBJECTS a program prints a list and ends with 0.
func TestWhatActsFirst(t *testing.T) {
	s := Switch{Platform: "gemini", File: "./.env", Key: anyValue, value: firstValue}
	for _, name := range strings.Fields("BASH_ENV ENV ZDOTDIR SHELLOPTS BASHOPTS " +
		"LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH LD_TRACE_LOADED_OBJECTS LD_DEBUG LD_ANY " +
		"BASH_FUNC_printf%%") {
		if got := s.Off(EnvSettings([]byte("A=b\nexport " + name + " = x\n"))); got != name {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range strings.Fields("PATH DATABASE_URL PORT NODE_ENV PYTHONPATH " +
		"BASH_SOURCE ENVIRONMENT LDFLAGS OPENAI_API_KEY") {
		if got := s.Off(EnvSettings([]byte(name + "=x\n"))); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func lay(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
