// Package command holds what is known of programs: which words of a command line are names
// that it reads, writes or deletes, which are hosts, and which are commands or code that it
// starts.
package command
