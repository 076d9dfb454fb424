// Package proc reads the files in which the kernel says how things are, each in as few calls as it
// takes, and those that do not change in a run once.
package proc
