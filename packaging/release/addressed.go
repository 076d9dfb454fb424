package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// addressed makes what downloads other files, and so needs their address.
func (m *maker) addressed() error {
	if why := m.env.missing("DOWNLOADS", "PUBLIC_KEY"); why != "" {
		m.leaveOut("install.sh, the devcontainer feature", why)
	} else if err := m.installer(); err != nil {
		return err
	}
	if why := m.env.missing("DOWNLOADS", "HOMEPAGE"); why != "" {
		m.leaveOut("tada-run.rb", why)
		return nil
	}
	return m.formula()
}

// filled returns a file of packaging with its values.
func (m *maker) filled(name string, more map[string]string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(m.root, "packaging", name))
	if err != nil {
		return nil, err
	}
	values := map[string]string{"VERSION": m.version, "DOWNLOADS": m.env.downloads(m.version),
		"PUBLIC_KEY": m.env["PUBLIC_KEY"], "HOMEPAGE": m.env["HOMEPAGE"]}
	for key, value := range more {
		values[key] = value
	}
	out, err := fill(string(text), values)
	if err != nil {
		return nil, fmt.Errorf("packaging/%s: %w", name, err)
	}
	return []byte(out), nil
}

// installer makes install.sh, and the feature of development containers, which runs it.
func (m *maker) installer() error {
	script, err := m.filled("install.sh", nil)
	if err != nil {
		return err
	}
	if err := m.write("install.sh", script); err != nil {
		return err
	}
	about, err := m.filled("devcontainer/devcontainer-feature.json", nil)
	if err != nil {
		return err
	}
	install, err := m.filled("devcontainer/install.sh", nil)
	if err != nil {
		return err
	}
	feature, err := tree{
		"devcontainer-feature.json": {about, 0o644},
		"install.sh":                {install, 0o755},
		"install-release.sh":        {script, 0o755},
	}.pack(m.time)
	if err != nil {
		return err
	}
	return m.write("devcontainer-feature-tada-run.tgz", feature)
}

// formula makes the formula of Homebrew, with the hashes of the archives.
func (m *maker) formula() error {
	values := map[string]string{}
	for arch, key := range map[string]string{"amd64": "SHA256_AMD64", "arm64": "SHA256_ARM64"} {
		text, err := os.ReadFile(filepath.Join(m.to, m.archiveName(arch)))
		if err != nil {
			return err
		}
		values[key] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	text, err := m.filled("homebrew/tada-run.rb", values)
	if err != nil {
		return err
	}
	return m.write("tada-run.rb", text)
}
