//go:build linux || darwin

package undo

// pathOf is the name of a handle as the kernel has it; "" if it is not known.
func pathOf(fd int) string {
	path, err := nameOf(fd)
	if err != nil {
		return ""
	}
	return path
}
