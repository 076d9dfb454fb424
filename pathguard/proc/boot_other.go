//go:build !linux && !darwin

package proc

func bootID() string { return "" }
