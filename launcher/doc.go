// Package launcher runs a command line: what comes out is an exit status and a record that proves
// it. Every package below does one thing and knows none of the others; the order in which they are
// asked is here, in [Launcher.Run].
//
//	text -shellparse-> Script -pathguard-> Plan -> Verdict -approval-> Envelope -sandbox, session-> Run
//	                                                    every arrow -audit-> Record
//
// # The order of the steps
//
// Each step makes a value of the one before, of a type that holds what is true then: a [Judgement],
// an attempt (the log is open for it), an announced run, a permitted one, a started one, its
// supervision, and one that has ended. What a later step needs cannot be used before there is one.
//
//  1. Judge parses the text, resolves its names to files that stay open, and asks the policy. It
//     can start nothing and writes nothing; [Launcher.Judge] is the same call for checks, hooks
//     and servers.
//  2. The intent is written to the log (announced). Where the next step may run it, the entry is on
//     the disk before that step; the sandbox is built meanwhile (standby).
//  3. A verdict of deny ends here. A verdict of ask needs a person's approval: the question is
//     stored before anyone sees it, the answer comes over a channel that no command can write, the
//     request is judged anew, and the approval is consumed in one transaction for exactly that plan
//     (package permit).
//  4. The sandbox is built from the plan's open files, the transcript is opened, and the real shell
//     executes the canonical text: what was judged is what runs (started). What a shell or an
//     interpreter will open by its name is looked at once more just before; see "Names that are
//     opened late".
//  5. What the command prints to its caller is recorded before it is passed on, unless that is
//     /dev/null. When the command ends, what it left running is ended, the output is drained, what
//     was there before is compared with what is there now (package watch), and transcript head and
//     exit status go into the log. Where it may go on (Keep), the caller is told the status at
//     once, and the end comes when all has ended.
//
// # What an approval depends on
//
// On whatever can change what runs or where it goes: the text, the files, the directory, standard
// input, policy, umask, and every variable that the command gets, unknown ones too. A variable that
// it does not get is not bound. Nor is one that only says which terminal, window or call it is
// (call= in shellparse/catalog/environ.txt), while its value is a number, a word or an id and no
// text of the plan names it: such a value is no path, option, list or address. A program whose text
// is not part of the plan may still read it. What belongs to the caller's own shell or connection
// (OLDPWD, SSH_CLIENT) is kept from commands, unless environment.keep passes it on; then it is
// bound. PWD is the directory that the command runs in, whatever the caller has there. So the
// identical command of an agent is the identical plan through its shell, its hook, both, and a
// server; inside of a session it is another one than outside, because the sandbox is another.
//
// An approval of the same command line that is for another plan is told with the difference
// (Unfit): by the name of the variable or file, without values. For that run/asked keeps salted
// hashes of what each open question depends on.
//
// # How much may be asked
//
// 10 open questions and 100 in an hour for a process tree in a workspace, told by its outermost
// ancestor of this account, and 200 open ones for the account. What is more has to wait (75) and is
// not denied. Who is asked at a terminal is not limited.
//
// # Several commands at once
//
// [Launcher.RunBatch] asks once for all of a [Batch]. The plan that is shown holds each call with
// what it does and with the hash of the plan that the call has alone; the person answers each by
// its id. Nothing runs before the answer. Then the calls run in their order, each judged again:
// what policy denies or the person denied is skipped, and what is no longer the plan that was shown
// is refused.
//
// # Whose text a command is
//
// Agent programs that call a shell put their agent's command into a text of their own: a snapshot
// of the person's shell is sourced, the directory written down. Where the text has nothing but such
// housekeeping (package wrapper has the table), the plan is that of the command alone: the same
// through every door, from call to call and from version to version of the program. It is so only
// if the whole would start and touch the same, and is judged alike. What runs is the whole; the
// sandbox is that of the command, with the files that the housekeeping writes. A question says
// beside its page whose text it is. Of any other text that gives one literal to eval or a shell,
// that literal is shown first, and all of the text must be read.
//
// # Descriptors
//
// A command called through tada-run has the descriptors above 2 that a shell would have passed on:
// pipes, and files that the fence lets it reach by name, in the way that they are open.
// Directories, sockets, terminals and everything else stay here, and the start in the record says
// which. A run in the background has none. Of 0, 1 and 2 a closed one is /dev/null, because the Go
// runtime puts it there before anybody can look.
//
// # Names that are opened late
//
// Files that the fence grants, the directory and a program given as words are used by the
// descriptors that were judged. A script, a program in a command line and what they take in are
// opened by their names, by bash or an interpreter, because $0, BASH_SOURCE and __file__ are those
// names. Their texts are bound by hash. Just before the command may run, each name must still lead
// to the same file with the same text, or nothing runs (mismatch). From then until the interpreter
// opens it, nothing holds the name against who may write it from outside of the fence: mounts do
// not (a rename over the name takes them away), and a copy laid over it keeps builds and updates
// from replacing what they ran. The end in the record says which of them changed meanwhile
// (swapped); in a session (within) it does not.
//
// # Sessions
//
// With Request.Hold a run is a session (tada-run --session): an agent with all that it starts, or a
// shell. The process that called Run holds it; there is no daemon. It leaves the terminal that it
// was started from, and ends when its program does, on SIGTERM or SIGHUP (logout: it hangs its
// terminal up), or when it is killed; then everything in the fence ends, and the next run tells its
// end. A window that is closed ends only the client in it: the session is found again by tadactl
// sessions. A run that is no session has its terminal for itself: attach shows its transcript as it
// grows, and nobody else can type.
//
// run/ID.sock in the state directory, 0600, is where others attach. No fence shows that folder, and
// none lets a process connect to a socket of somebody else. A peer is asked after all the same, by
// what the kernel says of the process: another user's, one with no_new_privs or a filter that the
// machine's first process has not, may not even watch; who drives must have the keys of a terminal
// as well. Who stops in the middle of what it says, or says nothing at first, is cut off after ten
// seconds.
//
//	ctl.attach           somebody watches            ctl.freeze    nothing runs, nobody types
//	ctl.takeover         a person drives             ctl.continue  it goes on
//	ctl.handback         and gave back: report       ctl.private   what comes is committed to, not kept
//	ctl.detach           who drove left              ctl.public    and is kept again
//	ctl.kill             somebody ended it           ctl.refused   no person, or policy forbids it
//
// Each carries sid, epoch and by. The transcript names the author of each piece of input: person,
// agent:?NAME, or human:UID@TTY#EPOCH, where the terminal is the kernel's word. A viewer has 256
// KiB of output waiting at most; what is more is dropped, and it gets the screen as it is when it
// reads again. Who drives may stall the program by not reading, for a second. A lease without a key
// for five minutes ends, or after what attach --idle says: a minute would be enough to leave a
// terminal, but who watches a build that she has started types nothing either, and the end of her
// lease freezes that build. The report of a hand-back says what was done and not which keys; its
// command lines are those of the screen, so the word of what runs inside.
//
// In a session the program inherits one descriptor (TADA_RUN_OUTSIDE has its number), on which a
// tada-run inside asks (Question). It is judged, recorded as a run of its own (within), asked about
// outside, and then runs in the fence that is there: a yes widens nothing, and what that fence
// refuses stays refused. The output of such a run is in the session's transcript as far as it
// reaches its terminal, behind a mark that says what was let go, by what, and as which run; one
// that is refused has a mark too, and so has the moment at which a person was asked. An agent may
// close the descriptors that it inherits before it starts a command (Claude Code does); the kernel
// then hands it over to who asks (broker.RequestSocket). Where it cannot, below another program
// that answers calls, what they start runs in the same fence, and is not told apart.
//
// What an agent keeps in its home it cannot write there: its settings say what runs in the next
// session, and outside. Agents whose needs are known (package agents) get a folder of the session's
// own instead, one for each workspace, by the variable that they read. What it holds is read by
// later sessions of that agent there, and by nothing else. That folder, the hosts and the keys are
// a question of their own (rule session.agent); the answer is a standing approval without an end,
// bound to exactly that and not to the words of the command line (plan.Lasting). Where something
// else of the line asks too, all of it is asked each time.
//
// The session's shell (Hold.Shell) asks about each line between reading and running it, in PS0, and
// drops the line by an interrupt where the answer is no. What is guaranteed by the fence: all that
// any command can reach, whatever it is. What is judgement: that a line which policy refuses, or a
// person, does not run. It holds for what is typed at that shell's prompt, the functions and
// aliases included that earlier lines have made: a line that could call them is judged with them. A
// variable that is not exported may have any value, so code from one is a question. A shell that
// cannot ask (its descriptor is closed, its history is off) runs nothing more; Ctrl-D leaves it. It
// does not hold for the user's own start-up file, for what another interpreter reads once it runs,
// for programs that a completion calls, and where bash takes a value for code that is none by its
// looks: a subscript in arithmetic, in -v or in printf -v, a command substitution in a value of
// PS1, PS2 or PS4, a file that BASH_ENV names. Those have the fence.
//
// # Failure
//
// What cannot be judged asks, what cannot be enforced or recorded does not run, and what was lost
// is told once. An error of Run means that nothing ran, except an [AfterError], which says that the
// command ran and its record may not be whole.
package launcher
