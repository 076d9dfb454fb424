// Package shellparse tells, from the text of a command line alone, what it would start and
// which names it would read, write, create, delete, execute or contact. What the text does
// not tell is named, piece by piece; nothing is left out silently.
//
// # Parties
//
// Somebody proposes a text, a person or a policy judges the [Script] that [Parse] makes of
// it, and a shell executes [Script.Canonical]. The three must not disagree about what the
// text means. The one who proposes it is not trusted, so whatever could make them disagree
// is either refused (Script.Err) or listed (Script.Opaque).
//
// The package asks neither the disk nor the environment nor the clock. What a name really
// is (a link, a directory, nothing) is the business of the room that resolves names.
//
// # From text to Script
//
// The raw bytes pass a gate first: control characters, invisible and bidirectional
// characters and invalid UTF-8 are refused, because the parser drops or joins what bash
// keeps, and a reader does not see them. Look-alikes are marked only.
//
// Then mvdan.cc/sh/v3/syntax parses the text in the grammar of Options.Dialect. Where that
// parser and bash are known to read a construct differently, the text is refused; guard.go
// has the list, and a fuzzer that runs both on the same text looks for more. The tree is
// printed without its comments; the print must parse to the same tree and pass the same
// guards. It is Canonical, and must be executed by the shell of the Dialect and no other:
// dash, for example, expands aliases and does not know &>.
//
// Last, the tree is run in the abstract. A state holds what a shell would know: names and
// their values, the directory, functions, positional parameters, options, what comes
// through standard input, which files and links the script has written so far. Each word
// is expanded into fields that are literal, a pattern, or open with a reason. Where a run
// can go two ways (a test, a cd that may fail) both are followed, side by side. A function
// is evaluated where it is called, a loop over known words once for each, any other loop
// once and then once more with everything it has changed unknown. Code that no run
// reaches, as behind exit or in a function that nobody calls, is evaluated at the end, so
// that each statement of the text has been looked at.
//
// A program is read by its entry in shellparse/command, or by one of a person's own in
// Options.Programs; what it starts is evaluated in turn, in a new shell where it is shell text,
// to any depth. Programs in other languages go to shellparse/code; a makefile that the text
// itself gives to make is read there for the recipes of its goals. fish, csh, nu and other shells
// without an own Dialect are not read: their text is a Code that is not known, and what it would
// start nobody guesses. Variables that make programs run something (GIT_SSH_COMMAND, PAGER,
// LD_PRELOAD, PATH and their like) are a table, environ.txt.
//
// Bytes that flow through pipes, substitutions and files keep their origin. When they reach
// something that executes them, a literal is followed, and the rest becomes a [Code] with its
// [Source], such as Network for curl | sh. Known text is followed through the filters that are
// used to hide it (base64 -d, xxd -r -p, gunzip, rev, tr, plain sed) where every version of them
// gives the same; what comes out is shown as a Code that is Decoded. What an archive holds comes
// from where the archive came from. Letters that were spelled in escapes count as Decoded, even
// when what they spell is known, and text that is empty only because a name in it has no value
// here is not known: the shell that it was meant for may have one.
//
// The words of a command are expanded before its redirections; here the redirections are
// looked at first, so a name that both have is open in one of them (redirect_order.go).
//
// The options of the shell are followed, change nothing here, or are named as not followed
// (options.go). With nullglob a command is read without its patterns too. Where dotglob and its
// like let a pattern match more, the word is open, and the names that it is known to match are
// effects all the same (loose.go).
//
// A pattern that the shell expands lists its directory, and so does a file test. A build tool
// executes a file of the directory it works in; that is an effect where the directory is another
// than Options.Dir. A copy of a program or a link to it that the text makes is read as that
// program, whatever it is called. The environment is no file; the programs that print it are
// followed as far as a filter that picks out a secret.
//
// # Spans
//
// A Span counts bytes of Script.Text. All that stands inside nested text (sh -c, eval, a
// trap) has the span of the word or the command that holds it.
//
// # Failure
//
// Parse never returns nil and never panics. When the text is refused, Err is set,
// Canonical is empty, and an Opaque with the place InText covers the whole text. The rest
// of the Script then still shows what could be read, for the message to a person.
//
// # Limits
//
// A text of more than 1 MiB, or one nested more than some 200 levels deep, is refused as a
// whole; the parser has no limit of its own and would exhaust the stack. 20000 statements
// are evaluated, rounds of loops counted, and 5000 effects, commands and unknown pieces
// each are listed; 16 runs are followed side by side before they are joined; 1024 words
// come out of one command and 131072 out of all; nested text is 32 levels deep, and in
// sum twice the text or 256 KiB, whichever is more; a value that expansions put together
// has 32 KiB. Beyond a limit
// an Opaque says so, and what was found stays. Time is linear in the length of the text.
//
// # What is taken on trust
//
// A file that exists already and is sourced may do anything, and is listed as an effect
// with the flag command.Source. After it no variable is known, but words are taken to be cut
// where they were: it rarely changes IFS; after a snapshot of the person's shell that an agent
// program keeps below the home, all stays known. A name that depends on the
// directory is marked, unless the file is by custom one of settings (bin/activate, .env,
// ~/.profile); the functions it may define are taken not to have the names of programs, and it is
// taken to change no option of the shell and no attribute of a name. Behind text that is not known
// otherwise, as in eval "$x", none of that is taken on trust. What a program prints is taken to be
// a number where arithmetic wants one, unless it was fetched or decoded. The
// entries of the command table are taken to be right. What is special in the expansions of
// [POSIX], [Mksh] and [Zsh] is open rather than followed (dialect.go), unless the value and the
// operands are so plain that all shells agree (dialect_alike.go). Of a loop over a
// pattern whose $f stands outside quotes, the names that match are taken to have no blanks
// where they are only read; what is written, deleted or executed then is not known.
//
// # Example
//
// In /w, with HOME=/home/dev and no OUT, the text
//
//	cd src && rm -rf "$OUT"/* ~/.cache/{a,b}
//
// has the commands cd and rm, the second in /w/src, and deletes, each as a tree, the
// pattern /* and the names /home/dev/.cache/a and /home/dev/.cache/b. Were the variables
// not known, the first would be an Opaque with the place InDelete: "the value of $OUT is
// not known".
package shellparse
