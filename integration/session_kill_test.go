package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// here returns the processes whose command line has this suffix and whose directory is the
// desktop's.
func (d *desktop) here(suffix ...string) []int {
	return slices.DeleteFunc(pids(suffix...), func(pid int) bool {
		dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		return dir != d.dir
	})
}

// SIGKILL for one party after the other: a watcher, the process of the terminal on which the
// session was started, the client in control, and the program itself. None ends another, and the
// record says what happened to it.
func TestKillEachParty(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 100, 30)
	b := d.window("b", 100, 30)
	one := func(what string, list []int) int {
		t.Helper()
		if len(list) != 1 {
			t.Fatalf("%d processes are %s", len(list), what)
		}
		return list[0]
	}

	b.line("tadactl attach " + id)
	b.shows("owner has control")
	d.kill9(one("the watcher", d.here("tadactl", "attach", id)))
	b.shows("outer>")
	b.reset()
	a.line("echo one$((1+1))") // the other side goes on
	a.shows("\none2")

	b.line("tadactl attach " + id)
	b.shows("owner has control")
	d.kill9(one("the first terminal", d.here("tada-run", "--session")))
	a.shows("outer>")
	b.shows("no one has control")
	if got := d.ids("session"); len(got) != 1 || got[0] != id {
		t.Fatalf("after the death of its terminal: %v", got)
	}
	b.types("", "C-]", "t")
	b.shows("You are in control")
	b.line("echo two$((1+1))")
	b.shows("\ntwo2")

	d.kill9(one("the taker", d.here("tadactl", "attach", id)))
	b.shows("outer>")
	b.reset()
	b.line("tadactl attach --take " + id)
	b.shows("You are in control")
	b.line("sleep 5432.1 & disown; echo three$((1+1))")
	b.shows("\nthree2")
	// Until it becomes sleep, the job is a copy of the shell, and must not be mistaken for it.
	d.eventually("the job", func() bool { return len(d.here("sleep", "5432.1")) > 0 })

	program := 0
	for _, pid := range d.here("/dev/fd/4", "-i") { // the shell's start-up file
		program = pid
	}
	if program == 0 {
		t.Fatal("the program is not found")
	}
	d.kill9(program)
	b.shows("ended with status 137")
	d.eventually("an end of all that ran in it",
		func() bool { return len(d.here("sleep", "5432.1")) == 0 })
	if out := d.run("tadactl sessions --session " + id); !strings.Contains(out, "exit 137") {
		t.Errorf("after the death of its program: %s", out)
	}
	log := d.run("tadactl --json log --kind ctl.")
	for _, want := range []string{`"by":"person"`, `"kind":"ctl.detach"`, `"kind":"ctl.takeover"`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in the record: %s", want, log)
		}
	}
	if out := d.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out,
		"status 0") {
		t.Error(out)
	}
}

// greet is a minimal client: it connects, greets, and prints what comes.
const greet = `use Socket;
$SIG{PIPE} = "IGNORE";
my ($path) = @ARGV;
socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die "no socket";
connect($s, sockaddr_un($path)) or do { print "refused: $!\n"; exit };
syswrite($s, pack("a N N a*", "h", 0, 2, "{}"));
my $n = sysread($s, my $got, 100);
print $n ? "let in\n" : "shown out\n";
`

// Another user's session: the state directory is closed, and even if it were open, the kernel is
// asked which user connects. The user's own process is let in the same way.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	need(t, "perl")
	d, a, id := inside(t, 100, 30)
	as := func(uid uint32, line string) string {
		cmd := d.command(line)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		return string(out) + " " + fmt.Sprint(err)
	}
	for _, dir := range []string{filepath.Dir(filepath.Dir(d.dir)), filepath.Dir(d.dir), d.dir} {
		// access to the programs and no further
		if err := hermetic.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// a link to where only this user may go
	door, err := os.ReadFile(filepath.Join(filepath.Dir(d.dir), "bin", "tadactl"))
	if err == nil {
		err = os.Mkdir(filepath.Join(d.dir, "doors"), 0o755)
	}
	if err == nil {
		err = hermetic.WriteProgram(filepath.Join(d.dir, "doors", "tadactl"), door, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	const other = 65534
	for _, line := range []string{"tadactl sessions", "tadactl replay " + id,
		"tadactl kill " + id} {
		if out := as(other, "doors/"+line+" </dev/null"); !strings.Contains(out, "exit status 78") {
			t.Errorf("%s: %s", line, out)
		}
	}
	socket := filepath.Join(d.state, "run", id+".sock")
	knock := fmt.Sprintf("perl -e '%s' %s", greet, socket)
	if out := as(other, knock); !strings.Contains(out, "refused: Permission denied") {
		t.Errorf("a closed directory: %s", out)
	}
	modes := map[string]os.FileMode{d.state: 0o755, filepath.Dir(socket): 0o755, socket: 0o666}
	for name, mode := range modes {
		if err := hermetic.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if out := as(other, knock); !strings.Contains(out, "shown out") {
		t.Errorf("an open directory: %s", out)
	}
	as(other, knock)
	if out := d.run(knock); !strings.Contains(out, "let in") { // the control
		t.Errorf("the user's own: %s", out)
	}
	for name, mode := range map[string]os.FileMode{d.state: 0o700, filepath.Dir(socket): 0o700,
		socket: 0o600} {
		_ = hermetic.Chmod(name, mode)
	}
	if out := d.run("tadactl log --kind ctl.refused"); strings.Count(out,
		"belongs to uid 65534") != 1 {
		t.Errorf("whom it turned away, and why, is not on record once: %s", out)
	}
	a.line("exit")
	a.shows("outer>")
}

// Others can watch a run on a terminal of its own while it goes on, and no one else can control it.
func TestWatchPlainRun(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	a, b := d.window("a", 100, 30), d.window("b", 90, 20)
	a.line("tada-run 'for ((i = 0; ; i++)); do [[ -e end ]] && exit 7; echo turn $i; sleep 0.1; done'; echo over $?")
	a.shows("turn 3")
	id := d.ids("running")
	if len(id) != 1 {
		t.Fatal(d.run("tadactl sessions"))
	}
	b.line("tadactl attach --take " + id[0])
	b.shows("can be taken over")
	b.line("clear; tadactl attach " + id[0])
	b.shows("turn 2")
	b.shows("turn 20")
	if err := os.WriteFile(filepath.Join(d.dir, "end"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.shows("exit 7")
	a.shows("over 7")
	b.types("q")
	b.shows("outer>")
	if n, _ := strconv.Atoi(strings.TrimSpace(d.run("tadactl log --kind ctl. | wc -l"))); n != 0 {
		t.Error("to look at a transcript is no event of the run")
	}
}
