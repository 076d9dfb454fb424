package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A file is one that packages have.
type file struct {
	content []byte
	mode    os.FileMode
}

// A tree has the files of a package by their names below the prefix, as bin/tada-run.
type tree map[string]file

// pages returns the manual pages and completions, which are the same for every machine.
func (m *maker) pages() (tree, error) {
	t := tree{}
	if err := m.manual(t); err != nil {
		return nil, err
	}
	for shell, where := range completions {
		script, err := m.output("", "tadactl", "completion", shell)
		if err != nil {
			return nil, err
		}
		for _, program := range programs {
			own, err := onlyOf(script, shell, program)
			if err != nil {
				return nil, err
			}
			t[fmt.Sprintf(where, program)] = file{[]byte(own), 0o644}
		}
	}
	return t, nil
}

// completions are the names under which each shell looks for the completion of a program.
var completions = map[string]string{
	"bash": "share/bash-completion/completions/%s",
	"zsh":  "share/zsh/site-functions/_%s",
	"fish": "share/fish/vendor_completions.d/%s.fish",
}

// begins is the line with which the part for one program begins. A shell that finds the file by its
// name wants nothing else in it, and zsh wants this line first.
var begins = map[string]string{
	"bash": "# bash completion for %s\n",
	"zsh":  "#compdef %s\n",
	"fish": "# fish completion for %s ",
}

// onlyOf cuts the part for one program out of a script for both.
func onlyOf(script, shell, program string) (string, error) {
	start := strings.Index(script, fmt.Sprintf(begins[shell], program))
	if start < 0 {
		return "", fmt.Errorf("the %s completion has no part for %s", shell, program)
	}
	end := len(script)
	for _, other := range programs {
		if at := strings.Index(script, fmt.Sprintf(begins[shell], other)); at > start {
			end = at
		}
	}
	// zsh's part for the next program is after a line that only a sourced script needs
	own := script[start:end]
	if at := strings.LastIndex(own, "\nwhence compdef "); at >= 0 {
		own = own[:at+1]
	}
	return own, nil
}

// manual adds the manual pages, compressed as distributions want them.
func (m *maker) manual(t tree) error {
	dir := filepath.Join(m.work, "man")
	if _, err := m.output("", "tadactl", "man", dir); err != nil {
		return err
	}
	help, err := m.output("", "tada-run", "--help")
	if err != nil {
		return err
	}
	page, err := m.output(help, "tadactl", "man", "-")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "tada-run.1"), []byte(page), 0o644); err != nil {
		return err
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, p := range pages {
		text, err := os.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			return err
		}
		name := "share/man/man" + strings.TrimPrefix(filepath.Ext(p.Name()), ".") + "/" + p.Name()
		t[name+".gz"] = file{compressed(text), 0o644}
	}
	return nil
}

// compressed returns the bytes as gzip -9n makes them: with neither a name nor a time.
func compressed(text []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(text) // into memory
	_ = w.Close()
	return b.Bytes()
}
