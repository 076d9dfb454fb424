package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// npmArches are the words of npm for what packages are made for.
var npmArches = map[string]string{"amd64": "x64", "arm64": "arm64"}

// A manifest is a package.json. There are no scripts: npm installs files and runs nothing.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	Homepage             string            `json:"homepage,omitempty"`
	License              string            `json:"license"`
	OS                   []string          `json:"os"`
	CPU                  []string          `json:"cpu"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"`
}

// npm makes a package for each machine with the programs, and one that depends on all of them, of
// which npm installs the one that fits.
func (m *maker) npm() error {
	base := manifest{Version: m.version, Homepage: m.env["HOMEPAGE"], License: "Apache-2.0",
		OS: []string{"linux"}}
	start := base
	start.Name = "tada-run"
	start.Description = "Judges, asks about, sandboxes and records an AI agent's commands"
	start.Bin = map[string]string{}
	start.OptionalDependencies = map[string]string{}
	start.Files = []string{"bin"}
	starter, err := os.ReadFile(filepath.Join(m.root, "packaging/npm/start.js"))
	if err != nil {
		return err
	}
	files := tree{}
	for _, program := range programs {
		start.Bin[program] = "bin/" + program + ".js"
		files["bin/"+program+".js"] = file{starter, 0o755}
	}
	for _, arch := range arches {
		start.CPU = append(start.CPU, npmArches[arch])
		own := base
		own.Name = "tada-run-linux-" + npmArches[arch]
		own.Description = "The programs of tada-run for Linux on " + npmArches[arch]
		own.CPU, own.Files, own.PreferUnplugged = []string{npmArches[arch]}, programs, true
		start.OptionalDependencies[own.Name] = m.version
		content := tree{}
		for _, program := range programs {
			text, err := os.ReadFile(m.binary(arch, program))
			if err != nil {
				return err
			}
			content[program] = file{text, 0o755}
		}
		if err := m.npmPackage(own, content); err != nil {
			return err
		}
	}
	return m.npmPackage(start, files)
}

// npmPackage writes one package as npm publish takes it, and as npm install takes it from a file.
func (m *maker) npmPackage(about manifest, files tree) error {
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(m.root, "LICENSE"))
	if err != nil {
		return err
	}
	packed := tree{"package/package.json": file{append(text, '\n'), 0o644},
		"package/LICENSE": file{license, 0o644}}
	for name, f := range files {
		packed["package/"+name] = f
	}
	archive, err := packed.pack(m.time)
	if err != nil {
		return err
	}
	return m.write(about.Name+"-"+m.version+".tgz", archive)
}
