package switches

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/client"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// Notices tell a person what switches hooks off, each once.
type Notices struct {
	Home string // of the account
	// Tells reports whether a notice has to be written now, and remembers that it was.
	Tells func(notice string) bool
}

// Off returns what a person has to know at the first call of a conversation: that the
// workspace switches the platform's hooks off. It is "" if it does not, or if that was reported
// before in this conversation. Only the repository's JSON is read: the other files count only if a
// person trusts the folder, and then there is no hook that could ask here.
func (n Notices) Off(platform, dir, conversation string) string {
	return n.off(platform, conversation, func(s Switch) []string {
		if !strings.HasPrefix(s.File, "./") || !strings.HasPrefix(filepath.Ext(s.File), ".json") {
			return nil
		}
		return s.Files("", "", dir, Top(dir))
	})
}

func (n Notices) off(platform, conversation string, files func(Switch) []string) string {
	for _, s := range All() {
		if s.Platform != platform || s.TakesShell() && !OwnShell(platform, n.Home, "") {
			continue
		}
		for _, path := range files(s) {
			if notice := s.notice(path); notice != "" && n.Tells(notice+"\n"+conversation) {
				return notice
			}
		}
	}
	return ""
}

// hooked reports whether the hook of this program is registered with a platform: in a file of its
// own, or in the files of a person's that can switch it off or beside them.
func hooked(platform string, outer func(string) string) bool {
	for fact := range agents.Of("settings") {
		if agents.Platform(fact.Agent) != platform {
			continue
		}
		data, err := readSmall(outer(fact.Words()[0] + "/" + fact.Words()[1]))
		if err == nil && bytes.Contains(data, []byte(`"hook","run","`+platform+`"`)) {
			return true
		}
	}
	return slices.ContainsFunc(All(), func(s Switch) bool {
		if s.Platform != platform || !strings.HasPrefix(s.File, "~/") {
			return false
		}
		file := outer(s.File)
		return slices.ContainsFunc([]string{file, filepath.Join(filepath.Dir(file), "hooks.json")},
			func(path string) bool {
				data, err := readSmall(path)
				return err == nil && bytes.Contains(data, []byte("hook run "+platform))
			})
	})
}

// A shellMark is a variable that identifies a platform's commands, and the one with its
// conversation; "" for none.
type shellMark struct{ agent, mark, conversation string }

func shellMarks() (list []shellMark) {
	for fact := range agents.Of("conversation") {
		mark, conversation, _ := strings.Cut(fact.Text(), " ")
		list = append(list, shellMark{fact.Agent, mark, conversation})
	}
	return list
}

// OfShell is [Notices.Off] for a command of an agent whose shell this is. Where the hook is
// registered too, it has also what the person and the machine switch off.
func (n Notices) OfShell(dir string, variables []string) string {
	env := map[string]string{}
	for _, each := range variables {
		name, value, _ := strings.Cut(each, "=")
		env[name] = value
	}
	for _, m := range shellMarks() {
		if env[m.mark] == "" {
			continue
		}
		platform := agents.Platform(m.agent)
		if notice := n.Off(platform, dir, env[m.conversation]); notice != "" {
			return notice
		}
		place := client.Place(m.agent, n.Home, env)
		if !hooked(platform, place) {
			return ""
		}
		return n.off(platform, env[m.conversation], func(s Switch) []string {
			if strings.HasPrefix(s.File, "~/") {
				return []string{place(s.File)}
			}
			return s.Files("", "", dir, Top(dir))
		})
	}
	return ""
}
