// Package session is the terminal of one run, and who drives it.
package session
