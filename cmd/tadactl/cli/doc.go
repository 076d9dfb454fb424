// Package cli is the person's door: it shows what waits for an answer, takes the answer,
// replays what ran and verifies the record. There is one file per verb.
//
// Every verb opens the same state directory that tada-run writes, judges by the same path,
// and prints the same facts as JSON with --json. The JSON of a verb is a contract: fields are
// added, never renamed.
//
// # Who may decide
//
// approve and deny take a decision only from a person: a process inside a fence cannot reach
// the state directory at all, and an approval without a terminal has to name the plan that
// was read, by its first twelve digits. Risk above 1 is decided on a terminal, always.
package cli
