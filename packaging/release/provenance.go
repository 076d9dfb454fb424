package main

import (
	"encoding/json"
	"runtime"
)

// A statement says, in the form of in-toto, from which commit and how files were made. It is among
// the files whose checksums are signed.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     struct {
		BuildDefinition struct {
			BuildType            string            `json:"buildType"`
			ExternalParameters   map[string]string `json:"externalParameters"`
			ResolvedDependencies []resource        `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
		} `json:"runDetails"`
	} `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type resource struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

const how = "urn:tada-run:make-packages:v1"

func (m *maker) provenance() error {
	var s statement
	s.Type, s.PredicateType = "https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"
	sums, err := m.sums()
	if err != nil {
		return err
	}
	for _, sum := range sums {
		s.Subject = append(s.Subject, subject{sum.name, map[string]string{"sha256": sum.hex}})
	}
	build := &s.Predicate.BuildDefinition
	build.BuildType = how
	build.ExternalParameters = map[string]string{"command": "make packages", "version": m.version,
		"go": runtime.Version()}
	build.ResolvedDependencies = []resource{
		{"source", map[string]string{"gitCommit": m.commit}}}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return m.write("tada-run_"+m.version+".provenance.json", append(text, '\n'))
}
