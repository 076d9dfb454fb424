// Package inbox shows the open questions on the screen of a terminal, and takes the answers to
// them.
package inbox
