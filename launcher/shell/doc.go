// Package shell describes how a shell is called, and finds the real one: this program may be
// started under its name.
package shell
