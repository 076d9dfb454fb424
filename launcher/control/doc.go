// Package control is the access to a session (tada-run --session) while it runs.
//
// From outside, people and programs attach to it: a [Server] shows its terminal to clients, and one
// of them at a time drives it, under a lease (session.Lease). A person takes over, freezes,
// continues, and gives control back with a report of what was done.
//
// From inside, processes ask whether a command line may run ([Ask]), on one end of a [Pair] that
// the session's program inherits; [Requests] passes each question on to the launcher.
package control
