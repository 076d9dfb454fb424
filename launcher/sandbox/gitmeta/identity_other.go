//go:build !linux && !darwin

package gitmeta

import "io/fs"

// An identity is what mostly changes when a file is written. Nothing is sandboxed on these systems.
type identity struct {
	size     int64
	modified int64
}

func identify(st fs.FileInfo) identity { return identity{st.Size(), st.ModTime().UnixNano()} }
