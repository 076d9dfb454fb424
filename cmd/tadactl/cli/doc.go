// Package cli is the person's door: it shows what waits for an answer, takes the answer,
// replays what ran and verifies the record. There is one file per verb.
//
// Every verb opens the same state directory that tada-run writes, judges by the same path,
// and prints the same facts as JSON with --json. The JSON of a verb is a contract: fields are
// added, never renamed.
//
// # Who may decide
//
// Answers, standing approvals, keys and trust are taken only from a process that the kernel says
// nothing suspicious of: what runs inside a fence, or has its no_new_privs, may ask and not decide
// (launcher.Launcher.May). An approval without a terminal has to name the plan that was read, by
// its first twelve digits. Risk above 1 is decided on a terminal, always, or by a signed answer
// that was given on somebody's terminal elsewhere.
package cli
