package network

import (
	"context"
	"fmt"
	"net"
	"os"
	"path"
	"strings"
	"testing"
)

// What the table says of the sockets that people have.
func TestDaemonGives(t *testing.T) {
	for name, want := range map[string]string{
		"/run/docker.sock":                          "it can change anything",
		"/run/user/1000/docker.sock":                "it can change anything",
		"/run/user/1000/bus":                        "it starts programs",
		"/tmp/ssh-AbC/agent.12":                     "it signs with your keys",
		"/run/user/1000/gnupg/S.gpg-agent.ssh":      "it signs with your keys",
		"/tmp/.X11-unix/X0":                         "it sees your screen",
		"/run/postgresql/.s.PGSQL.5432":             "",
		"/run/nscd/socket":                          "never",
		"/run/systemd/resolve/io.systemd.Resolve":   "never",
		"/home/me/run/nscd/socket":                  "",
		"/run/systemd/userdb/io.systemd.Dynamic":    "never",
		"/home/me/.cache/git/credential/socket":     "it has your passwords",
		"/home/me/project/not-an-agent.sock/socket": "",
	} {
		gives, never := daemonGives(name)
		if never != (want == "never") || want == "" && gives != "" ||
			!strings.HasPrefix(gives, want) {
			t.Errorf("%s: %q, %v", name, gives, never)
		}
	}
	for line := range strings.Lines(daemonText) {
		patterns, _, ok := strings.Cut(line, ": ")
		for pattern := range strings.FieldsSeq(patterns) {
			_, err := path.Match(pattern, "x")
			if !strings.HasPrefix(line, "#") && (err != nil || !ok) {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

// A person is asked about the daemons of this account, of root and of services, by the program that
// listens; not about another person's, and not where the launcher says no.
func TestWantsDaemon(t *testing.T) {
	name := t.TempDir() + "/s"
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file, _ := l.(*net.UnixListener).File()
	defer file.Close()
	link, _ := os.Readlink(fmt.Sprint("/proc/self/fd/", file.Fd()))
	var inode uint32
	for _, c := range strings.TrimSuffix(strings.TrimPrefix(link, "socket:["), "]") {
		inode = inode*10 + uint32(c-'0')
	}
	yes, d := true, Daemon{Name: name, Listener: Listener{Inode: inode}}
	g := NewGate(Reach{
		Ask: func(context.Context, Want) Word { return Word{} },
		Daemons: func(_ string, list []Holder) bool {
			if len(list) != 1 || list[0].PID != os.Getpid() {
				t.Errorf("%v", list)
			}
			return yes
		},
	}, Stub{})
	for _, test := range []struct {
		uid, own uint32
		asks     bool
	}{{7, 7, true}, {0, 1500, true}, {999, 1500, true}, {1000, 1500, false}, {1000, 0, false}} {
		d.UID = test.uid
		w, why, asks := g.WantsDaemon(d, test.own)
		if asks != test.asks || asks != (why == "") || asks &&
			(w.Text() != name || !strings.HasPrefix(w.Leads, "network.test (/")) {
			t.Errorf("%+v: %+v %q %v", test, w, why, asks)
		}
	}
	yes = false
	if _, why, asks := g.WantsDaemon(d, d.UID); asks || why == "" {
		t.Errorf("%q %v", why, asks)
	}
	if w, _, _ := asking(Stub{}).WantsDaemon(Daemon{Name: name}, 0); w.Host != "" {
		t.Errorf("%+v", w)
	}
}
