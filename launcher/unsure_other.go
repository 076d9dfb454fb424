//go:build !linux

package launcher

func keepsFiles(string) bool { return false }
