// Package permit decides whether a judged request may run, and asks a person where the policy says
// so. It judges nothing, and it starts nothing.
//
// # One request
//
// An [Attempt] is a [Case] that a permission is asked for. [Attempt.Permit] answers by the policy's
// own verdict, by a standing approval for exactly this plan, or by a question. The question is
// stored before anyone sees it, and the answer comes over a channel that no command can write to.
// The request is then judged again ([Attempt.Again]), because the world had time to change while a
// person was thinking, and the approval is consumed in one transaction for the plan as it is then.
// The result is an [Authority], or a refusal. With the profile ci no one is asked: only answers to
// exactly this plan that trusted keys signed beforehand count.
//
// If the same command line was approved for another plan, the difference is reported, by the names
// of variables and files and without values. For that, run/asked keeps salted hashes of what each
// open question depends on ([Facts]). They decide nothing.
//
// # All requests
//
// [Approvals] are the questions, answers, standing approvals and keys of one state directory. Every
// change of the store is recorded. The store keeps each event until the log has it, so that a
// process that dies in between loses none: a process that changes the store holds a shared lock,
// from before the change until its events are in the log and out of the store; a process that
// records what dead ones have left takes the lock exclusively. Store and log each remember how far
// the other had come, and uses are also marked outside the state directory, so that no older copy
// of any of them brings back an approval that was used.
//
// A process that waits for the answer to its question holds a lock on run/waiting/ID. After it has
// ended, the next process that checks withdraws the question.
//
// Everything that answers for a person calls [Approvals.May] at that moment, which uses the facts
// of package caller.
package permit
