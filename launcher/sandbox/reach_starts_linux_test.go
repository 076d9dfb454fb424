package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/network"
)

// startOf is a program as a rule names it.
func startOf(t *testing.T, name string, deep bool) network.Start {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	var st unix.Stat_t
	must(t, unix.Stat(path, &st))
	return network.Start{Name: name, ID: fmt.Sprintf("%d:%d", st.Dev, st.Ino), Deep: deep}
}

// N2: a host is open to the program that the command line gives it to and to what that starts, and
// not to its neighbours, whatever they start, become or are called.
func TestHostOfAProgram(t *testing.T) {
	page := hostSite(t, "127.0.1.31", pages("page"))
	url := fmt.Sprintf("http://page.test:%d/", page.port)
	names := internet{"page.test": {page.addr}}
	named := network.Start{Name: "curl", Deep: true}
	curl, perl := startOf(t, "curl", false), startOf(t, "perl", false)
	shell, deep := network.Start{}, startOf(t, "curl", true)
	get := "curl -sS -m 10 " + url
	exec := func(argv ...string) string {
		return "exec qw(" + strings.Join(argv, " ") + ")"
	}
	bash := fmt.Sprintf(`exec 3<>/dev/tcp/page.test/%d; printf "GET / HTTP/1.0\r\n\r\n" >&3; `+
		`tail -1 <&3`, page.port)
	clone := fmt.Sprintf("if (!syscall(%d, 0x8000 | 17, 0, 0, 0, 0)) { %s } sleep 1",
		unix.SYS_CLONE, exec(get))
	orphan := "if (!fork) { if (!fork) { sleep 1; " + exec(get) + " } exit }"
	bothLevels(t, func(t *testing.T, p Profile) {
		dir := t.TempDir()
		p.Write = append(p.Write, Path{Name: dir})
		script := filepath.Join(dir, "s.sh")
		must(t, os.WriteFile(script, []byte(get+"\n"), 0o600))
		reach := func(list ...network.Start) Profile {
			p := reaching(p, names, "page.test", page.addr.String())
			for i := range p.Reach.Rules {
				p.Reach.Rules[i].For = list
			}
			return p
		}
		for _, tt := range []struct {
			start network.Start
			line  string
			want  bool
		}{
			{curl, get, true},
			{curl, "(" + get + ")", true},
			{curl, get + " | cat", true},
			{curl, "exec " + get, true},
			{curl, "env -i timeout 5 /usr/bin/" + get, true},
			{curl, "echo " + url + " | xargs curl -sS", true},
			{curl, "bash -c '" + get + " # told'", true},
			{curl, "bash -c '" + get + " # not told'", false},
			{curl, "bash " + script, false},
			{deep, "bash " + script, true},
			{named, "bash " + script, true},
			{named, "cp /usr/bin/curl " + dir + "; " + dir + "/" + get, false},
			{named, "perl -e 'system qw(" + get + ")'", false},
			{deep, "perl -e 'system qw(" + get + ")'", false},
			{curl, "perl -e 'system qw(" + get + ")'", false},
			{curl, "perl -e '" + exec(get) + "'", false},
			{curl, "exec perl -e '" + exec(get) + "'", false},
			{curl, "perl -e '" + exec("env", get) + "'", false},
			{curl, "perl -e '" + exec("bash", script) + "'", false},
			{deep, "perl -e '" + exec("bash", script) + "'", false},
			{curl, "perl -e '" + orphan + "'; sleep 2", false},
			{curl, "perl -e '" + clone + "'", false},
			{curl, "cd " + dir + "; cp /usr/bin/curl .; ./" + get, false},
			{curl, "cd " + dir + "; ln -sf /usr/bin/curl; ./" + get, false},
			{curl, "cd " + dir + "; cp /bin/bash sh; ./sh -c '" + get + " # told'", false},
			{curl, "ln -sf /usr/bin/perl " + dir + "/curl; PATH=" + dir + ":$PATH; curl -e '" +
				exec("/usr/bin/"+get) + "'", false},
			{curl, bash, false},
			{shell, bash, true},
			{shell, get, false},
			{perl, "perl -e 'system qw(" + get + ")'", true},
			{perl, "perl -e '" + exec(get) + "'", true},
			{perl, "perl -e '" + exec("bash", script) + "'", true},
			{perl, "perl -e '" + orphan + "'; sleep 2", false},
			{perl, "perl -e 1; " + get, false},
		} {
			p := reach(tt.start)
			if !tt.want { // without that it would
				if _, said, _ := talk(t, reach(), "bash", "-c",
					tt.line); !strings.Contains(said, "hello from page") {
					t.Errorf("for all: %s: %q", tt.line, said)
				}
			}
			p.Reach.Starters = []string{"bash", "sh", "env", "timeout", "xargs", "coreutils"}
			p.Reach.Wrappers = []string{"env", "timeout", "xargs", "coreutils"}
			p.Reach.Texts = []string{"x", get + " # told"}
			_, said, _ := talk(t, p, "bash", "-c", tt.line)
			if got := strings.Contains(said, "hello from page"); got != tt.want {
				t.Errorf("for %+v: %s: %q", tt.start, tt.line, said)
			}
		}
		p = reach([]network.Start{}...)
		if _, said, _ := talk(t, p, "bash", "-c", get); strings.Contains(said, "hello") {
			t.Errorf("a rule for no program: %q", said)
		}
	})
}
