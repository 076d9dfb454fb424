// Package eval runs the tree of a command line in the abstract: it finds what a shell would start
// and touch, without starting or touching anything.
//
// # States
//
// A state holds what a shell would know: names and their values, the directory, functions,
// positional parameters, options, standard input, and the files and links that the text has written
// so far. Each word is expanded into fields that are literal, a pattern, or open with a reason.
// Where a run can go two ways (a test, a cd that may fail), both are followed side by side. A
// function is evaluated where it is called, a loop over known words once for each word, any other
// loop once and then once more with everything it has changed unknown. Code that no run reaches,
// such as code after exit or in a function that is never called, is evaluated at the end, so that
// every statement of the text is covered.
//
// # Floors
//
// The evaluation is a stack of types, each of which holds the one below (floors.go):
//
//	flow          statements, one after the other, in every state
//	compound      lists, pipelines, subshells, conditions, loops
//	commands      simple commands: functions, builtins, programs and what they start
//	builtins      builtins that start nothing: cd, read, set, trap
//	redirections  files that are opened for a command; [[ ]]
//	parameters    ${x} and its operators, arithmetic, assignment
//	words         quotes, tildes, braces, splitting, patterns
//	texts         shell text inside the text: eval, sh -c, subscripts
//	environment   changes of a state: names, files, options, joined states
//	report        what was found, and where in the text
//	settings      the facts of the shell
//
// Below all of them are values: a [Word] before it is shown, streams of bytes, variables. Methods
// call down. Calls that must go up, since shell text contains shell text, go through the one
// interface that is set when the stack is made (interpreter).
//
// # What is followed
//
// A program is read by its entry in shellparse/command, or by one of the user's own in
// Options.Programs. What it starts is evaluated in turn, in a new shell if it is shell text, to any
// depth. Programs in other languages go to shellparse/code. A makefile that the text itself gives
// to make is read there for the recipes of its goals. fish, csh, nu and other shells without a
// Dialect are not read: their text is a Code that is not known. Variables that make programs run
// something (GIT_SSH_COMMAND, PAGER, LD_PRELOAD, PATH and similar) are in a table,
// catalog/environ.txt.
//
// Bytes that flow through pipes, substitutions and files keep their origin. When they reach a
// program that executes them, a literal is followed, and the rest becomes a [Code] with its
// [Source], such as Network for curl | sh. Known text is followed through filters
// (shellparse/filter); their output is shown as a Code that is Decoded. The contents of an archive
// have the origin of the archive. Letters spelled with escapes count as Decoded, even when what
// they spell is known. Text that is empty only because a name in it has no value here is not known:
// the shell that it was meant for may have one.
//
// The words of a command are expanded before its redirections; here the redirections come first, so
// a name that both assign is open in one of them (redirect_order.go). A shell option is followed,
// changes nothing here, or is listed as not followed (setting.go). With nullglob a command is read
// without its patterns too. Where dotglob and similar options let a pattern match more, the word is
// open, and the names that it is known to match are effects all the same (loose.go).
//
// A pattern that the shell expands lists its directory, and so does a file test. A build tool
// executes a file of the directory it works in; that is an effect if the directory is not
// Options.Dir. A copy of a program or a link to it that the text makes is read as that program,
// whatever its name. The environment is no file; the programs that print it are followed as far as
// a filter that picks out a secret.
//
// Expansions that are special to [POSIX] and [Zsh] are open rather than followed (odd.go), unless
// the value and the operands are so plain that all shells agree (alike.go).
//
// # What is rare
//
// Some of the state of bash is too rare to be followed, and a text that uses it has an Opaque with
// the place InCode: names that refer to other names (declare -n), attributes that change the case
// of letters, arrays with holes, tables of programs and aliases (hash -p, BASH_CMDS, BASH_ALIASES),
// code in bind and completions, ${x@op}, alternatives of lists, patterns that nullglob may leave
// out, and redirections that use what the words of the same command assign.
//
// # What the rare parts earn
//
// Of 8095 harmless and 13543 hostile lines, make ablate counts those that are allowed thanks to a
// part, those that are asked about, and those that are denied instead of asked about:
//
//	part                 allowed  asked  denied
//	code in subscripts         0     74       0
//	trap                      12      0       1
//	shellparse/filter          0      1      13
//	let                        2      0       0
//
// # Limits
//
// 20000 statements are evaluated, each round of a loop counted, and 5000 effects, commands and
// unknown pieces each are listed. 16 runs are followed side by side before they are joined. One
// command expands to at most 1024 words, all of them to at most 131072. Nested text is at most 32
// levels deep, and in sum twice the text or 256 KiB, whichever is more; a value that expansions put
// together has at most 32 KiB. Beyond a limit an Opaque says so, and what was found stays. Time is
// linear in the length of the text.
package eval
