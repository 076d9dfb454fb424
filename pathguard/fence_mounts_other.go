//go:build !linux

package pathguard

func aliases(paths []string) []string { return paths }
func mirrored([]Grant) []string       { return nil }
