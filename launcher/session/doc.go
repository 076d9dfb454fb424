// Package session is the terminal of one run, and the control of it.
//
// A run's terminal is its caller's (Open), or has no caller and is attached to (Hold, Attach; see
// Sessions below).
//
// A session connects two parties. The caller is the process that started us, known by three
// descriptors: a person's terminal, an agent's pipes, a file, nothing. The child is the command. A
// Session gives the child three descriptors that behave as the caller's would, and carries the
// bytes between the two; a Tap gets every byte before the other side does. Ask asks the person at a
// terminal a question. Nothing here starts a process, keeps a log or decides anything.
//
// # What the child gets
//
// Each of the descriptors 0, 1 and 2 is examined separately:
//
//	caller has        input (0)                      output (1), error (2)
//	terminal          private terminal               private terminal
//	pipe, FIFO        the caller's own               pipe of ours
//	socket            the caller's own               pipe of ours
//	regular file      the caller's own               pipe of ours
//	/dev/null         the caller's own               the caller's own
//	other device      the caller's own               pipe of ours
//	closed            closed                         closed
//
// There is at most one private terminal, and it replaces every descriptor that is the caller's
// terminal. It becomes the child's controlling terminal, so that /dev/tty is the private one as
// well; the caller's terminal is on no descriptor of the child. If the error output is another
// terminal than the output, it gets a pipe, so that it still arrives there.
//
// If output and error are one open file for the caller (kcmp(2)), one pipe, socket or device, or
// two opens of a file that both append, they get one pipe, so their order is exactly the child's.
// Otherwise each has its own, nothing is merged, and the order between the two streams is only
// approximately the child's.
//
// Input that is not a terminal is never read here: a loop of the caller may share it with the next
// command. A pipe never passes through a terminal, which would change line ends, drop what exceeds
// 4095 bytes of a line, and act on control characters.
//
// With Always, output and error are the private terminal whatever the caller has, and its output
// goes to the caller's output. With Never a terminal is replaced by a pipe: keys are passed on line
// by line as the caller's terminal completes them, and Ctrl-D at the start of a line closes the
// pipe.
//
// Known differences from running without us: output that is a file or a socket is a pipe for the
// child; our child sees a closed 0, 1 or 2 as /dev/null unless the caller of Open knows better (see
// Stdio); keys typed ahead while a command has the terminal go to the command and not to the shell
// after it, as with ssh and sudo.
//
// # Order and backpressure
//
// Each piece of output, at most 128 KiB, is read, given to the tap, then written to the caller, on
// one goroutine. A caller that reads slowly stalls the child, as a pipe would. Many small writes
// are gathered for up to a millisecond, as long as more arrives. Not a byte is dropped. When the
// caller's reader goes away the child's pipe is closed at once, not at our next write, so that its
// next write fails with EPIPE and SIGPIPE, and a private terminal is hung up. An error of the
// caller's descriptor (a full disk) closes the child's pipe too, and Ended returns it.
//
// The first error of the tap ends everything: no stream is read any more, nothing unrecorded is
// shown, Failed is closed. The launcher then kills the run.
//
// # The caller's terminal
//
// It is raw only while our process group is its foreground group and the child wants its keys. If
// both input and output are the terminal, that is from the start. Otherwise it starts when the
// command changes its own terminal's modes or blocks in a read of it: in "tada-run git log | less"
// the keys are for less. In the background the terminal is neither read nor changed; output there
// obeys the terminal's own rule (stty tostop). Raw mode keeps output processing if other programs
// may write there. While both terminals turn "\n" into "\r\n", the private one's conversion is
// recorded and undone before the output is shown, so that a line ends once.
//
// The terminal is restored in Ended, in Suspend and in Restore, which belongs in a deferred call of
// the launcher and also runs when a goroutine here panics. A change of the window's size is passed
// to the tap and then to the private terminal; the kernel tells the child.
//
// Output of a command to a person's terminal passes a Filter (filterTable lists what passes, and
// why). Sequences that write the clipboard or the title do not pass. Sequences that make the
// terminal answer pass only for a program that has the alternate screen or reads keys one by one.
// Strings to other programs (DCS, APC) do not pass, so pictures are not shown. Modes that were
// switched on and left so are reset in Ended, and answers that are late by less than 50 ms are
// thrown away. The tap has all bytes as they were written. Pipes, files, and the output of Hold are
// not filtered: an attached client sees a drawn screen, and the terminal that a session was started
// on has its own Filter. The terminal is assumed to use UTF-8.
//
// # Job control
//
// Ctrl-Z reaches the private terminal as a byte, which stops the command's process group. The
// kernel does so only if the group is not orphaned: a parent in the same session but in another
// group is needed. So the first process on the private terminal (the leader of the session) must
// not be the command but a process that starts it in a new group, makes that the foreground group,
// and waits with WUNTRACED. The launcher then calls Suspend, which restores the terminal and stops
// our own group as a shell expects it, and when that returns, sends SIGCONT to the command's group.
//
// Signals sent to the launcher are passed on by the table of Forward. A run that was ended by a
// signal is reported to the caller by EndBy, or by ExitStatus as a shell does.
//
// # Questions
//
// Ask shows a text and waits for one key. Anything typed before is thrown away until the line has
// been quiet for 100 ms; then the text is shown; for another 400 ms an approval is ignored. Before
// that, modes that a program has left the terminal in, such as margins and hidden letters, are
// reset (Plain).
//
//	y (or AskOptions.Approve)      yes: alone, after everything was on the screen
//	n N q Q Esc Ctrl-C Ctrl-D Ctrl-\  no, at any time
//	space f b PgUp PgDn j k arrows g G Home End   scroll
//	v Tab                          the full text, or the short one again
//	Ctrl-Z                         stop; the question is asked again after fg
//	everything else, above all Enter              nothing
//
// With a challenge, the person approves by typing its characters; three wrong tries deny. Text in a
// bracketed paste, and several bytes that arrive at once, never approve. The text is made harmless
// for the terminal once more, although it should be already. Every error means that the question is
// still open.
//
// # Sessions
//
// Hold makes a private terminal without a caller's terminal behind it. Its output goes to a
// function, keys come by Type, and the size by Resize; so the process that holds it can outlive any
// terminal, and several clients can watch. Lease says which of them types:
//
//	driver    who                                               ends by
//	starter   who started the session                           leaving
//	taker     a person who took over                            giving back; leaving; no key for Idle
//	nobody    frozen, or there was only the starter and he left  a person who takes over
//
// If a taker's lease is lost (left, idle) while the starter is there, the session is frozen and
// does not return to the starter. Every change raises the epoch, and input of another epoch is
// refused. A terminal takes at most 512 bytes between record and write, so that what is discarded
// at a change is known to the byte.
//
// Attach is a client: a terminal, or pipes, that show a session through a View and type into it in
// the frames of package wire. Its own keys follow Ctrl-] (KeyHelp). The terminal is raw in that
// time and restored in any case; while a question is answered the session cannot reach it.
//
// # Failure
//
// Open fails when the system gives no terminal, pipe or wake-up. Ended returns ErrCut when its
// context ended first: a process that outlived the run holds an output open, or the caller does not
// read; a relay blocked in a write to the caller stays blocked until the process exits. A launcher
// that is killed with SIGKILL leaves the terminal raw, as every program would.
//
// # Example
//
//	s, err := session.Open(session.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, session.Auto, tap)
//	if err != nil {
//		return err
//	}
//	defer s.Restore()
//	child, err := start(s.ChildFiles(), s.TTY()) // setsid, TIOCSCTTY, exec
//	if err != nil {
//		return errors.Join(err, s.Ended(ctx)) // never started: only releases
//	}
//	s.Started()
//	status := child.Wait() // meanwhile: Forward, Suspend, Failed
//	if err := s.Ended(ctx); err != nil {
//		return err
//	}
//
// # Systems
//
// It works on Linux and, as far as that could be tested without a Mac, on macOS: its wake-ups by
// pipes and select(2) run on Linux with -tags stepwise. There a stop is always SIGSTOP, a run that
// is not alone on its terminal takes the keys at its first output, and a reader that went away is
// noticed within 200 ms. Elsewhere Open and Ask return ErrUnsupported.
package session
