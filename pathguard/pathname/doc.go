// Package pathname compares paths by their text, and has the names of files that are known
// beforehand. It asks no disk.
package pathname
