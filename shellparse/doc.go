// Package shellparse derives, from the text of a command line alone, what the line would start and
// which names it would read, write, create, delete, execute or contact. Each piece that the text
// does not decide is listed; nothing is left out silently.
//
// # Parties
//
// An agent proposes a text, a person or a policy judges the [Script] that [Parse] makes of it, and
// a shell executes [Script.Canonical]. The three must agree on what the text means. The proposer is
// not trusted, so anything that could make them disagree is either refused (Script.Err) or listed
// (Script.Opaque).
//
// The package reads neither the disk nor the environment nor the clock. Whether a name is a link, a
// directory or nothing at all is for the package that resolves names.
//
// # Packages
//
// shellparse/syntax reads the text and refuses what a shell could read differently. shellparse/eval
// runs the tree in the abstract, with what shellparse/command knows about programs, shellparse/code
// about other languages, shellparse/filter about base64 and similar programs, and
// shellparse/wrapper about the text that agent programs put around a command. This package joins
// them.
//
// # Spans
//
// A Span counts bytes of Script.Text. Nested text (sh -c, eval, a trap) has the span of the word or
// the command that contains it.
//
// # Failure
//
// Parse never returns nil and never panics. When the text is refused, Err is set, Canonical is
// empty, and an Opaque with the place InText covers the whole text. The rest of the Script still
// shows what could be read, for the error message. A text of more than 1 MiB, or one nested more
// than about 200 levels deep, is refused as a whole. shellparse/eval documents the limits of the
// evaluation.
//
// # Assumptions
//
// A sourced file that existed before may do anything, and is listed as an effect with the flag
// command.Source. After it no variable is known, but word splitting is assumed to work as before,
// because such files rarely change IFS. After a snapshot of the user's shell that an agent program
// keeps below the home directory, everything stays known; after the start-up file that the program
// sources before it, the name of that snapshot does. A name that depends on the directory is
// marked, unless the file usually holds settings (bin/activate, .env, ~/.profile). The functions
// that the file may define are assumed not to have the names of programs, and the file is assumed
// to change no shell option and no attribute of a name. None of this is assumed after text that is
// otherwise unknown, as in eval "$x".
//
// What a program prints is assumed to be a number where arithmetic wants one, unless it was fetched
// or decoded. The entries of the command table are assumed to be right. In a loop over a pattern
// that uses $f without quotes, the matching names are assumed to contain no blanks where they are
// only read; what is written, deleted or executed then is unknown.
//
// # Example
//
// In /w, with HOME=/home/dev and no OUT, the text
//
//	cd src && rm -rf "$OUT"/* ~/.cache/{a,b}
//
// has the commands cd and rm, the second in /w/src, and deletes, each as a tree, the pattern /* and
// the names /home/dev/.cache/a and /home/dev/.cache/b. If the variables were not known, the first
// would be an Opaque with the place InDelete: "the value of $OUT is not known".
package shellparse
