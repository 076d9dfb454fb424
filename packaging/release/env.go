package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// env has the names, addresses and the key of packaging/release.env. Each key of keys is there,
// if only with an empty value.
type env map[string]string

// keys are the lines that release.env has, and the form of each value.
var keys = map[string]*regexp.Regexp{
	"MAINTAINER": regexp.MustCompile(`^[^<>"\\\n]+ <[^<>@ ]+@[^<>@ ]+>$`),
	"HOMEPAGE":   regexp.MustCompile(`^https://[a-zA-Z0-9./_-]+$`),
	"DOWNLOADS":  regexp.MustCompile(`^https://[a-zA-Z0-9./_-]+(\{version\})?[a-zA-Z0-9./_-]*$`),
	"PUBLIC_KEY": regexp.MustCompile(`^ssh-ed25519 [A-Za-z0-9+/]{68}$`),
}

// readEnv reads lines of the form KEY=VALUE. A value goes into programs, so each must have its
// form.
func readEnv(name string) (env, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	e := env{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		form, known := keys[key]
		_, twice := e[key]
		if !known || twice || value != "" && !form.MatchString(value) {
			return nil, fmt.Errorf("%s:%d: %q is unknown, there twice or not of its form", name,
				i+1, line)
		}
		e[key] = value
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if _, ok := e[key]; !ok {
			return nil, fmt.Errorf("%s has no line %s=", name, key)
		}
	}
	return e, nil
}

// missing returns which of these keys are empty, as a reason for leaving something out; "" for
// none.
func (e env) missing(wanted ...string) string {
	var empty []string
	for _, key := range wanted {
		if e[key] == "" {
			empty = append(empty, key)
		}
	}
	if len(empty) == 0 {
		return ""
	}
	return "packaging/release.env has no " + strings.Join(empty, ", ")
}

// downloads is the address of the folder with the files of a version.
func (e env) downloads(version string) string {
	return strings.ReplaceAll(strings.TrimSuffix(e["DOWNLOADS"], "/"), "{version}", version)
}

// fill replaces @{KEY} in a text by its value. A key without one is an error: the text would be
// wrong in a way that only its users see.
func fill(text string, values map[string]string) (string, error) {
	var unknown []string
	filled := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := values[found[2:len(found)-1]]
		if !ok {
			unknown = append(unknown, found)
		}
		return value
	})
	if unknown != nil {
		return "", fmt.Errorf("no value for %s", strings.Join(unknown, ", "))
	}
	return filled, nil
}

// placeholder cannot be mistaken for a variable of a shell or of Nix.
var placeholder = regexp.MustCompile(`@\{[A-Z0-9_]+\}`)
