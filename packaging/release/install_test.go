package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testInstaller: what is signed is installed and removed, and nothing else is installed, whichever
// of the programs that can verify is there.
func testInstaller(t *testing.T, h handout) {
	tried := 0
	for _, verifier := range []string{"ssh-keygen", "openssl"} {
		if !verifies(verifier) {
			t.Logf("%s is not here, or too old", verifier)
			continue
		}
		tried++
		t.Run(verifier, func(t *testing.T) {
			path := onlyWith(t, verifier)
			prefix := t.TempDir()
			out, err := install(h.dir, h.dir, path, "--to", prefix)
			if err != nil {
				t.Fatal(err, out)
			}
			if want := "export PATH=\"$PATH:" + prefix + "/bin\"\nnext: tadactl doctor\n"; !strings.
				HasSuffix(out, want) {
				t.Errorf("it does not say what to type next: %s", out)
			}
			for _, program := range programs {
				if info, err := os.Stat(filepath.Join(prefix, "bin", program)); err != nil ||
					info.Mode() != 0o755 {
					t.Error(program, info, err)
				}
			}
			if out, err := install(h.dir, h.dir, path, "--remove", "--to", prefix); err != nil {
				t.Fatal(err, out)
			}
			if left := filesBelow(t, prefix); len(left) > 0 {
				t.Errorf("left after --remove: %q", left)
			}
			for what, spoil := range spoiled {
				refuses(t, h, path, what, spoil)
			}
		})
	}
	if tried == 0 {
		t.Log("no program that verifies signatures is here")
	}
	prefix := t.TempDir()
	out, err := install(h.dir, h.dir, onlyWith(t, ""), "--to", prefix)
	if err == nil || !strings.Contains(out, "cannot be checked") ||
		len(filesBelow(t, prefix)) > 0 {
		t.Errorf("without a program that verifies: %v %s", err, out)
	}
}

// spoiled are changes to a folder of files, none of which may be installed.
var spoiled = map[string]func(name string, text []byte) []byte{
	"another archive": func(name string, text []byte) []byte {
		if strings.HasSuffix(name, ".tar.gz") {
			text[len(text)/2] ^= 1
		}
		return text
	},
	"another sum": func(name string, text []byte) []byte {
		if name == sumsName {
			text[0] ^= 1
		}
		return text
	},
	"a line more": func(name string, text []byte) []byte {
		if name == sumsName {
			text = append(text, text...)
		}
		return text
	},
	"another signature": func(name string, text []byte) []byte {
		if strings.HasPrefix(name, sumsName+".") {
			text[len(text)/2] ^= 1
		}
		return text
	},
	"no signature": func(name string, text []byte) []byte {
		if strings.HasPrefix(name, sumsName+".") {
			return nil
		}
		return text
	},
}

// refuses installs from files that were changed.
func refuses(t *testing.T, h handout, path, what string,
	spoil func(name string, text []byte) []byte) {
	from, prefix := t.TempDir(), t.TempDir()
	for _, pattern := range []string{sumsName, sumsName + ".sig", sumsName + ".sshsig",
		"tada-run_*_linux_*.tar.gz"} {
		name := filepath.Base(h.name(t, pattern))
		text := spoil(name, h.file(t, pattern))
		if err := os.WriteFile(filepath.Join(from, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := install(h.dir, from, path, "--to", prefix); err == nil ||
		len(filesBelow(t, prefix)) > 0 {
		t.Errorf("%s: %v %s: %q", what, err, out, filesBelow(t, prefix))
	}
}

// install runs the installer of a release with the files of a folder.
func install(release, from, path string, args ...string) (string, error) {
	if args[0] != "--remove" {
		args = append(args, "--from", from)
	}
	cmd := exec.Command("/bin/sh", append([]string{filepath.Join(release, "install.sh")},
		args...)...)
	cmd.Env = []string{"PATH=" + path, "HOME=/nowhere"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// onlyWith is a PATH with what the installer needs, and one of the programs that can verify.
func onlyWith(t *testing.T, verifier string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range append(strings.Fields("awk base64 cat cp dirname find gzip mkdir mktemp "+
		"mv rm rmdir sed sha256sum sort tail tar uname"), verifier) {
		path, err := exec.LookPath(name)
		if name == "" {
			continue
		}
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// verifies reports whether a program is here, and new enough.
func verifies(program string) bool {
	if program == "openssl" {
		out, err := exec.Command(program, "version").Output()
		return err == nil && strings.HasPrefix(string(out), "OpenSSL 3")
	}
	_, err := exec.LookPath(program)
	return err == nil
}

func filesBelow(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
