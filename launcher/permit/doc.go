// Package permit decides whether a judged request may run, and asks a person where the policy says
// so. It judges nothing, and it starts nothing.
//
// # One request
//
// An [Attempt] is a [Case] that a permission is asked for. [Attempt.Permit] answers by the policy's
// own verdict, by a standing approval for exactly this plan, or by a question: it is stored before
// anyone sees it, the answer comes over a channel that no command can write, the request is judged
// anew ([Attempt.Again]), because the world had time to change while a person was thinking, and the
// approval is consumed in one transaction for the plan as it is then. What comes of it is an
// [Authority], or a refusal. With the profile ci nobody is asked: only answers to exactly this plan
// that trusted keys signed beforehand count.
//
// An approval of the same command line that is for another plan is reported with the difference, by
// the names of variables and files and without values. For that, run/asked keeps salted hashes of
// what each open question depends on ([Facts]). They decide nothing.
//
// # All requests
//
// [Approvals] are the questions, answers, standing approvals and keys of one state directory. Every
// change of the store is recorded. The store keeps each event until the log has it, so that a
// process that dies in between loses none: who changes the store holds a lock shared, from before
// the change until its events are in the log and out of the store; who reports what the dead have
// left takes it alone. Store and log each remember how far the other had come, and what was used is
// also marked outside the state directory, so that no older copy of any of them gives back what was
// used.
//
// A process that waits for the answer to its question holds a lock on run/waiting/ID. When it has
// ended, whoever looks next withdraws the question.
//
// Whatever answers for a person asks [Approvals.May] at that moment, by the facts of package
// caller.
package permit
