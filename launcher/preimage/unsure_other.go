//go:build !linux

package preimage

func keepsFiles(string) bool { return false }
