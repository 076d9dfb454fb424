package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A maker has what all steps need.
type maker struct {
	root string // of the repository
	to   string // where the files go
	work string // removed at the end
	env  env
	source
	out io.Writer // one line for each thing made or left out
}

// write writes one of the files that are handed out.
func (m *maker) write(name string, content []byte) error {
	fmt.Fprintf(m.out, "made      %s\n", name)
	return os.WriteFile(filepath.Join(m.to, name), content, 0o644)
}

// leaveOut says what is not made, and why.
func (m *maker) leaveOut(what, why string) {
	fmt.Fprintf(m.out, "left out  %s: %s\n", what, why)
}
