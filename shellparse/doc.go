// Package shellparse derives from the text of a command line alone what it would start and
// which names it would read, write, create, delete, execute or contact. What the text does not
// decide is named, piece by piece; nothing is left out silently.
//
// # Parties
//
// An agent proposes a text, a person or a policy judges the [Script] that [Parse] makes of it,
// and a shell executes [Script.Canonical]. The three must not disagree about what the text
// means. The proposer is not trusted, so whatever could make them disagree is either refused
// (Script.Err) or listed (Script.Opaque).
//
// The package asks neither the disk nor the environment nor the clock. What a name really is (a
// link, a directory, nothing) is for the package that resolves names.
//
// # Packages
//
// shellparse/syntax reads the text and refuses what a shell could read differently.
// shellparse/eval runs the tree in the abstract, with what shellparse/command knows of programs,
// shellparse/code of other languages, shellparse/filter of base64 and its like, and
// shellparse/wrapper of what agent programs put around a command. This package joins them.
//
// # Spans
//
// A Span counts bytes of Script.Text. Nested text (sh -c, eval, a trap) has the span of the
// word or the command that holds it.
//
// # Failure
//
// Parse never returns nil and never panics. When the text is refused, Err is set, Canonical is
// empty, and an Opaque with the place InText covers the whole text. The rest of the Script then
// still shows what could be read, for the message to a person. A text of more than 1 MiB, or one
// nested more than some 200 levels deep, is refused as a whole. The limits of what is evaluated
// are those of shellparse/eval.
//
// # What is taken on trust
//
// A file that exists already and is sourced may do anything, and is listed as an effect with the
// flag command.Source. After it no variable is known, but words are taken to be cut where they
// were: it rarely changes IFS; after a snapshot of the user's shell that an agent program keeps
// below the home directory, all stays known, and after the start-up file that the program sources
// before, the name of that snapshot. A name that depends on the directory is marked, unless the
// file is by custom one of settings (bin/activate, .env, ~/.profile); the functions it may define
// are taken not to have the names of programs, and it is taken to change no option of the shell and
// no attribute of a name. Behind text that is not known otherwise, as in eval "$x", none of that is
// taken on trust. What a program prints is taken to be a number where arithmetic wants one, unless
// it was fetched or decoded. The entries of the command table are taken to be right. Of a loop over
// a pattern whose $f is outside quotes, the names that match are taken to have no blanks where they
// are only read; what is written, deleted or executed then is not known.
//
// # Example
//
// In /w, with HOME=/home/dev and no OUT, the text
//
//	cd src && rm -rf "$OUT"/* ~/.cache/{a,b}
//
// has the commands cd and rm, the second in /w/src, and deletes, each as a tree, the pattern /*
// and the names /home/dev/.cache/a and /home/dev/.cache/b. Were the variables not known, the
// first would be an Opaque with the place InDelete: "the value of $OUT is not known".
package shellparse
