// Package integration holds what looks at tada-run from outside: the transcripts that
// use both binaries as a person and an agent would, and the tests of the repository
// itself. The platforms that ask (hooks, MCP, quarantine) live in folders below it.
//
// # Transcripts
//
// testdata/script/*.txtar are testscript stories. Each one starts with a comment that says
// who does what, runs the real binaries against the real kernel, a real pty and a real
// bbolt file, and can be read from top to bottom as documentation. Run one with
//
//	go test ./integration -run 'TestScript/approve'
//
// Two commands are added to testscript's own: "term COMMAND" runs a command on a private
// terminal and plays the lines of a dialogue file into it, and "waitfor FILE" waits until a
// file exists and is not empty.
//
// # The house
//
// house_test.go holds the plan of the folders: which may import which, and why. It reads the
// sources in its own process. A test that shelled out to the go command would be served
// stale by the test cache, because the cache does not know which files that command read.
package integration
