package view

import (
	"slices"
	"testing"
)

type machine struct {
	accounts []string
	pids     []int
}

func (m machine) Account(name string) bool { return slices.Contains(m.accounts, name) }
func (m machine) Outside(pid int) bool     { return slices.Contains(m.pids, pid) }

// A name that a program looks for is no run's. E-bkr-1.
func TestRefused(t *testing.T) {
	m := machine{[]string{"root", "0", "alice", "1000"}, []int{1, 2, 7, 4711}}
	for _, name := range []string{
		"tmux-0", "tmux-1000", "ssh-XXabc", ".X11-unix", ".ICE-unix", "dbus-abc", ".s.PGSQL.5432",
		"hsperfdata_alice", "systemd-private-1-x", "gpg-abc", "S.gpg-agent", "krb5cc_1000",
		"krb5cc_0", ".attach_pid7", ".x", "runtime-alice", "mc-alice", "x.root", "alice",
		"emacs1000", "cache1000", "lock.4711", "java_pid4711", "x-0", "tada-run.spent-0",
		"agent_cache_0", "emacs2_0", "agent-cache2-0", "agent-java8_4711",
	} {
		if Refused(name, m) == "" {
			t.Errorf("%q may be used", name)
		}
	}
	for _, name := range []string{
		"out", "out1", "out7", "log.1", "log.2", "tmp.abcXYZ", "tmp.4711x", "x4711", "build",
		"claude-1f2e-cwd", "go-build123456", "ccAbc123.s", "malice", "x.4712", "a.tar.gz",
		"tmpzrg2z6_0", "tmpjtxltf_0", "pip-build-tracker-zrg2z6_0", "buildq_7xb3_0",
	} {
		if why := Refused(name, m); why != "" {
			t.Errorf("%q: %s", name, why)
		}
	}
	for path, want := range map[string]bool{"/tmp/node-compile-cache/v24-1007": true,
		"/tmp/tsx-1000": true, "/tmp/tmux-0/default": false, "/tmp/x": false, "": false} {
		if Spare(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
	for _, c := range customs() {
		if c.why == "" {
			t.Errorf("%q: no reason", c.pattern)
		}
	}
}
