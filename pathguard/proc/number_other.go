//go:build !linux

package proc

import "strconv"

// Dir returns the directory that /proc would have for a process, with a slash at its end.
func Dir(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/" }

// Number returns the number of the process that /proc shows as shown: here there is no /proc.
func Number(shown int) int { return shown }

// Mounts returns nothing: here no list of mounts is read.
func Mounts() (text string, version int) { return "", 0 }
