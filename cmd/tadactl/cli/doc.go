// Package cli is the person's command, tadactl: it shows what waits for an answer, takes the
// answer, replays what ran and verifies the record. There is one file per verb.
//
// Every verb opens the state directory that tada-run writes, judges in the same way, and prints the
// same facts as JSON with --json. The JSON of a verb is a contract: fields are added, never
// renamed.
//
// # Who may decide
//
// Answers, grants, keys and trust are accepted only from a process about which the kernel reports
// nothing suspicious: a process inside a sandbox, or with the sandbox's no_new_privs, may ask but
// not decide (launcher.Launcher.May). An approval without a terminal has to name the plan that was
// read, by its first twelve digits. Risk above 1 is always decided on a terminal, or by a signed
// answer that was given on another person's terminal elsewhere.
package cli
