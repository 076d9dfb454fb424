package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// formats are the kinds of packages that nfpm makes.
var formats = []string{"deb", "rpm", "apk", "archlinux"}

const short = "judges, asks about, sandboxes and records an AI agent's commands"

// long is the rest of a description, with the line ends of YAML.
const long = `\nEach command line that an agent proposes is parsed, checked against the` +
	`\nreal files, needs an approval when it matters, is sandboxed by the kernel,` +
	`\nand is recorded so that anyone can verify it. No root, no daemon, no setuid.`

// systemPackages makes the packages of Linux distributions, as packaging/nfpm.yaml describes them.
func (m *maker) systemPackages(arch string, t tree) error {
	dir := filepath.Join(m.work, "system-"+arch)
	if err := t.lay(dir, m.time); err != nil {
		return err
	}
	if err := m.debian(dir); err != nil {
		return err
	}
	return m.systemPackage("nfpm.yaml", arch, dir, long)
}

// systemPackage makes a package of each format, of the files in dir.
func (m *maker) systemPackage(text, arch, dir, about string) error {
	for _, format := range formats {
		description, err := m.description(text, arch, format, dir, about)
		if err != nil {
			return err
		}
		config := filepath.Join(m.work, arch+"-"+text)
		if err := os.WriteFile(config, description, 0o644); err != nil {
			return err
		}
		if err := m.nfpm(config, format); err != nil {
			return err
		}
	}
	return nil
}

// description returns a text such as nfpm.yaml for one package, whose files are in dir; about is
// the rest of what it says of itself.
func (m *maker) description(text, arch, format, dir, about string) ([]byte, error) {
	values := map[string]string{"ARCH": arch, "TREE": dir, "MAINTAINER": m.maintainer(),
		"TIME": m.time.Format(time.RFC3339), "SHORT": short, "LONG": ""}
	if format == "deb" || format == "rpm" {
		values["LONG"] = about
	}
	return m.filled(text, values)
}

// nfpm is a tool with its own go.mod, so that nothing of it is linked or tested with the programs.
func (m *maker) nfpm(config, format string) error {
	cmd := exec.Command("go", "tool", "-modfile=packaging/tools/go.mod", "nfpm", "package",
		"--config", config, "--packager", format, "--target", m.to)
	cmd.Dir = m.root
	cmd.Env = append(buildEnv(os.Environ()), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", m.time.Unix()))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("nfpm %s: %w\n%s", format, err, out)
	}
	_, name, _ := strings.Cut(string(out), "created package: ")
	fmt.Fprintf(m.out, "made      %s\n", filepath.Base(strings.TrimSpace(name)))
	return nil
}

// debian adds the changelog that Debian asks for. The real one is git's.
func (m *maker) debian(dir string) error {
	text := fmt.Sprintf("tada-run (%s) unstable; urgency=medium\n\n"+
		"  * Commit %s; git has what changed.\n\n -- %s  %s\n",
		strings.Replace(m.version, "-", "~", 1),
		m.commit, m.maintainer(), m.time.Format(time.RFC1123Z))
	name := filepath.Join(dir, "changelog.gz")
	return os.WriteFile(name, compressed([]byte(text)), 0o644)
}

// maintainer is who answers for a package. There is no package without one.
func (m *maker) maintainer() string {
	if m.env["MAINTAINER"] == "" {
		return "Not Filled <not-filled@release.invalid>"
	}
	return m.env["MAINTAINER"]
}
