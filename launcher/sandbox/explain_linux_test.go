package sandbox

import (
	"strings"
	"testing"
)

// A refusal is traced to the rule that made it, and the change is the smallest that would lift it.
func TestExplain(t *testing.T) {
	p := Profile{
		Read:  []Path{{Name: "/"}, {Name: "/data", NoExec: true}},
		Write: []Path{{Name: "/w"}, {Name: "/tmp/ws"}}, Devices: []Path{{Name: "/dev/null"}},
		Hide: []string{"/home/me/.ssh", "/w/.env"}, ReadOnly: []string{"/w/.git/hooks"},
		Temporary: Temporary{PrivateTmp: true},
	}
	for _, test := range []struct {
		name   string
		access Access
		want   string // "" when the sandbox allows it
	}{
		{"/w/x", Writing, ""}, {"/usr/bin/ls", Executing, ""}, {"/etc/hosts", Reading, ""},
		{"/dev/null", Writing, ""}, {"/tmp/ws/f", Writing, ""},
		{"/etc/hosts", Writing, `write "/etc/hosts": blocked by the sandbox: no rule allows it; to allow it: write "/etc/hosts"`},
		{"/home/me/.ssh/id", Reading,
			`read "/home/me/.ssh/id": blocked by the sandbox: hide "/home/me/.ssh"; to allow it: no hide for "/home/me/.ssh/id"`},
		{"/w/.env", Writing, `write "/w/.env": blocked by the sandbox: hide "/w/.env"; to allow it: no hide for "/w/.env"`},
		{"/w/.git/hooks/x", Writing,
			`write "/w/.git/hooks/x": blocked by the sandbox: keep "/w/.git/hooks"; to allow it: no keep for "/w/.git/hooks/x"`},
		{"/w/.git/hooks/x", Reading, ""}, {"/w/../etc/hosts", Reading, ""},
		{"/tmp/other", Reading, `read "/tmp/other": blocked by the sandbox: private-tmp; to allow it: read "/tmp/other"`},
		{"/dev/sda", Reading, `read "/dev/sda": blocked by the sandbox: no rule allows it; to allow it: device "/dev/sda"`},
	} {
		d, ok := p.Explain(test.name, test.access)
		if got := d.String(); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%s %s: %v %s", test.access, test.name, ok, got)
		}
	}
	if d, ok := (Profile{}).Explain("/bin/true", Executing); !ok || d.Change != `read "/bin/true"` {
		t.Errorf("%+v", d)
	}
}

// What real programs say when the kernel refuses them leads to the rule.
func TestExplainOutput(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		ws := p.Write[0].Name
		out := t.TempDir()
		p.Read = append(p.Read, Path{Name: out})
		p.Limits.FileSize, p.Limits.Processes = 1<<20, 4000
		for _, test := range []struct{ script, object, change string }{
			{"echo x > " + out + "/f", `write "` + out + `/f"`, `write "` + out + `/f"`},
			{"touch " + out + "/f", `write "` + out + `/f"`, `write "` + out + `/f"`},
			{"mkdir " + out + "/d", `write "` + out + `/d"`, `write "` + out + `/d"`},
			{"cd " + out + " && touch f", `write "` + out + `/f"`, `write "` + out + `/f"`},
			{"cp /etc/hosts " + out + "/f", `write "` + out + `/f"`, `write "` + out + `/f"`},
			{"cat /etc/shadow", `read "/etc/shadow"`, `read "/etc/shadow"`},
			{"git init -q " + out + "/r", `write "` + out + `/r"`, `write "` + out + `/r"`},
			{"python3 -c 'open(\"" + out + "/f\",\"w\")'", `write "` + out + `/f"`,
				`write "` + out + `/f"`},
			{"perl -e 'open(F, \">" + out + "/f\") or die \"" + out + "/f: $!\"'",
				`write "` + out + `/f"`, `write "` + out + `/f"`},
			{"chmod 700 " + out, `write "` + out + `"`, `write "` + out + `"`},
			{"touch -d yesterday " + out, `write "` + out + `"`, `write "` + out + `"`},
			{"ln -s x " + out + "/l", `write "` + out + `/l"`, `write "` + out + `/l"`},
			{"touch " + ws + "/own; chmod u+s " + ws + "/own", "set-uid and set-gid bits", ""},
			{"head -c 2000000 /dev/zero > " + ws + "/big; true", "a larger file",
				"limits.file_size"},
			{"echo 'bash: fork: retry: Resource temporarily unavailable' >&2; false",
				"another process", "limits.processes"},
			{"echo 'BlockingIOError: [Errno 11] Resource temporarily unavailable' >&2; false",
				"another process", "limits.processes"},
			{"echo 'sh: 1: Cannot fork' >&2; false", "another process", "limits.processes"},
			{"echo 'RuntimeError: can'\\''t start new thread' >&2; false", "another process",
				"limits.processes"},
			{"echo 'runtime: failed to create new OS thread (have 9 already; errno=11)' >&2; false",
				"another process", "limits.processes"},
			{"echo 'Error: spawn /bin/sh EAGAIN' >&2; false", "another process",
				"limits.processes"},
			{"echo 'read: Resource temporarily unavailable' >&2; false", "", ""},
			{"unshare -Um true", "namespaces and mounts", ""},
			{"getent hosts example.invalid || curl -s -S http://example.invalid || echo 'curl: (6) Could not resolve host: example.invalid' >&2", "network", "network full"},
			{"echo 'docker: dial unix /var/run/docker.sock: socket: permission denied' >&2; false",
				"Unix socket", ""},
			{"echo 'PermissionError: [Errno 13] Permission denied' >&2; false",
				"a system call that the message does not name", ""},
			{"echo 'Operation not permitted' >&2; false",
				"a system call that the message does not name", ""},
			{"echo 'git@host: Permission denied (publickey).' >&2; false", "", ""},
			{"echo fine", "", ""}, {"cat " + ws + "/none", "", ""}, {"false", "", ""},
		} {
			if strings.HasPrefix(test.script, "python3") && !exists("/usr/bin/python3") {
				continue
			}
			_, said := shell(t, p, test.script)
			denials := p.ExplainOutput(said, out)
			if test.object == "" {
				if len(denials) > 0 {
					t.Errorf("%s: %v", test.script, denials)
				}
				continue
			}
			if len(denials) == 0 || denials[0].Object != test.object ||
				denials[0].Change != test.change {
				t.Errorf("%s: %q: %+v", test.script, said, denials)
			}
		}
	})
}

func FuzzExplainOutput(f *testing.F) {
	f.Add("touch: cannot touch 'x': Permission denied\nopen /a: permission denied\n"+
		"Error: EACCES: permission denied, open '/b'", "/w")
	p := Profile{Read: []Path{{Name: "/"}}, Write: []Path{{Name: "/w"}}, Hide: []string{"/w/s"}}
	f.Fuzz(func(t *testing.T, said, dir string) {
		if list := p.ExplainOutput(said, dir); len(list) > maxExplained {
			t.Error(list)
		}
	})
}
