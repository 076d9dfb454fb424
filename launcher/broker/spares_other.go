//go:build !linux || !(amd64 || arm64)

package broker

// Spares are objects for new entries; there are none here.
type Spares struct{}
