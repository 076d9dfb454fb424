package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// C-8.2.1, C-8.2.2, E-tko-1, E-tko-2: a person watches, takes control, runs three steps, is shown
// what is reported and hands back. During that the other side's keys are dropped, and the
// transcript says who typed each byte.
func TestTakeover(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 100, 30)
	b := d.window("b", 90, 24)
	a.line("echo from the first")
	a.shows("\nfrom the first")
	b.line("tadactl attach " + id)
	b.shows("from the first")
	b.shows("owner has control")
	b.types("x")
	b.shows("you are only watching")
	b.types("", "C-]", "t")
	b.shows("You are in control")
	a.shows("took over")
	a.types("echo late") // goes nowhere
	a.rings()
	b.shows("inner$")
	b.step("stty size; touch made")
	b.shows("23 90") // the size follows who drives
	b.step("cd /tmp")
	b.step("(exit 3)")
	b.types("", "C-]", "g")
	b.shows("give back? y/n")
	b.types("n")
	b.until("asks no more", func(s string) bool { return !strings.Contains(s, "y/n") })
	b.types("", "C-]", "g")
	b.shows("give back? y/n")
	b.types("y")
	a.shows("gave control back")
	a.line("stty size")
	a.shows("30 100")
	a.line("exit")
	a.shows("outer>")
	b.shows("ended with status 0")

	if strings.Contains(d.run("tadactl replay --no-wait "+id), "echo late") {
		t.Error("the keys of who did not drive reached the program")
	}
	by := d.typedBy(id)
	person, human := 0, 0
	for author, n := range by {
		switch {
		case author == "person":
			person += n
		case regexp.MustCompile(`^human:\d+@pts/\d+#\d+$`).MatchString(author):
			human += n
		default:
			t.Errorf("%d bytes by %q", n, author)
		}
	}
	if want := len("echo from the first\r" + "stty size\r" + "exit\r"); person != want {
		t.Errorf("the first typed %d bytes by the record, want %d: %v", person, want, by)
	}
	if want := len("stty size; touch made\r" + "cd /tmp\r" + "(exit 3)\r"); human != want {
		t.Errorf("the person typed %d bytes by the record, want %d: %v", human, want, by)
	}
	back := d.run("tadactl --json log --kind ctl.handback")
	for _, want := range []string{
		`"line":"stty size; touch made","status":0`, `"line":"(exit 3)","status":3`, `"cwd":"/tmp"`,
		`"files_changed":["made"]`, `"refused_bytes":9,`,
	} {
		if !strings.Contains(back, want) {
			t.Errorf("the hand-back does not say %s: %s", want, back)
		}
	}
	for _, kind := range []string{"ctl.attach", "ctl.takeover", "ctl.handback"} {
		if !strings.Contains(d.run("tadactl log"), kind) {
			t.Errorf("no %s in the log", kind)
		}
	}
	if out := d.run("tadactl audit verify --complete"); !strings.Contains(out, "ok") &&
		!strings.Contains(out, "verified") {
		t.Error(out)
	}
}

// sudoLike asks on /dev/tty, whatever its input is: without an echo, or with a star for each key.
const sudoLike = `#!/bin/bash
exec </dev/null 3<>/dev/tty
if [[ $1 != stars ]]; then
	stty -echo <&3
	printf '[sudo] password for %s: ' me >&3
	read -r x <&3
	stty echo <&3
	echo; echo ${#x} re''ad
else
	stty -echo -icanon <&3
	printf '[sudo] password with stars: ' >&3
	x=
	while IFS= read -r -n1 c <&3 && [[ -n $c ]]; do x+=$c; printf '*' >&3; done
	stty echo icanon <&3
	echo; echo ${#x} star''red
fi
`

// A password at real prompts, and everything that happens in private, is nowhere on the disk: the
// record has its length and a commitment. The other side sees nothing of what is private, and
// continues after it.
func TestTakeoverSecrets(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	if err := hermetic.WriteProgram(filepath.Join(d.dir, "ask"),
		[]byte("#!/bin/bash\nread -r -s -p 'secret: ' x\necho; echo ${#x} letters\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	if err := hermetic.WriteProgram(filepath.Join(d.dir, "sudo-like"), []byte(sudoLike),
		0o755); err != nil {
		t.Fatal(err)
	}
	a, b := d.window("a", 100, 30), d.window("b", 100, 30)
	id := a.session("")
	a.shows("inner$")
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	b.line("./ask")
	b.shows("secret:")
	b.line("correct-horse-1")
	b.shows("15 letters")
	b.line("./sudo-like; stty echo icanon") // it talks to the terminal and to nothing else
	b.shows("password for")
	b.line("correct-horse-4")
	b.shows("15 read")
	b.line("./sudo-like stars; stty echo icanon") // as sudo does with pwfeedback
	b.shows("password with stars")
	b.line("correct-horse-5")
	b.shows("***************")
	b.shows("15 starred")
	if _, err := exec.LookPath("ssh-keygen"); err == nil {
		b.line("ssh-keygen -q -t ed25519 -f key")
		b.shows("Enter passphrase")
		b.line("correct-horse-2")
		b.shows("same passphrase")
		b.line("correct-horse-2")
		d.eventually("a key", func() bool {
			_, err := os.Stat(filepath.Join(d.dir, "key.pub"))
			return err == nil
		})
	}
	b.types("", "C-]", "p")
	b.shows("private |")
	a.shows("(private")
	b.line("echo correct-horse-3 | tr a-z A-Z")
	b.shows("\nCORRECT-HORSE-3")
	if s := a.text(); strings.Contains(strings.ToLower(s), "correct-horse-3") {
		t.Errorf("the other side sees what is private:\n%s", s)
	}
	b.types("", "C-]", "p")
	a.shows("private part, not shown")
	b.line("echo be''hind it")
	a.shows("behind it")
	if s := a.text() + b.text(); strings.Contains(strings.ToLower(s), "correct-horse-3") {
		t.Errorf("what was private is shown:\n%s", s)
	}
	b.types("", "C-]", "g")
	b.shows("give back?")
	b.types("y")
	a.shows("gave control back")
	a.line("exit")
	a.shows("outer>")
	packed := func() bool {
		list, _ := filepath.Glob(filepath.Join(d.state, "sessions", "*.zst"))
		return len(list) > 0
	}
	d.eventually("a packed transcript", func() bool { d.run("tadactl gc"); return packed() })
	for _, secret := range []string{"correct-horse-1", "correct-horse-2", "CORRECT-HORSE-3",
		"correct-horse-4", "correct-horse-5"} {
		d.nowhere(secret)
	}
	if out := d.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
	back := d.run("tadactl --json log --kind ctl.")
	for _, want := range []string{`"kind":"ctl.private"`, `"kind":"ctl.public"`} {
		if !strings.Contains(back, want) {
			t.Errorf("no %s in %s", want, back)
		}
	}
	if regexp.MustCompile(`"private_bytes":0\b`).MatchString(back) ||
		!strings.Contains(back, `"private_bytes"`) {
		t.Errorf("nobody counted what was private: %s", back)
	}
}

// Policy: without takeover, clients can watch and nothing else.
func TestTakeoverForbidden(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	d.run("tadactl policy check")
	if err := os.WriteFile(filepath.Join(d.state, "config.yaml"),
		[]byte("security:\n  allow_terminal_takeover: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := d.window("a", 100, 30), d.window("b", 120, 30)
	id := a.session("")
	a.shows("inner$")
	b.line("tadactl attach --take " + id) // C-3.1.8
	b.shows("the policy does not allow takeovers")
	a.line("echo se''en")
	b.shows("\nseen")
	for _, key := range []string{"t", "f", "p"} {
		b.types("", "C-]", key)
		b.shows("the policy does not allow takeovers")
	}
	b.types("", "C-]", "d")
	b.shows("still running")
	a.line("exit")
	a.shows("outer>")
	out := d.run("tadactl log --kind ctl")
	for _, order := range []string{`"take control"`, "freeze", `"make private"`} {
		// each once, however often it was tried
		if strings.Count(out, "ctl.refused  ") == 0 || strings.Count(out, "order="+order) != 1 {
			t.Errorf("the refused order %s is not on record once: %s", order, out)
		}
	}
	if strings.Contains(out, "ctl.takeover") {
		t.Error(out)
	}
}

// Two at once: one gets control, and the other is shown who has it. A frozen program stops, and
// goes on later.
func TestTakeoverContest(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	if err := hermetic.WriteProgram(filepath.Join(d.dir, "count"),
		[]byte("#!/bin/bash\nfor ((i = 1; ; i++)); do echo $i > n; sleep 0.01; done\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	a, b, c := d.window("a", 100, 30), d.window("b", 100, 30), d.window("c", 100, 30)
	id := a.session("")
	a.shows("inner$")
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	c.line("tadactl attach --take " + id)
	c.until("says who drives", func(s string) bool {
		return regexp.MustCompile(`uid \d+ at pts/\d+ already has control`).MatchString(s)
	})
	b.line("./count")
	n := func() string {
		text, _ := os.ReadFile(filepath.Join(d.dir, "n"))
		return strings.TrimSpace(string(text))
	}
	d.eventually("counting", func() bool { return n() > "1" })
	c.types("", "C-]", "f")
	b.shows("FROZEN")
	was := n()
	time.Sleep(200 * time.Millisecond)
	still := n()
	time.Sleep(200 * time.Millisecond)
	if n() != still {
		t.Errorf("it counts on while it is frozen: %s %s %s", was, still, n())
	}
	b.types("", "C-c")
	c.types("", "C-]", "c")
	b.shows("You are in control")
	d.eventually("counting on", func() bool { return n() != still })
	b.types("", "C-c")
	b.shows("inner$")
	b.types("", "C-]", "k")
	b.shows("y/n")
	b.types("y")
	b.shows("ended")
	a.shows("outer>")
}
