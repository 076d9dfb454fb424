// Package integration tests tada-run from outside: transcripts that use both binaries as a user and
// an agent would, and tests of the repository itself. The code that agent programs call (hooks,
// MCP, quarantine) is in the directories below it.
//
// # Transcripts
//
// testdata/script/*.txtar are testscript files. Each starts with a comment that says what the user
// and the agent do. It runs the real binaries with the real kernel, a real terminal and a real
// bbolt file, and can be read as documentation from top to bottom. Run one with
//
//	go test ./integration -run 'TestScript/approve'
//
// Two commands are added to testscript's own: "term COMMAND" runs a command on a private terminal
// and types the lines of a dialogue file into it, and "waitfor FILE" waits until a file exists and
// is not empty.
//
// # The house
//
// house_test.go has the plan of the packages: which may import which, and why. It reads the sources
// itself: the test cache does not know which files the go command reads, so a test that ran it
// would be served from the cache after a change.
package integration
