//go:build !linux

package launcher

// treeOf names the process tree that a process belongs to; all are one where it cannot be told.
func treeOf(int) string { return "any" }
