// Package session is the terminal of one run, and who drives it.
//
// A run's terminal is its caller's (Open), or belongs to nobody and is attached to (Hold, Attach;
// see Sessions below).
//
// It stands between two parties. The caller is whoever started us, known by three
// descriptors: a person's terminal, an agent's pipes, a file, nothing. The child is the
// command. A Session gives the child three descriptors that behave as the caller's would,
// and carries the bytes between the two; every byte carried is given to a Tap before the other side
// can have it. Ask puts a question to the person at a terminal. Nothing here starts a
// process, keeps a log or decides anything.
//
// # What the child gets
//
// Each of the descriptors 0, 1 and 2 is looked at by itself:
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
// There is at most one private terminal, and all descriptors that are the caller's terminal
// are that one. It becomes the child's controlling terminal, so that /dev/tty is the private
// one as well; the caller's terminal is on no descriptor of the child. An error output on
// another terminal than the output's gets a pipe, so that it still arrives there.
//
// Output and error that are one open file for the caller (kcmp(2)), one pipe, socket or
// device, or two opens of a file that both append, get one pipe: the order between them is
// then exactly the child's. Otherwise each has its own, nothing is merged, and the order
// between the two streams is only about what it was.
//
// Input that is no terminal is never read here: a loop of the caller may share it with the
// next command. Never does a pipe pass through a terminal, which would change line ends,
// drop what exceeds 4095 bytes of a line, and act on control characters.
//
// With Always, output and error are the private terminal whatever the caller has, and what
// it prints goes to the caller's output. With Never a terminal is replaced by a pipe: keys
// are carried line by line as the caller's terminal completes them, and Ctrl-D at the start
// of a line closes the pipe.
//
// What differs from running without us, knowingly: output that is a file or a socket is a
// pipe for the child; a child of ours sees a closed 0, 1 or 2 as /dev/null unless the
// caller of Open knows better (see Stdio); keys typed ahead while a command has the
// terminal go to the command and not to the shell after it, as with ssh and sudo.
//
// # Order and backpressure
//
// A piece of output is read, given to the tap, written to the caller: on one goroutine, one
// after the other, at most 128 KiB at a time. A caller that reads slowly stalls the child,
// as a pipe would. What is printed in many small writes is gathered for up to a millisecond, as
// long as that brings more. Not a byte is dropped. When the caller's reader goes away the child's
// pipe is closed at once, not at our next write, so that its next write fails with EPIPE
// and SIGPIPE, and a private terminal is hung up. An error of the caller's descriptor (a full
// disk) closes the child's pipe too, and Ended returns it.
//
// The first error of the tap ends everything: no stream is read any more, nothing that was
// not recorded is shown, Failed is closed. The launcher then kills the run.
//
// # The caller's terminal
//
// It is raw only while our process group is its foreground group and the child wants its
// keys. Where input and output are the terminal, that is from the start. Else it is when
// the command changes its own terminal's modes or blocks in a read of it: in
// "tada-run git log | less" the keys are for less. In the background the terminal is left
// alone, neither read nor changed; what is printed there obeys the terminal's own rule
// (stty tostop). Raw mode keeps output processing when other programs may write there.
// While both terminals make "\r\n" of "\n", the private one's is recorded and taken back
// before it is shown, so that a line ends once.
//
// It is given back in Ended, in Suspend and in Restore, which belongs in a deferred call of
// the launcher and also runs when a goroutine here panics. A change of the window's size is
// told to the tap and then to the private terminal; the kernel tells the child.
//
// What a command writes to a person's terminal passes a Filter (filterTable says what passes, and
// why): nothing that writes the clipboard or the title passes, and what makes the terminal answer
// passes only to a program that has the alternate screen or reads keys one by one. Strings to other
// programs (DCS, APC) do not pass, so pictures are not shown. What was switched on and left so is
// taken back in Ended, and answers that are late by less than 50 ms are thrown away. The tap has
// all bytes as they were written; pipes, files, and what Hold shows are not filtered: who attaches
// sees a drawn screen, and the terminal that a session was started on has a Filter of its own. The
// terminal is taken to use UTF-8.
//
// # Job control
//
// Ctrl-Z reaches the private terminal as a byte, which stops the command's process group.
// For the kernel to do so the group must not be orphaned: a parent in the same session but
// in another group is needed. So the first process on the private terminal (the leader of
// the session) must not be the command but a process that starts it in a group of its own,
// makes that the foreground group, and waits with WUNTRACED. The launcher then calls
// Suspend, which gives the terminal back and stops our own group as a shell expects it, and
// after that returned, sends SIGCONT to the command's group.
//
// Signals sent to the launcher are passed on by the table of Forward. A run that was ended
// by a signal is reported to the caller by EndBy, or by ExitStatus as a shell does.
//
// # Questions
//
// Ask shows a text and waits for one key. What was typed before is thrown away until the line is
// quiet for 100 ms; then the text is shown; for 400 ms more a yes is ignored. Before that, what a
// program has left the terminal in, such as margins and hidden letters, is taken back (Plain).
//
//	y (or AskOptions.Approve)      yes: alone, after everything was on the screen
//	n N q Q Esc Ctrl-C Ctrl-D Ctrl-\  no, at any time
//	space f b PgUp PgDn j k arrows g G Home End   scroll
//	v Tab                          the full text, or the short one again
//	Ctrl-Z                         stop; the question is asked anew after fg
//	everything else, Enter first of all           nothing
//
// With a challenge, yes is typing its characters; three misses are a no. Text in brackets
// of a paste, and several bytes that arrive at once, never approve. The text is made
// harmless for the terminal again, although it should be already. Every error means that
// the question is still open.
//
// # Sessions
//
// Hold makes a private terminal that no caller's terminal is behind. What is printed there goes to
// a function, keys come by Type, and the size by Resize; so the process that holds it can outlive
// any terminal, and several can look. Lease says who of them types:
//
//	driver    who                                               ends by
//	starter   who started the session                           leaving
//	taker     a person who took over                            giving back; leaving; no key for Idle
//	nobody    frozen, or there was only the starter and he left  a person who takes over
//
// A taker's lease that is lost (left, idle) while the starter is there ends in frozen and not with
// the starter. Every change raises the epoch, and input of another epoch is refused. A terminal
// takes at most 512 bytes between record and write, so that what is discarded at a change is told
// to the byte.
//
// Attach is a client: a terminal, or pipes, that show a session through a View and type into it in
// the frames of package wire. Its own keys stand behind Ctrl-] (KeyHelp). The terminal is raw
// meanwhile and given back in any case; while a question is answered it is out of the session's
// reach.
//
// # Failure
//
// Open fails when the system gives no terminal, pipe or eventfd. Ended returns ErrCut when
// its context ended first: a process that outlived the run holds an output open, or the
// caller does not read; a relay blocked in a write to the caller stays blocked until the
// process exits. A launcher that is killed with SIGKILL leaves the terminal raw, as every
// program would.
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
// Systems other than Linux have no Session: Open and Ask return ErrUnsupported there.
package session
