package main

import (
	"os"
	"path/filepath"
)

// fleetPackages makes the packages of tada-fleet: one archive, and those of Linux distributions, as
// packaging/nfpm-fleet.yaml describes them.
func (m *maker) fleetPackages(arch string) error {
	if err := m.goBuild(arch, fleetProgram); err != nil {
		return err
	}
	text, err := os.ReadFile(m.binary(arch, fleetProgram))
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(m.root, "LICENSE"))
	if err != nil {
		return err
	}
	t := tree{"bin/" + fleetProgram: file{text, 0o755},
		"share/doc/tada-run-fleet/LICENSE": file{license, 0o644}}
	packed, err := t.pack(m.time)
	if err != nil {
		return err
	}
	name := fleetProgram + "_" + m.version + "_linux_" + arch + ".tar.gz"
	if err := m.write(name, packed); err != nil {
		return err
	}
	dir := filepath.Join(m.work, "fleet-"+arch)
	if err := t.lay(dir, m.time); err != nil {
		return err
	}
	if err := m.debian(dir); err != nil {
		return err
	}
	return m.systemPackage("nfpm-fleet.yaml", arch, dir, longFleet)
}

// longFleet is the rest of the description, with the line ends of YAML.
const longFleet = `\nOne inbox for the questions of several machines, one list of people who` +
	`\nanswer them, one way to stop. Machines in no fleet do not need it.`
