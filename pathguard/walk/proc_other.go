//go:build !linux

package walk

// procLink returns false: only Linux has links that are not text.
func (*steps) procLink(Dir, string, string) bool { return false }
