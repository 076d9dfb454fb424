package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sumsName is the file that is signed. It names every other file, the version included, so an old
// one does not pass for a new one.
const sumsName = "SHA256SUMS"

type sum struct{ name, hex string }

// sums returns the hash of each file that was made so far, by name.
func (m *maker) sums() (all []sum, err error) {
	files, err := os.ReadDir(m.to)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(m.to, f.Name()))
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256(text)
		all = append(all, sum{f.Name(), hex.EncodeToString(hash[:])})
	}
	return all, nil
}

// writeSums writes the file that sha256sum -c reads.
func (m *maker) writeSums() error {
	all, err := m.sums()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, s := range all {
		fmt.Fprintf(&text, "%s  %s\n", s.hex, s.name)
	}
	return m.write(sumsName, []byte(text.String()))
}
