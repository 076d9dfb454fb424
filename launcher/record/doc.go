// Package record is the log and the transcripts of a state directory, as the launcher writes and
// reads them. Package audit has their formats and proofs; this package has their places, and the
// names of the kinds of entries.
//
//	exec.intent -> exec.denied                         a command that was not run
//	exec.intent -> exec.start -> exec.end              one that was
//	exec.intent -> exec.failed                         one that could not be started
//
// Entries about questions come between intent and start; package approval has their kinds. What
// cannot be recorded does not run: the error is an [Error], with the command to type.
//
// The environment does not decide where the log is kept: AUDIT_LOG_PATH belongs to the caller.
package record
