package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox/gitmeta"
	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
)

// J3: whatever setting git runs something by, setting it in a command line needs approval, and a
// command that leaves it in a repository has it taken back.
func TestGitSettingsAreOneTable(t *testing.T) {
	git, _ := command.Lookup("git")
	for e := range catalog.GitTable().Entries() {
		first, _ := e.First()
		value, want := "/w/evil --x", first != "harmless" && first != "pushes"
		if e.Has("address") {
			value = "ext::/w/evil"
		}
		if e.Has("helper") {
			value = "!" + value
		}
		key := strings.Replace(e.Key, "*", "x", 1)
		section, name := key[:strings.LastIndexAny("."+key, ".")],
			key[strings.LastIndexByte(key, '.')+1:]
		section = strings.TrimSuffix(section, ".")
		if section == "" {
			section = "y" // an ending of whatever section
		}
		for _, line := range [][]string{
			{"git", "config", section + "." + name, value},
			{"git", "-c", section + "." + name + "=" + value, "status"},
		} {
			var asks bool
			for _, h := range git.Match(words(line)).Hazards {
				asks = asks || h.Rule == "git.config-exec"
			}
			if asks != want {
				t.Errorf("%q: needs approval: %v", line, asks)
			}
		}
		if got := len(left(t, section, name, value)) > 0; got != want {
			t.Errorf("%s.%s = %s: taken back: %v", section, name, value, got)
		}
	}
}

func words(line []string) (args []command.Arg) {
	for _, w := range line {
		args = append(args, command.Arg{Text: w, Static: true})
	}
	return args
}

// left is what a command leaves that puts the setting into a repository.
func left(t *testing.T, section, name, value string) []gitmeta.Change {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".git")
	config := filepath.Join(dir, "config")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o700))
	must(os.WriteFile(filepath.Join(dir, "HEAD"), []byte("x"), 0o600))
	must(os.WriteFile(config, []byte("[user]\n"), 0o600))
	before := gitmeta.Look([]string{filepath.Dir(dir)}, 100)
	head, sub, has := strings.Cut(section, ".")
	if has {
		head += ` "` + sub + `"`
	}
	must(os.WriteFile(config, []byte("["+head+"]\n\t"+name+" = "+value+"\n"), 0o600))
	return before.Changes()
}
