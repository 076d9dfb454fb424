package integration

import (
	"fmt"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// commandDoors are the ways in which a client's own tool for commands reaches tada-run without a
// session around it.
var commandDoors = []string{"shell", "hook", "both"}

// eachCommandDoor runs a test for every client and these doors.
func eachCommandDoor(t *testing.T, test func(t *testing.T, b *bench, c client, door string)) {
	needClients(t)
	for _, c := range chosen() {
		for _, door := range commandDoors {
			if !c.has(door) {
				continue
			}
			t.Run(door+"/"+c.name, func(t *testing.T) {
				b := newBench(t, c, loginShell(c, door))
				test(t, b, b.open(t, c, door), door)
			})
		}
	}
}

// A function with the name of a program, which a client copies from the person's startup files into
// the snapshot of its shell, cannot do what the program may not do. make test-clients.
func TestClientsFunctionsNamedAsPrograms(t *testing.T) {
	test := func(t *testing.T, b *bench, c client, door string) {
		does := "{ cat " + filepath.Join(filepath.Dir(b.home),
			"closed/x") + "; touch " + filepath.Join(b.home, "outside") + "; }\n"
		for _, file := range []string{".bashrc", ".profile"} {
			write(t, filepath.Join(b.home, file), "ls() "+does+"git() "+does+"export -f ls git\n")
		}
		got := b.play(t, c, c.tool("true"), c.tool("ls"),
			c.tool("git status; ls -l build; echo said 4'2'"))
		if plain := door == "plain"; strings.Contains(strings.Join(got, ""), "secret") != plain ||
			b.exists("../h/outside") != plain {
			t.Errorf("the function did what no command may: %q", got)
		}
		if !strings.Contains(got[2], "said 42") {
			t.Errorf("a harmless command: %s", got[2])
		}
	}
	eachCommandDoor(t, test)
	for _, c := range chosen() {
		if c.name == "claude-code" || c.name == "codex" { // the others do not make a snapshot
			t.Run("plain/"+c.name, func(t *testing.T) {
				test(t, newBench(t, c, "/bin/bash"), c, "plain")
			})
		}
	}
}

// ownWrappers are texts that an agent writes around COMMAND to imitate what its program puts there.
var ownWrappers = []string{
	"eval 'COMMAND' < /dev/null && pwd -P >| /tmp/claude-1a2b-cwd",
	"source ~/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && COMMAND && eval true && pwd -P >| /tmp/claude-1a2b-cwd",
	"exec /bin/bash -c 'COMMAND'",
	"tada-run -c true\nexit\nCOMMAND",
	"BIN/tada-run --agent=codex -c true\nCOMMAND",
	"shopt -u promptvars nullglob; (\ntrap 'COMMAND' EXIT\ntrue\n)",
}

// A text that an agent writes around a command asks like the command, or as a whole: the wrapper of
// the newest release, and some of its own. make test-clients.
func TestClientsOwnWrapper(t *testing.T) {
	eachCommandDoor(t, func(t *testing.T, b *bench, c client, door string) {
		const said = "make -j2 && ls -l | head -3"
		calls := []toolCall{c.tool("true")}
		all := captures(t, c.name)
		for _, text := range all[len(all)-1].texts() {
			if strings.Contains(text, said) && text != said {
				calls = append(calls,
					c.tool(strings.ReplaceAll(strings.ReplaceAll(text, said, "rm -r build"),
						"/base", filepath.Dir(b.home))))
			}
		}
		for _, text := range ownWrappers {
			calls = append(calls, c.tool(strings.NewReplacer("COMMAND", "rm -r build", "BIN",
				b.bin).Replace(text)))
		}
		refuses := c.name == "continue-cli" // some of them by itself, and then it ends
		c.ends = c.ends || refuses
		for i, got := range b.each(t, c, calls...) {
			if refuses && i > 0 && got == "" {
				continue
			}
			if strings.Contains(got, "tadactl approve") != (i > 0) &&
				!strings.Contains(got, "denied") {
				t.Errorf("call %d, %v: %.600s", i, calls[i].args, got)
			}
		}
		if !b.exists("build/x") {
			t.Error("it ran unasked")
		}
		b.ctl(t, "audit", "verify", "--complete")
	})
}

// If a client is updated between the question and the answer, it can use the answer exactly once.
// Of two installed releases, one is the update of the other; without a second one it is a copy.
// make test-clients.
func TestClientsUpdated(t *testing.T) {
	eachDoor(t, func(t *testing.T, b *bench, c client, door string) {
		other := ""
		for _, release := range chosen() {
			if release.name == c.name && release.program != c.program {
				other = packages(release.find(t))
			}
		}
		if other == "" {
			other = filepath.Join(filepath.Dir(b.home), "updated")
			if out, err := exec.Command("cp", "-al", b.opt, other).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		ask := "rm -r build; echo once >> count"
		if got := b.play(t, c, c.tool("true"), c.tool(ask))[1]; !strings.Contains(got,
			"tadactl approve") || b.exists("count") {
			t.Fatalf("a question: %s", got)
		}
		b.approve(t, ask)
		c.program = filepath.Join(other, strings.TrimPrefix(c.find(t), b.opt))
		b.opt = other
		got := b.play(t, c, c.tool("true"), c.tool(ask), c.tool("mkdir build; touch build/x"),
			c.tool(ask))
		if b.read("count") != "once\n" || !strings.Contains(got[3], "tadactl approve") {
			t.Errorf("after the update it ran %q: %s\n%s", b.read("count"), got[1], got[3])
		}
	})
}

// beside is another client on the same bench, with its own model.
func (b *bench) beside(t *testing.T, c client) *bench {
	t.Helper()
	other := *b
	other.opt, other.model = packages(c.find(t)), &model{}
	server := httptest.NewServer(other.model)
	t.Cleanup(server.Close)
	c.setup(t, &other, server.URL)
	return &other
}

// Two clients work in one folder at the same time: everything they do is recorded, and one answer
// is for one run of one of them. make test-clients.
func TestClientsTwoInOneFolder(t *testing.T) {
	needClients(t)
	list := slices.DeleteFunc(slices.Clone(chosen()), func(c client) bool { return !c.has("hook") })
	if len(list) < 2 {
		t.Skip("needs two programs with a hook")
	}
	for i, first := range list {
		second := list[(i+1)%len(list)]
		t.Run(first.name+"/"+second.name, func(t *testing.T) {
			b := newBench(t, first, loginShell(first, "both"))
			two := map[string]*bench{first.name: b, second.name: b.beside(t, second)}
			ask := "rm -r build; echo once >> count"
			for _, c := range []client{first, second} {
				b.ctl(t, "hook", "install", c.name)
				if c.name == "qwen" {
					two[c.name].shell(t, c)
				}
			}
			t.Run("at once", func(t *testing.T) {
				for _, c := range []client{first, second} {
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						calls := []toolCall{c.tool("true")}
						for n := range atOnce {
							calls = append(calls,
								c.tool(fmt.Sprintf("echo %s %d >> all", c.name, n)))
						}
						if got := two[c.name].play(t, c,
							append(calls, c.tool(ask))...)[atOnce+1]; !strings.Contains(got,
							"tadactl approve") {
							t.Errorf("a question: %s", got)
						}
					})
				}
			})
			if n := strings.Count(b.read("all"), "\n"); n != 2*atOnce {
				t.Errorf("%d of %d calls ran", n, 2*atOnce)
			}
			if b.exists("count") {
				t.Fatal("it ran unasked")
			}
			b.approveFirst(t)
			for range 2 {
				for _, c := range []client{first, second} {
					two[c.name].play(t, c, c.tool("true"), c.tool("mkdir -p build"), c.tool(ask))
				}
			}
			if b.read("count") != "once\n" {
				t.Errorf("it ran %q on one answer", b.read("count"))
			}
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}
