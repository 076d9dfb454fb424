package sandbox

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// announced notes what it is told, and what was there at that moment.
type announced struct {
	mu    sync.Mutex
	lines []string
}

func (a *announced) add(format string, args ...any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
	return nil
}

// present says what an entry is.
func present(dir int, name string) string {
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return "none"
	}
	return map[uint32]string{unix.S_IFREG: "file", unix.S_IFDIR: "folder",
		unix.S_IFLNK: "link"}[st.Mode&unix.S_IFMT]
}

func (a *announced) IsNew(int64) bool { return false }

func (a *announced) MakeNext(int, string, string) bool { return false }

func (a *announced) Make(dir int, in, name string) error {
	return a.add("make %s/%s %s", in, name, present(dir, name))
}

func (a *announced) Remove(dir int, in, name string) error {
	return a.add("remove %s/%s %s", in, name, present(dir, name))
}

func (a *announced) Move(dir int, in, name string, to int, toIn, toName string,
	exchange bool) error {
	how := "move"
	if exchange {
		how = "exchange"
	}
	return a.add("%s %s/%s %s %s/%s %s", how, in, name, present(dir, name), toIn, toName,
		present(to, toName))
}

func (a *announced) Write(handle int, full string) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", handle))
	if err != nil {
		return a.add("write %s folder", full)
	}
	return a.add("write %s %q", full, text)
}

func (a *announced) Mark(handle int, full string) error {
	var st unix.Stat_t
	_ = unix.Fstat(handle, &st)
	return a.add("mark %s %o", full, st.Mode&0o777)
}

func (a *announced) Miss(name, why string) { _ = a.add("miss %s %s", name, why) }

//go:embed testdata/changes.txt
var changesText string

// Each change in a writable tree is announced before it is made, at either level, by whatever call
// and under whatever name.
func TestChangesAreAnnounced(t *testing.T) {
	for _, test := range blocks(changesText) {
		levels(t, func(t *testing.T, p Profile) {
			t.Run(test.name, func(t *testing.T) {
				heard := &announced{}
				p.Changes = &broker.Capture{Changes: heard}
				work := p.Write[0].Name
				for _, name := range []string{"/d/e", "/x"} {
					must(t, os.MkdirAll(work+name, 0o755))
				}
				for _, name := range []string{"/a", "/b", "/d/f"} {
					must(t, os.WriteFile(work+name, []byte(name), 0o644))
				}
				must(t, os.Symlink("a", work+"/to-a"))
				must(t, os.Symlink("d", work+"/to-d"))
				must(t, os.Symlink("new", work+"/to-new"))
				_, text := shell(t, p, "umask 022; cd "+work+"; "+test.script)
				if text != "" {
					t.Error(text)
				}
				heard.mu.Lock()
				defer heard.mu.Unlock()
				got := strings.ReplaceAll(strings.Join(heard.lines, "\n")+"\n", work, "W")
				if got != test.want {
					t.Errorf("%s, want\n%s", got, test.want)
				}
			})
		})
	}
}
