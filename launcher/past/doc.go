// Package past reads the runs of a record: what the log says about each, how it ended, what it did
// with the network, and what it changed.
package past
