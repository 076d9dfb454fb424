// Package play replays a recorded session.
//
// # Parties
//
// A transcript (package audit) is read and verified event by event; nothing is shown that is not
// proven to follow. The recorded program wrote it, perhaps to attack the person who now looks at
// it. So it is drawn on a model of a terminal (package screen), and the viewer's terminal gets only
// pictures of that: printable characters, colours, and positions made here.
//
// # Parts
//
// A Player has no clock and no terminal: keys and times go in (Key, Tick), pictures come out
// (Frame). Run drives it: raw mode, sizes, waiting, and restoring the terminal however it ends.
// Without a terminal, Text writes what a person saw as lines.
//
//	transcript -tape-> events -stage-> screen -Player-> Frame -painter-> terminal
//
// # Seeking
//
// The tape keeps a copy of the screen (a keyframe) with the reader's position about every MiB of
// transcript or 10 s, so that going back costs no more than that; when they take more than 12 MiB
// together every second one is dropped. A part that was not read yet must be read, and verified, to
// be skipped. That is done in small steps between two ticks, so that a key can interrupt it.
//
// A long transcript is read twice at the same time: from the start, a scout plays ahead of the
// person, proves what it plays, and leaves keyframes for the tape. Where it was, a seek takes some
// milliseconds. A seek to where it was not yet waits for it, and shows how far it is. A part of a
// transcript is never skipped without proof, and nothing of this is stored.
//
// Text is searched for on the rendered screen, after each line that the program wrote. As in less,
// a lower-case letter matches both cases. A place is found when a row shows the text and did not
// show it before; rows that only scroll are not found again.
//
// # Who typed
//
// The transcript names an author for every run of input. The echo of a run, where the program
// prints back exactly what was typed, is drawn in the author's colour, and the line below the
// screen shows the last run in full: yellow for a person, cyan for an agent, magenta for what a
// terminal answered by itself. The author comes from the record; the echo is a guess by comparison.
// A Tint adds the same colours for players that do not know about authors.
//
// # Failure
//
// If a transcript does not verify, it is played up to there, the viewer is shown why, and Run
// returns the *audit.BadEntry. A clock that was set back has no effect: times in a transcript are
// monotone, and one that is not does not verify. Memory grows neither with the transcript nor with
// the size that it claims.
//
// # Example
//
//	f, err := audit.OpenTranscript(path, audit.Codec{})
//	err = play.Run(ctx, f, play.Options{In: os.Stdin, Out: os.Stdout, Idle: 2 * time.Second})
package play
