package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newKey writes a key as openssl genpkey does.
func newKey(t *testing.T, name string) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return key
}

// A value ends up in a script, a formula and a manifest. What has another form is refused.
func TestEnv(t *testing.T) {
	name := filepath.Join(t.TempDir(), "release.env")
	rest := "HOMEPAGE=\nPUBLIC_KEY=\nDOWNLOADS=\n"
	for text, good := range map[string]bool{
		"MAINTAINER=\n" + rest:                                                 true,
		"# a line\n\nMAINTAINER=A B <a@b.example>\n" + rest:                    true,
		"MAINTAINER=A\" <a@b.example>\n" + rest:                                false,
		"MAINTAINER=A B\n" + rest:                                              false,
		rest:                                                                   false,
		"MAINTAINER=\nMAINTAINER=\n" + rest:                                    false,
		"MAINTAINER=\nNAME=x\n" + rest:                                         false,
		"MAINTAINER=\nHOMEPAGE=\nPUBLIC_KEY=x\nDOWNLOADS=\n":                   false,
		"MAINTAINER=\nHOMEPAGE=http://x/\nPUBLIC_KEY=\nDOWNLOADS=\n":           false,
		"MAINTAINER=\nHOMEPAGE=\nPUBLIC_KEY=\nDOWNLOADS=https://x/'$(id)\n":    false,
		"MAINTAINER=\nHOMEPAGE=\nPUBLIC_KEY=\nDOWNLOADS=https://x/{version}\n": true,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readEnv(name); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
	if e, err := readEnv("../release.env"); err != nil || len(e) != len(keys) {
		t.Errorf("the file of the repository: %v, %v", e, err)
	}
}

func TestFill(t *testing.T) {
	got, err := fill("@{A} ${A} {A} @{A}", map[string]string{"A": "x @{B}"})
	if err != nil || got != "x @{B} ${A} {A} x @{B}" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := fill("@{A} @{B}", map[string]string{"A": "x"}); err == nil {
		t.Errorf("%q", got)
	}
}

// Only a commit with a tag, without changes, all names and the right key is a release.
func TestNotARelease(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	env, key := filledEnv(t)
	refused := func(why string, o options) {
		t.Helper()
		o.to, o.tagged = filepath.Join(t.TempDir(), "dist"), true
		err := release(dir, o, io.Discard)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
		if files, _ := os.ReadDir(o.to); len(files) > 0 {
			t.Errorf("%s: there are files", why)
		}
	}
	refused("has no tag vX.Y.Z", options{env: env, key: key})
	git(t, dir, "tag", "v1.2.3-rc.1")
	refused("packaging/release.env has no HOMEPAGE", options{env: env, key: key})
	refused("packaging/release.env has no DOWNLOADS", options{env: "../release.env", key: key})
	refused("no key to sign with", options{env: env})
	other := filepath.Join(dir, "other.pem")
	newKey(t, other)
	refused("the key is not that of", options{env: env, key: other})
	refused("changes that are not committed", options{env: env, key: key})
	refused("has no key in PEM", options{env: env, key: env})
	if s, err := describe(dir); err != nil || s.version != "1.2.3-rc.1" || !s.changed {
		t.Errorf("%+v, %v", s, err)
	}
	git(t, dir, "tag", "-d", "v1.2.3-rc.1")
	git(t, dir, "tag", "v1.2.3;x")
	s, err := describe(dir)
	if err != nil || s.version != "0.0."+s.time.Format("20060102150405") || s.tag != "" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Files of an older release are never mixed with those of a newer one.
func TestFolderWithFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old.deb"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := empty(dir); err == nil {
		t.Error("there are files already")
	}
}

// The formula has the hashes of both archives.
func TestFormula(t *testing.T) {
	m := &maker{root: "../..", to: t.TempDir(), out: io.Discard,
		source: source{version: "1.2.3", time: time.Unix(0, 0)},
		env: env{"DOWNLOADS": "https://example.com/{version}",
			"HOMEPAGE": "https://example.com/"}}
	for _, arch := range arches {
		if err := m.archive(arch, tree{"bin/" + arch: {nil, 0o755}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.formula(); err != nil {
		t.Fatal(err)
	}
	text := string(read(t, filepath.Join(m.to, "tada-run.rb")))
	sums, err := m.sums()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sums {
		url := "https://example.com/1.2.3/" + s.name + "\"\n    sha256 \"" + s.hex + "\""
		if strings.HasSuffix(s.name, ".gz") && !strings.Contains(text, url) {
			t.Errorf("there is no %q in\n%s", url, text)
		}
	}
}
