// Package launcher is the one place where the arrows meet: a command line comes in, and what
// comes out is an exit status and a record that proves it. Every room below does one thing and
// knows none of the others; the order in which they are asked stands here, in [Launcher.Run].
//
//	text -shellparse-> Script -pathguard-> Plan -> Verdict -approval-> Envelope -sandbox, session-> Run
//	                                                    every arrow -audit-> Record
//
// # The order of the steps
//
//  1. Judge parses the text, resolves its names to files that stay open, and asks the policy. It
//     can start nothing and writes nothing; [Launcher.Judge] is the same call for checks, hooks
//     and servers.
//  2. The intent is written to the log. Where the next step may run it, the entry is on the disk
//     before that step.
//  3. A verdict of deny ends here. A verdict of ask needs a person's yes: the question is stored
//     before anybody sees it, the answer comes over a channel that no command can write, the
//     request is judged anew, and the yes is spent in one transaction for exactly that plan.
//  4. The fence is built from the plan's open files, the transcript is opened, and the real shell
//     executes the canonical text: what was judged is what runs.
//  5. Every byte is recorded before it is passed on. When the command ends, what it left behind is
//     ended, the output is drained, and transcript head and exit status go into the log.
//
// # Several commands at once
//
// [Launcher.RunBatch] asks once for all of a [Batch]. The plan that is shown holds each call with what it does
// and with the hash of the plan that the call has alone; the person answers each by its id. Nothing runs
// before the answer. Then the calls run in their order, each judged again: what policy denies or the person
// denied is skipped, and what is no longer the plan that was shown is refused.
//
// # The state directory
//
// ~/.tada, in the home directory that /etc/passwd gives the account: config.yaml, approvals.db,
// audit/, sessions/, run/. Folders are 0700 and files 0600; looser ones, and those of another
// user, are refused with exit status 78. No fence lets a command read or write it.
//
// # Descriptors
//
// A command called through tada-run has the descriptors above 2 that a shell would have passed on: pipes, and
// files that the fence lets it reach by name, in the way that they are open. Directories, sockets, terminals and everything
// else stay here, and the start in the record says which. A run in the background has none. Of 0, 1 and 2 a closed one is /dev/null,
// because the Go runtime puts it there before anybody can look.
//
// # Failure
//
// What cannot be judged asks, what cannot be enforced or recorded does not run, and what was lost
// is told once. An error of Run means that nothing ran, except an [AfterError], which says that the
// command ran and its record may not be whole.
package launcher
