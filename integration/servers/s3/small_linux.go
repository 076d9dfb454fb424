package main

import (
	"os"
	"syscall"
)

// small mounts a file system of a size.
func small(dir, size string) error {
	if size == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size)
}
