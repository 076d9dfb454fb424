//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// Probe tries every level on this machine with the very steps that Start makes, up to the one that
// would execute a program. It takes a few milliseconds and leaves nothing behind.
func Probe() Report {
	r := Report{Kernel: kernel()}
	ll, err := queryLandlock()
	r.Landlock, r.Errata = ll.version, ll.errata
	r.add("landlock", err, fmt.Sprintf("version %d, errata %#x", ll.version, ll.errata),
		landlockFix)
	if err != nil {
		return r
	}
	var scope error
	if !(&builder{attempt: attempt{landlock: ll}}).scopesSignals() {
		scope = errors.New("no usable signal scope")
	}
	r.add("landlock signal scope", scope, "processes outside the sandbox cannot be signalled",
		func() string { return "a kernel from 6.15 on" })
	for _, level := range []Level{Base, Strong} {
		receipt, err := try(ll, level, Profile{})
		if err == nil {
			r.Level = level
		}
		r.add("level "+level.String(), err,
			"blocked (tested): "+strings.Join(receipt.Proven, ", "), namespaceFix)
	}
	if r.Level != None {
		r.Lost = losses(ll, r.Level)
		_, err := try(ll, r.Level, Profile{Network: Hosts})
		r.add("network by host", err,
			"the launcher makes a run's connections; without it a run has either no network or all of it", func() string {
				return "start it outside any program that uses seccomp_unotify(2), such as " +
					"another sandbox or a container tool"
			})
	}
	return r
}

func (r *Report) add(name string, err error, detail string, fix func() string) {
	f := Finding{Name: name, OK: err == nil, Detail: detail}
	if err != nil {
		f.Detail, f.Fix = err.Error(), fix()
	}
	r.Findings = append(r.Findings, f)
}

// try starts a child that ends where another would execute its program.
func try(ll landlock, level Level, p Profile) (Receipt, error) {
	root, err := os.Open("/") // the caller's own directory may be gone
	if err != nil {
		return Receipt{}, err
	}
	defer root.Close()
	b := &builder{attempt: attempt{profile: p, command: Command{Path: "/", Dir: root},
		landlock: ll, level: level, trial: true}}
	process, receipt, err := b.start()
	if err != nil {
		return receipt, err
	}
	s, err := process.Wait()
	if err == nil && !s.Exited {
		err = fmt.Errorf("the trial was ended by %v", s.Signal)
	}
	return receipt, err
}

func landlockFix() string {
	if lsm, err := os.ReadFile("/sys/kernel/security/lsm"); err == nil &&
		!strings.Contains(string(lsm), "landlock") {
		return fmt.Sprintf("boot with lsm=landlock,%s", strings.TrimSpace(string(lsm)))
	}
	return "a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK=y"
}

// namespaceFixes are the switches that forbid an ordinary user a namespace, by the value that does.
var namespaceFixes = []struct{ file, forbids, fix string }{
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
		"an AppArmor profile with \"userns,\" for this program, " +
			"or: sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
	{"/proc/sys/kernel/unprivileged_userns_clone", "0",
		"sysctl kernel.unprivileged_userns_clone=1"},
	{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"},
}

func namespaceFix() string {
	for _, s := range namespaceFixes {
		if v, err := os.ReadFile(s.file); err == nil && strings.TrimSpace(string(v)) == s.forbids {
			return s.fix
		}
	}
	return "in a container, start it with: --security-opt seccomp=unconfined --security-opt " +
		"apparmor=unconfined --security-opt systempaths=unconfined"
}

// rememberable reports whether the level can be in a file. A FIFO would hold this process.
func rememberable(file string) bool {
	info, err := os.Lstat(file)
	return err != nil || info.Mode().IsRegular() && info.Size() < 4096
}

// Remembered returns the best level of this machine for use as Profile.Most, from file when that
// was written since this machine was started and by this user, and otherwise by Probe, which it
// then writes down. An empty name, and a file that cannot be written, only mean probing again. A
// wrong answer in the file can lower the level, never fake one.
func Remembered(file string) Level {
	boot := proc.BootID()
	if file == "" || boot == "" || !rememberable(file) {
		return Probe().Level
	}
	stamp := fmt.Sprintf("%s %d ", boot, os.Geteuid())
	if text, err := proc.Read(file); err == nil {
		for _, l := range []Level{Base, Strong} {
			if string(text) == stamp+l.String()+"\n" {
				return l
			}
		}
	}
	level := Probe().Level
	if level != None {
		_ = os.WriteFile(file, []byte(stamp+level.String()+"\n"), 0o600)
	}
	return level
}
