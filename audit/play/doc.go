// Package play shows a recorded session again.
//
// # Parties
//
// A transcript (package audit) is read and verified event by event; nothing
// that is not proven to follow is shown. What was recorded was written by
// whoever was recorded, perhaps for the person who looks at it now. So it is
// drawn on a model of a terminal (package screen), and the viewer's terminal
// gets only pictures of that: printable characters, colours, and positions
// made here.
//
// # Parts
//
// A Player is a machine without a clock and without a terminal: keys and times
// go in (Key, Tick), pictures come out (Frame). Run is the driver: raw mode,
// sizes, waiting, and the terminal put back however it ends. Where there is no
// terminal, Text writes what a person saw as lines.
//
//	transcript -tape-> events -stage-> screen -Player-> Frame -painter-> terminal
//
// # Seeking
//
// The tape keeps copies of the screen (keyframes) with the reader's position
// about every MiB of transcript or 10 s, so that going back costs no more than
// that; when they take more than 32 MiB together every second one is given up.
// What was not read yet must be read, and verified, to be jumped over. That is
// done in small steps between two ticks, so that a key can end it.
//
// Text is searched for on the rendered screen, after each line that the
// program wrote, as less would find it: in small letters it matches both
// cases. A place is found when a row shows the text and did not before; rows
// that only scroll are not found again.
//
// # Who typed
//
// The transcript names an author for every run of input. The echo of a run,
// where the program prints back just what was typed, is drawn in the author's
// colour, and the line below the screen shows the last run in full: yellow for
// a person, cyan for an agent, magenta for what a terminal answered by itself.
// The author is what the record says; the echo is a guess by comparison. A Tint
// gives the same colours to players that know nothing of authors.
//
// # Failure
//
// A transcript that does not verify plays up to there, says so, and Run
// returns the *audit.BadEntry. A clock that was set back cannot show: times in
// a transcript are monotone, and one that is not does not verify. Memory grows
// neither with the transcript nor with the size that it claims.
//
// # Example
//
//	f, err := audit.OpenTranscript(path, audit.Codec{})
//	err = play.Run(ctx, f, play.Options{In: os.Stdin, Out: os.Stdout, Idle: 2 * time.Second})
package play
