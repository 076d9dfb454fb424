package integration

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A conversation is what an agent's model runs in one task, call by call, and the repository that
// it works in.
type conversation struct {
	calls []spoken
	files []txtar.File
}

// A spoken call is one that the model makes, and what may differ from plain bash.
type spoken struct {
	text    string
	rule    string // that asks
	why     string
	differs []difference
}

// A difference is the text that a result has instead, in the ways of calling that a pattern
// matches.
type difference struct {
	door, shows, why string
	both             bool // that of plain bash has it too
}

func readConversation(t *testing.T) (c conversation) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/conversation.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(archive.Comment)) {
		mark, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if mark == "$" {
			c.calls = append(c.calls, spoken{text: text})
			continue
		}
		if len(c.calls) == 0 {
			continue
		}
		call := &c.calls[len(c.calls)-1]
		switch {
		case mark == ">":
			call.text += "\n" + text
		case mark == "?":
			call.rule, call.why, _ = strings.Cut(text, " ")
		case strings.HasPrefix(mark, "~"), strings.HasPrefix(mark, "="):
			i := strings.LastIndex(text, ": ")
			call.differs = append(call.differs,
				difference{cmp.Or(mark[1:], "*/*"), text[:i], text[i+2:], mark[0] == '='})
		}
	}
	c.files = archive.Files
	return c
}

// conversationEnv makes two runs of the same calls identical, commits too.
var conversationEnv = []string{
	"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "TZ=UTC",
	"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A",
	"GIT_COMMITTER_EMAIL=a@example.com",
	"npm_config_update_notifier=false", "GOTOOLCHAIN=local", "GOPROXY=off",
	"GOCACHE=" + os.Getenv("GOCACHE"),
}

// begin makes the repository in a folder, with two commits, and deletes what was there.
func (c conversation) begin(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, f := range c.files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	c.plain(t, dir, "chmod -R u=rwX,go=rX . && git init -q -b main && git add README.md .gitignore && git commit -qm first && git add . && git commit -qm second")
}

// plain makes a call without us.
func (c conversation) plain(t *testing.T, dir, text string) string {
	t.Helper()
	cmd := exec.Command("/bin/bash", "-c", text)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), conversationEnv...)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// asking matches the answer to a call that waits for an approval, with the rule.
var asking = pattern(`"status":"pending".*?"rule":"([^"]*)"`)

// compare compares the result of a call made one way, CLIENT/DOOR, with that of plain bash. It
// returns what is wrong, or why they may differ.
func (s spoken) compare(door, plain, got string) (wrong, why string) {
	asked := ""
	if m := asking().FindStringSubmatch(strings.ReplaceAll(got, `\"`, `"`)); m != nil {
		asked = m[1]
	}
	if asked != s.rule {
		return fmt.Sprintf("it asks by the rule %q, and was to ask by %q", asked, s.rule), ""
	}
	if asked != "" {
		return "", "asked: " + s.why
	}
	if got == plain {
		return "", ""
	}
	for _, d := range s.differs {
		if matches, _ := path.Match(d.door, door); !matches {
			continue
		}
		if !strings.Contains(got, d.shows) || d.both && !strings.Contains(plain, d.shows) {
			return fmt.Sprintf("the result was to have %q", d.shows), ""
		}
		return "", d.why
	}
	return "the result is another", ""
}

// TestConversationLines makes the calls of the conversation with bash and with tada-run as the
// shell: they print the same, except for what the file lists.
func TestConversationLines(t *testing.T) {
	need(t, "git", "go", "node", "npm", "python3", "make", "jq", "curl")
	c := readConversation(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	shell := filepath.Join(base, "bin", "bash")
	if err := os.Mkdir(filepath.Dir(shell), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, shell); err != nil {
		t.Fatal(err)
	}
	plain, judged := c.lines(t, base, "/bin/bash"), c.lines(t, base, shell)
	for i, call := range c.calls {
		if wrong, _ := call.compare("lines/shell", plain[i], judged[i]); wrong != "" {
			t.Errorf("call %d: %s: %s\nwith bash:\n%s\nwith tada-run:\n%s", i+1, wrong, call.text,
				plain[i], judged[i])
		}
	}
}

// lines makes the calls in a fresh repository and returns the result of each.
func (c conversation) lines(t *testing.T, base, shell string) (results []string) {
	t.Helper()
	work, home := filepath.Join(base, "work"), filepath.Join(base, "home")
	c.begin(t, work)
	for _, call := range c.calls {
		cmd := exec.Command(shell, "-c", call.text)
		cmd.Dir = work
		cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
			"TERM=xterm", "TMPDIR=" + os.TempDir(),
			"TRANSCRIPT_HOME=" + filepath.Join(base, "state")}, conversationEnv...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if call.rule != "" && shell != "/bin/bash" {
			c.plain(t, work, call.text)
		}
		results = append(results, strings.ReplaceAll(out.String(), shell,
			"/bin/bash")+cmd.ProcessState.String())
	}
	return results
}
