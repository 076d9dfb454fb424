package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// hostile tries everything that would let it take control, answer, listen or survive. It is perl,
// because no policy reads that: only the sandbox stops it. Each line of its output is a name and
// the result. What would end the session comes last.
const hostile = `#!/usr/bin/perl
use Socket;
$| = 1;
print "ready\n";
my ($state, $tty, $holder, $id, $envelope, $sleep) = split ' ', <STDIN>;
my $c = join('', 'tada', 'ctl');
my $k = join('', 'ki', 'll');
sub told { my ($name, $ok) = @_; print "$name: ", ($ok ? "WORKED" : "refused"), "\n"; }
told('list the sockets', opendir(my $d, "$state/run"));
told('read the state', open(my $f, '<', "$state/config.yaml"));
told('write the state', open(my $g, '>>', "$state/config.yaml"));
told('attach', in_time("$c attach $id </dev/tty >/dev/tty 2>/dev/null"));
told('answer', system("$c deny $envelope -m no >/dev/null 2>&1") == 0);
sub in_time { my $status = system("timeout --foreground 2 $_[0]") >> 8; return $status == 0 || $status == 124; }
sub knock { my ($path, $s) = @_; return socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un($path)); }
told('connect', knock("$state/run/$id.sock"));
my ($any, %seen) = 0;
open(my $names, '<', '/proc/net/unix');
while (<$names>) { my $path = (split)[7] or next; next if $seen{$path}++ || $path =~ /^@/; $any ||= knock($path); }
told('connect to any socket with a name', $any);
told('write to the terminal of the person', open(my $t, '>', $tty));
told('read its memory', open(my $m, '<', "/proc/$holder/mem"));
my ($own, $x) = (undef, 'x');
told('type into its own terminal', open($own, '+<', '/dev/tty') && ioctl($own, 0x5412, $x));
if (fork() == 0) { use POSIX; POSIX::setsid(); if (fork() == 0) { $SIG{HUP} = $SIG{TERM} = 'IGNORE'; exec('sleep', $sleep); } exit; }
wait;
told('stop the launcher', system("$k -STOP $holder 2>/dev/null") == 0);
told('end the launcher', system("$k -9 $holder 2>/dev/null") == 0);
print "the end\n";
<STDIN>;
`

// E-bkr-6, E-bkr-1: a hostile program in place of the agent reaches neither the state, nor the
// session's socket, nor the person's terminal, answers no question, and does not outlive the
// session. As a control, the same program outside a sandbox can do all of it.
func TestHostileInside(t *testing.T) {
	t.Parallel()
	need(t, "perl", "timeout")
	d := newDesktop(t)
	inside, outside := fmt.Sprintf("7654.%d", os.Getpid()), fmt.Sprintf("8765.%d", os.Getpid())
	if err := hermetic.WriteProgram(filepath.Join(d.dir, "hostile"), []byte(hostile),
		0o755); err != nil {
		t.Fatal(err)
	}
	a, b := d.window("a", 100, 50), d.window("b", 100, 50)
	b.line("tty > tty")
	var tty []byte
	d.eventually("a terminal's name", func() bool {
		tty, _ = os.ReadFile(filepath.Join(d.dir, "tty"))
		return strings.HasPrefix(string(tty), "/dev/")
	})
	d.run("tadactl policy check")
	if err := os.WriteFile(filepath.Join(d.state, "config.yaml"),
		[]byte("security:\n  tamper_proof: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.run("tada-run 'git push --force origin main' </dev/null")
	var waits []struct{ ID string }
	if err := json.Unmarshal([]byte(d.run("tadactl --json pending")), &waits); err != nil ||
		len(waits) != 1 {
		t.Fatalf("%v: %s", err, d.run("tadactl --json pending"))
	}
	id := a.session("-- ./hostile")
	words := func(sleep string) string {
		return strings.Join([]string{d.state, strings.TrimSpace(string(tty)), itoa(d.holder(id)),
			id, waits[0].ID, sleep}, " ")
	}
	a.shows("ready")
	a.line(words(inside))
	a.shows("the end")
	if s := a.text(); strings.Contains(s, "WORKED") || strings.Count(s, "refused") != 12 {
		t.Error(s)
	}
	if out := d.run("tadactl pending"); !strings.Contains(out, "git push --force") {
		t.Errorf("the question is answered: %s", out)
	}
	d.eventually("a survivor to be", func() bool { return len(d.here("sleep", inside)) == 1 })
	if out := d.run("tadactl --json sessions"); !strings.Contains(out, `"tier":"T1"`) {
		t.Error(out)
	}

	b.line("./hostile") // the control, on the same session
	b.shows("ready")    // what is typed ahead may be taken for another kind of line
	b.line(words(outside))
	b.until("has told all", func(s string) bool {
		// and is not attached, so this screen shows what the other one printed
		return strings.Contains(s, "the end") && !strings.Contains(s, "Ctrl-] for keys")
	})
	for line := range strings.Lines(b.text()) {
		if strings.Contains(line, ": refused") && !strings.HasPrefix(line, "type into") {
			// a kernel may refuse that to everyone
			t.Errorf("outside of a fence too, so it proves nothing: %s", line)
		}
	}
	if n := strings.Count(b.text(), "WORKED"); n < 11 {
		t.Errorf("%d ways work outside of a fence:\n%s", n, b.text())
	}
	a.shows("outer>") // its launcher is gone
	d.eventually("an end of what was to survive",
		func() bool { return len(d.here("sleep", inside)) == 0 })
	d.tmux("kill-session", "-t", "=b")
	free := d.here("sleep", outside)
	if len(free) != 1 {
		t.Errorf("outside of a fence %d survive their terminal", len(free))
	}
	for _, pid := range free {
		d.kill9(pid)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// What runs inside asks the launcher outside: it is judged and recorded there as a run of its own,
// refused or left to a person as outside, and runs in the existing sandbox. The same holds if its
// parent closes inherited descriptors, as agents do, or if the variable names another descriptor.
func TestNestedAsksOutside(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	need(t, "perl")
	steps := `echo # the first row is where questions are told
tada-run 'echo one; exit 3'; echo "status $?"
tada-run -- echo two; echo "status $?"
tada-run 'git push --force origin main' 2>/dev/null; echo "asked $?"
tada-run 'rm -rf /' 2>/dev/null; echo "denied $?"
tada-run --check 'git push --force'; echo "check $?"
(exec 3<&-; tada-run 'echo without'; tada-run 'git push --force origin a' 2>/dev/null; echo "closed $?")
(exec 3<&-; unset TADA_RUN_OUTSIDE; tada-run 'git push --force origin b' 2>/dev/null; echo "unset $?")
(exec 9</dev/null; export TADA_RUN_OUTSIDE=9; tada-run 'echo forged'; tada-run 'git push --force origin c' 2>/dev/null; echo "forged $?")
(TADA_RUN_OUTSIDE=x tada-run 'echo forged again'); echo "status $?"
tada-run 'bash -c "echo deep"'; echo "status $?"
tada-run --home "$PWD/own" 'rm -rf /' 2>/dev/null; echo "own home $?"
tada-run --session -- true 2>/dev/null; echo "own session $?"
(exec 3<&-; tada-run --home "$PWD/own" 'git push --force origin d') 2>/dev/null; echo "own launcher $?"
for f in .claude/settings.json .git/hooks/pre-commit ~+/../state/config.yaml; do (echo changed >> "$f") 2>/dev/null; echo "${f##*/} $?"; done
echo '{' >&3; echo garbage
`
	for name, text := range map[string]string{"steps": steps,
		"agent": "#!/usr/bin/perl\nexec(join('', 'ba', 'sh'), join('', './st', 'eps'));\n"} {
		// an agent is not a script that policy reads
		if err := hermetic.WriteProgram(filepath.Join(d.dir, name), []byte(text),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	kept := []string{filepath.Join(d.dir, ".claude/settings.json"),
		filepath.Join(d.dir, ".git/hooks/pre-commit")}
	for _, name := range kept { // what runs or decides later
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
			os.WriteFile(name, []byte("as it was\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	a := d.window("a", 100, 50)
	a.line("clear; tada-run --session -- ./agent; echo over")
	a.shows("\nover")
	screen := a.text()
	for _, want := range []string{
		"one\nstatus 3", "two\nstatus 0", "asked 75", "denied 126", `"verdict":"ask"`, "check 75",
		"without", "closed 75", "unset 75", "forged", "forged 75", "forged again\nstatus 0",
		"deep\nstatus 0", "garbage",
		"own home 126", "own session 125", "own launcher 75", "settings.json 1", "pre-commit 1",
		"config.yaml 1",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
	for _, name := range kept {
		if text, _ := os.ReadFile(name); string(text) != "as it was\n" {
			t.Errorf("%s was changed from inside", name)
		}
	}
	var runs []struct {
		Command, State, Within, Tier string
		Status                       int
	}
	if err := json.Unmarshal([]byte(d.run("tadactl --json sessions")), &runs); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, r := range runs {
		if r.Within != "" {
			states[r.Command] = r.State
		}
	}
	for command, state := range map[string]string{
		"echo one; exit 3": "ended", "git push --force origin main": "waiting",
		"rm -rf /": "refused", `bash -c "echo deep"`: "ended",
		"echo without": "ended", "git push --force origin a": "waiting",
		"git push --force origin b": "waiting", "echo forged": "ended",
		"git push --force origin c": "waiting", "echo forged again": "ended",
		"git push --force origin d": "waiting",
	} {
		if states[command] != state {
			t.Errorf("%q is %q in the record, want %q: %v", command, states[command], state, states)
		}
	}
	if out := d.run("tadactl pending"); !strings.Contains(out, "git push --force origin main") {
		t.Errorf("nobody outside is asked: %s", out)
	}
	if out := d.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
}

// Each line of a session's shell is judged before it runs, however it is written: a refused line
// does not run, and a line that needs an answer waits for it. Line editing, completion and jobs are
// bash's own.
func TestLinesAreJudged(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("alias ll='ls -l'\n")
	a := d.window("a", 120, 40)
	a.session("")
	a.shows("inner$")
	for _, line := range []string{
		"rm -rf / ; echo NO''NE", " rm -rf /; echo NO''NE", "(rm -rf / ; echo NO''NE)",
		"while :; do rm -rf /; echo NO''NE; done",
		"true && { rm -rf /; echo NO''NE; }", "rm -rf / & echo NO''NE",
		"echo NO''NE | cat | rm -rf /",
	} {
		a.types("", "C-l")
		a.line(line)
		a.shows("denied")
		a.until("has its prompt again", func(s string) bool {
			return strings.HasSuffix(strings.TrimRight(s, " \n"), "inner$")
		})
		if strings.Contains(a.text(), "NONE") {
			t.Errorf("%q ran:\n%s", line, a.text())
		}
	}
	a.types("", "C-l")
	a.line("f() {") // over several lines
	a.line("rm -rf /; }")
	a.line("f")
	a.shows("denied") // the function, or the call of it

	a.types("", "C-l")
	a.types("ech", "Tab")
	a.types("com''pleted", "Enter")
	a.shows("\ncompleted")
	a.line("sleep 98765 & jobs")
	a.shows("Running")
	a.line("fg")
	a.shows("sleep 98765\n")
	a.until("has stopped it", func(s string) bool {
		a.types("", "C-z") // a shell prints the name of a job before it gives it the terminal
		return strings.Contains(s, "Stopped")
	})
	a.line("kill %1; echo sta''tus $?")
	a.shows("status 0")
	a.types("", "Up", "Enter")
	a.line("set +o history")
	a.shows("a command needs your approval") // a shell without a history would report no lines
	a.types("", "C-c")
	a.line("shopt -s lithist; [[ -o history ]] && echo sti''ll")
	a.shows("\nstill")
}

// A program controls a session through pipes: its writes are recorded as typed by the agent, and it
// gets a hand-over as objects on standard error.
func TestAgentDrives(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	out := d.run(`printf 'echo o''ne\nexit 4\n' | tada-run --session --agent bot; echo "status $?"`)
	if !strings.Contains(out, "one\r\n") || !strings.Contains(out, "status 4") {
		t.Error(out)
	}
	id := ""
	for line := range strings.Lines(d.run("tadactl sessions")) {
		if strings.Contains(line, "exit 4") && id == "" {
			id = strings.Fields(line)[0]
		}
	}
	if by := d.typedBy(id); len(by) != 1 || by["agent:?bot"] == 0 {
		t.Errorf("typed by %v", by)
	}

	in, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	cmd := d.command("exec tada-run --session --agent bot 2>notices >screen")
	cmd.Stdin = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	d.eventually("a session", func() bool { return len(d.ids("session")) == 1 })
	id = d.ids("session")[0]
	b := d.window("b", 100, 30)
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	_, _ = write.WriteString("echo ref''used\n")
	notices := func() string {
		text, _ := os.ReadFile(filepath.Join(d.dir, "notices"))
		return string(text)
	}
	d.eventually("a refusal", func() bool {
		return strings.Contains(notices(), `"code":"refused"`)
	})
	b.line("touch by-hand")
	b.shows("inner$ touch by-hand")
	d.eventually("a file", func() bool {
		_, err := os.Stat(filepath.Join(d.dir, "by-hand"))
		return err == nil
	})
	b.types("", "C-]", "g")
	b.shows("give back?")
	b.types("y")
	d.eventually("a hand-back", func() bool {
		return strings.Contains(notices(), `"code":"handback"`)
	})
	_, _ = write.WriteString("exit 5\n")
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 5 {
		t.Errorf("status %d", cmd.ProcessState.ExitCode())
	}
	for _, want := range []string{`"code":"taken"`, `"line":"touch by-hand"`,
		`"files_changed":["by-hand"`} {
		if !strings.Contains(notices(), want) {
			t.Errorf("the agent is not told %s: %s", want, notices())
		}
	}
	text, _ := os.ReadFile(filepath.Join(d.dir, "screen"))
	if strings.Contains(string(text), "\nrefused") {
		t.Error("what was refused ran")
	}
}
