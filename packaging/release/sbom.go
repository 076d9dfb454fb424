package main

import (
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A component is a module, in CycloneDX.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A dependency says what is linked into what.
type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// A bom is a CycloneDX 1.5 document.
type bom struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	} `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

// sbom lists what is linked into the programs, as they themselves say: go version -m prints the
// same.
func (m *maker) sbom() error {
	var b bom
	b.Format, b.Spec, b.Version = "CycloneDX", "1.5", 1
	b.Metadata.Timestamp = m.time.Format(time.RFC3339)
	b.Metadata.Component = component{Type: "application", Ref: "tada-run", Name: "tada-run",
		Version: m.version, PURL: "pkg:generic/tada-run@" + m.version}
	modules := map[string]component{}
	for _, program := range programs {
		linked := []string{}
		for _, arch := range arches {
			info, err := buildinfo.ReadFile(m.binary(arch, program))
			if err != nil {
				return err
			}
			for _, c := range linkedInto(info) {
				modules[c.PURL] = c
				linked = append(linked, c.Ref)
			}
		}
		slices.Sort(linked)
		own := component{Type: "application", Ref: program + "-program", Name: program,
			Version: m.version, PURL: "pkg:generic/" + program + "@" + m.version}
		b.Components = append(b.Components, own)
		b.Dependencies = append(b.Dependencies, dependency{own.Ref, slices.Compact(linked)})
	}
	for _, purl := range slices.Sorted(maps.Keys(modules)) {
		b.Components = append(b.Components, modules[purl])
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return m.write("tada-run_"+m.version+".cdx.json", append(text, '\n'))
}

// linkedInto are the modules of a program, and the standard library.
func linkedInto(info *debug.BuildInfo) []component {
	std := "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")
	all := []component{{Type: "library", Ref: std, Name: "std", PURL: std,
		Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		purl := "pkg:golang/" + d.Path + "@" + strings.ReplaceAll(d.Version, "+", "%2B")
		all = append(all, component{Type: "library", Ref: purl, Name: d.Path, Version: d.Version,
			PURL: purl, Properties: []property{{"go.sum", d.Sum}}})
	}
	return all
}
