// Package watch compares the state before a command with the state after it, and reports to the
// person and the log what a command left, reached or was refused.
//
// Each watcher is one function in a separate file and one line of the list in list.go. It looks
// while the sandbox is being built ([Look]) and returns a function that is called when the command
// has ended ([Comparisons.Find]): that function writes notices, and returns fields for the end
// entry of the log.
package watch
