package integration

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// At a terminal the demo waits for Enter between its steps, and the person answers its question and
// types yes for the undo. Nothing is left.
func TestDemoAtATerminal(t *testing.T) {
	t.Parallel()
	for name, person := range map[string]func(*testing.T, *screen, io.Writer){
		"yes": answerYes,
		"no": func(t *testing.T, s *screen, keys io.Writer) {
			step(t, s, keys, "1/7 ", "[press Enter]", "\r")
			step(t, s, keys, "2/7 ", "[press Enter]", "\r")
			step(t, s, keys, "3/7 ", "type yes: ", "no\r")
			step(t, s, keys, "Nothing was taken back.", "[press Enter]", "\r")
			step(t, s, keys, "4/7 ", "n: deny", "n")
			step(t, s, keys, "It was not approved, so nothing ran.", "[press Enter]", "\r")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, tmp := demoPlace(t)
			s, tty := p.asPerson("exec tadactl demo")
			person(t, s, tty)
			seeTheRest(t, s, tty)
			if err := tty.Wait(); err != nil {
				t.Error(err, s.text())
			}
			if strings.Contains(s.text(), "No person answers") {
				t.Errorf("the demo answered by itself:\n%s", s.text())
			}
			nothingLeft(t, p, tmp)
		})
	}
}

// answerYes is a person who takes the deletion back, and approves the dangerous command.
func answerYes(t *testing.T, s *screen, keys io.Writer) {
	t.Helper()
	step(t, s, keys, "1/7 ", "[press Enter]", "\r")
	step(t, s, keys, "2/7 ", "[press Enter]", "\r")
	step(t, s, keys, "3/7 ", "type yes: ", "yes\r")
	step(t, s, keys, "put back; ", "[press Enter]", "\r")
	step(t, s, keys, "4/7 ", "type ", "")
	if _, err := s.showsOne(" to approve "); err != nil {
		t.Fatal(err, s.text())
	}
	words := strings.Fields(s.before())
	for _, key := range words[len(words)-1] {
		time.Sleep(20 * time.Millisecond) // a person does not type a burst of keys
		step(t, s, keys, "", "", string(key))
	}
	step(t, s, keys, "notes.txt", "[press Enter]", "\r")
}

// seeTheRest is a person who goes through the last steps.
func seeTheRest(t *testing.T, s *screen, keys io.Writer) {
	t.Helper()
	step(t, s, keys, "5/7 ", "[press Enter]", "\r")
	step(t, s, keys, "6/7 ", "[press Enter]", "\r")
	step(t, s, keys, "7/7 ", "the folder is removed", "")
}

// Ctrl-C leaves the demo at once, and --auto answers at a terminal too.
func TestDemoLeftAndAlone(t *testing.T) {
	t.Parallel()
	p, tmp := demoPlace(t)
	s, tty := p.asPerson("exec tadactl demo")
	step(t, s, tty, "1/7 ", "[press Enter]", "\x03")
	if err := tty.Wait(); err != exitStatus(130) {
		t.Error(err, s.text())
	}
	nothingLeft(t, p, tmp)
	s, tty = p.asPerson("exec tadactl demo --auto --fast")
	if err := tty.Wait(); err != nil || !strings.Contains(s.text(), "--auto was given") {
		t.Error(err, s.text())
	}
	nothingLeft(t, p, tmp)
}

// In a container without user namespaces it says so, and plays at level base.
func TestDemoAtLevelBase(t *testing.T) {
	t.Parallel()
	p, tmp := demoPlace(t)
	cmd := p.command("echo 0 > /proc/sys/user/max_user_namespaces && tadactl demo")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: same(os.Getuid()), GidMappings: same(os.Getgid()),
		AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE}}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "Permission denied") || len(out) == 0 {
		t.Skip("no user namespaces here")
	}
	if err != nil || !strings.Contains(string(out), "level base") ||
		!strings.Contains(string(out), "the folder is removed. Next: ") {
		t.Errorf("%v\n%s", err, out)
	}
	nothingLeft(t, p, tmp)
}

// step waits for two texts, one after the other, and types.
func step(t *testing.T, s *screen, keys io.Writer, first, then, types string) {
	t.Helper()
	for _, text := range []string{first, then} {
		if err := s.shows(text); err != nil {
			t.Fatal(err, s.text())
		}
	}
	if types == "" {
		return
	}
	if _, err := io.WriteString(keys, types); err != nil {
		t.Fatal(err)
	}
}

// demoPlace is a place with a folder for temporary files.
func demoPlace(t *testing.T) (*place, string) {
	t.Helper()
	p := newPlace(t)
	tmp := filepath.Join(filepath.Dir(p.dir), "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "TMPDIR="+tmp)
	return p, tmp
}

// nothingLeft checks that there is no file, and no entry of the record.
func nothingLeft(t *testing.T, p *place, tmp string) {
	t.Helper()
	files, err := os.ReadDir(tmp)
	if err != nil || len(files) > 0 {
		t.Errorf("left: %v, %v", files, err)
	}
	if out := p.run("tadactl audit head"); !strings.Contains(out, "nothing is recorded") {
		t.Errorf("the record has something: %s", out)
	}
}
