// Package launcher runs a command line. The result is an exit status and a record that proves it.
// Each package below does one thing and knows none of the others; [Launcher.Run] calls them in
// order.
//
//	text -shellparse-> Script -pathguard-> Plan -> Verdict -approval-> Envelope -sandbox, session-> Run
//	                                                    every arrow -audit-> Record
//
// # The order of the steps
//
// Each step takes the value of the step before and returns one of a new type: a [Judgement], an
// attempt (the log is open for it), an announced run, a permitted one, a started one, its
// supervision, and one that has ended. A step cannot use what an earlier step has not made.
//
//  1. Judge parses the text, resolves its names to files that stay open, and applies the policy. It
//     can start nothing and writes nothing; [Launcher.Judge] is the same call for checks, hooks
//     and servers.
//  2. The intent is written to the log (announced). If the next step may run the command, the entry
//     is on the disk before that step; the sandbox is built at the same time (standby).
//  3. A verdict of deny ends here. A verdict of ask needs a person's approval: the question is
//     stored before anyone sees it, the answer comes over a channel that no command can write to,
//     the request is judged again, and the approval is consumed in one transaction for exactly
//     that plan (package permit).
//  4. The sandbox is built from the plan's open files, the transcript is opened, and the real shell
//     executes the canonical text: what was judged is what runs (started). Files that a shell or an
//     interpreter opens by name are checked again just before; see "Names that are opened late".
//  5. Output of the command is recorded before it is passed on to the caller, unless it goes to
//     /dev/null. When the command ends, its remaining processes are killed, the output is drained,
//     the state before is compared with the state after (package watch), and the head of the
//     transcript and the exit status go into the log. Where background processes may continue
//     (Keep), the caller gets the status at once, and the run ends when all of them have ended.
//
// # What an approval depends on
//
// An approval depends on everything that can change what runs or where it goes: the text, the
// files, the directory, standard input, policy, umask, and every variable that the command gets,
// unknown ones too. A variable that it does not get is not bound. A variable is not bound either if
// it only identifies a terminal, window or call (call= in shellparse/catalog/environ.txt), its
// value is a number, a word or an id, and no text of the plan names it: such a value is no path,
// option, list or address. A program whose text is not part of the plan may still read it.
// Variables of the caller's own shell or connection (OLDPWD, SSH_CLIENT) are not passed to
// commands, unless environment.keep passes them on; then they are bound. PWD is the directory that
// the command runs in, whatever the caller's value. So an agent that repeats a command makes the
// identical plan, through its shell, its hook, both, or a server. Inside a session it is another
// plan than outside, because the sandbox is another.
//
// If the same command line was approved for another plan, the difference is reported (Unfit): by
// the name of the variable or file, without values. For that purpose run/asked keeps salted hashes
// of what each open question depends on.
//
// # Limits on questions
//
// 10 open questions, and 100 in an hour, for each process tree in a workspace, identified by its
// outermost ancestor of this account; 200 open ones for the account. Anything beyond has to wait
// (75) and is not denied. Questions at the caller's own terminal are not limited.
//
// # Several commands at once
//
// [Launcher.RunBatch] asks once for all of a [Batch]. The plan that is shown lists each call with
// its effects and with the hash of the plan that the call has alone; the person answers each by its
// id. Nothing runs before the answer. Then the calls run in their order, each judged again: a call
// that policy denies or the person denied is skipped, and one whose plan is no longer the plan that
// was shown is refused.
//
// # Commands inside the text of an agent program
//
// Agent programs that call a shell put their agent's command into a text of their own, which
// sources a snapshot of the person's shell and writes down the directory. If the text contains
// nothing but such housekeeping (package wrapper has the table), the plan is that of the command
// alone: the same through every entry point, from call to call and from version to version of the
// program. This holds only if the whole would start and touch the same, and gets the same
// judgement. The whole text runs; the sandbox is that of the command, plus the files that the
// housekeeping writes. A question names the program beside its page. If any other text passes one
// literal to eval or a shell, that literal is shown first, and the person must read the whole text.
//
// # Descriptors
//
// A command called through tada-run has the descriptors above 2 that a shell would have passed on:
// pipes, and files that the sandbox lets it reach by name, in the mode in which they are open.
// Directories, sockets, terminals and everything else are not passed on, and the start entry in the
// log lists them. A run in the background has none. If 0, 1 or 2 is closed, it becomes /dev/null,
// because the Go runtime does that before any code of ours runs.
//
// # Names that are opened late
//
// Files that the sandbox grants, the directory, and a program given as words are used through the
// descriptors that were judged. A script, a program in a command line and the files that these
// include are opened by name, by bash or an interpreter, because $0, BASH_SOURCE and __file__ are
// those names. Their texts are bound by hash. Just before the command may run, each name must still
// lead to the same file with the same text, or nothing runs (mismatch). A process outside the
// sandbox that may write there can still replace the file later, but what executes it reads the
// text that was judged: the broker hands out a sealed copy (broker.Script), whatever is at the
// name, until the run itself changes the file. Mounts cannot do that: a rename over the name
// removes the mount, and a copy mounted over it keeps builds and updates from replacing the files
// that they ran. Still by name are programs, and the first line of a script that execve(2) reads
// itself; what a session runs (within); and all files where the kernel hands over no calls. The end
// entry in the log lists the names that changed in that time (swapped); in a session it does not.
//
// # Sessions
//
// With Request.Hold a run is a session (tada-run --session): an agent with everything that it
// starts, or a shell. The process that called Run holds it; there is no daemon. It leaves the
// terminal that it was started from. It ends when its program does, on SIGTERM or SIGHUP (logout:
// it hangs up the program's terminal), or when it is killed; then everything in the sandbox ends,
// and the next run records its end. Closing a window ends only the client in it: tadactl sessions
// finds the session again. A run that is not a session has its terminal for itself: attach shows
// its transcript as it grows, and no one else can type.
//
// Clients attach at run/ID.sock in the state directory, 0600. No sandbox shows that folder, and
// none lets a process connect to a socket of another user. The peer is checked all the same, by
// what the kernel reports about the process: a process of another user, or one with no_new_privs or
// a seccomp filter that the machine's first process does not have, may not even watch; to take
// control, it must also be able to type on a terminal. A client that stops in the middle of a
// message, or sends nothing at first, is cut off after ten seconds.
//
//	ctl.attach           a person watches            ctl.freeze    nothing runs, no one types
//	ctl.takeover         a person takes control      ctl.continue  it continues
//	ctl.handback         and gives it back: report   ctl.private   input is committed, not stored
//	ctl.detach           the controller left         ctl.public    and is stored again
//	ctl.kill             a person ended it           ctl.refused   no person, or policy forbids it
//
// Each carries sid, epoch and by, and device if a person used one that is not the terminal that by
// names: a browser, on a page of the console. The client states it, and the kernel does not. The
// transcript names the author of each piece of input: person, agent:?NAME, or human:UID@TTY#EPOCH,
// where the kernel names the terminal. A viewer has at most 256 KiB of output waiting; more is
// dropped, and it gets the present screen when it reads again. The client in control may stall the
// program by not reading, for a second. A lease without a key for five minutes ends, or after the
// time given to attach --idle. One minute would be enough for a person who has left the terminal,
// but a person who watches a build that she has started types nothing either, and the end of her
// lease freezes that build. The report of a hand-back lists what was done and not which keys were
// typed; its command lines are read from the screen, so the programs inside control them.
//
// In a session the program inherits one descriptor (TADA_RUN_OUTSIDE has its number), on which a
// tada-run inside asks (Question). The request is judged, recorded as a separate run (within),
// asked about outside, and then runs in the existing sandbox: an approval widens nothing, and what
// that sandbox refuses stays refused. The output of such a run is in the session's transcript as
// far as it reaches its terminal, behind a mark that says what was allowed, by what, and as which
// run; a refused request has a mark too, and so has the moment at which a person was asked. An
// agent may close the descriptors that it inherits before it starts a command (Claude Code does);
// the kernel then passes the descriptor to a process that asks (broker.RequestSocket). Where it
// cannot, below another program that answers system calls, the agent's commands run in the same
// sandbox and are not recorded separately.
//
// An agent cannot write its own settings in the home: they decide what runs in the next session,
// and outside. Agents whose needs are known (package agents) get a folder of the session's own
// instead, one for each workspace, by the variable that they read. Its contents are read by later
// sessions of that agent there, and by nothing else. That folder, the hosts and the keys are a
// separate question (rule session.agent); the answer is a standing approval without an end, bound
// to exactly that and not to the words of the command line (plan.Lasting). If something else in the
// line asks too, all of it is asked each time.
//
// The session's shell (Hold.Shell) asks about each line between reading and running it, in PS0, and
// drops the line by an interrupt if it is not allowed. The sandbox guarantees the limit of
// everything that any command can reach. The judgement decides whether a line runs: one that policy
// refuses, or a person, does not. It holds for lines typed at that shell's prompt, including the
// functions and aliases that earlier lines have made: a line that could call them is judged with
// them. A variable that is not exported may have any value, so code from one is a question. A shell
// that cannot ask (its descriptor is closed, its history is off) runs nothing more; Ctrl-D leaves
// it. The judgement does not hold for the user's own start-up file, for input of another
// interpreter once it runs, for programs that a completion calls, and where bash executes a value
// that does not look like code: a subscript in arithmetic, in -v or in printf -v, a command
// substitution in a value of PS1, PS2 or PS4, a file that BASH_ENV names. Only the sandbox limits
// those.
//
// # Undo
//
// What a run changes in the folders where it may write is kept before (package undo): the broker
// announces it, and the entry about the end of the run counts it and says whether it can be taken
// back. A session is one run, of which the changes in the workspace are kept. Not kept are caches
// of tools, shared directories, and what goes on when the command has ended. An undo is asked about
// at a person's terminal, or for an agent as any question ([Launcher.AskUndo]), and is recorded as
// a run. What it puts back of protected files is their
// baseline afterwards.
//
// # Systems
//
// The steps are the same code on Linux and on macOS. What differs is in files named after the
// system. On macOS a command runs in Seatbelt and nothing answers its system calls (answersCalls):
// there is no session and no view of shared directories, files that the plan names are kept for
// undo before the start and no others (ahead), and each run has a folder for its temporary files.
// That was tried on no Mac; the first run says so (untried).
//
// # Failure
//
// A command that cannot be judged asks, one that cannot be sandboxed or recorded does not run, and
// a loss is reported once. An error of Run means that nothing ran, except an [AfterError], which
// says that the command ran and its record may not be whole.
package launcher
