// Package watch compares what there is before a command with what there is after it, and tells the
// person and the record what a command left, reached or was refused.
//
// Each watcher is one function in a file of its own and one line of the list in list.go. It looks
// while the sandbox is being built ([Look]), and what it returns is called when the command has
// ended ([Comparisons.Find]): it writes notices, and returns fields for the entry about the end.
package watch
