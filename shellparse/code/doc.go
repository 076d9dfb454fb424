// Package code reads the small programs inside command lines: python -c, node -e, perl -e, psql -c,
// vim -c and similar. It reports which files, programs and hosts a program certainly names, and
// whether it could do more than that.
//
// # What is promised
//
// [Scan] returns facts and one bit. When opaque is false, the facts are everything that
// the program does to files, programs and hosts through the library of its language, apart
// from reading names that it is given when it runs (sys.argv, standard input). When opaque
// is true, the facts still hold, but there may be more: a deletion, a write, a program, a
// connection or code whose argument is not in the text.
//
//	import os; os.remove('a')             delete a
//	import os; os.remove(sys.argv[1])     opaque
//	print(open(sys.argv[1]).read())       nothing: what may be read is for the sandbox to say
//	eval(base64.b64decode('...'))         opaque
//	print("rm -rf /")                     nothing: text is not code
//
// An imported module is trusted as much as a program of the project that is called by its name: its
// functions are not read, except for those of the language's own library and of a few modules that
// everyone uses. A file that is imported by name is a fact, a Read with the flag command.Source.
//
// This package guesses intent for a good message; it is not a sandbox. A language has more ways to
// reach a function than a scanner can know, and the kernel sandbox contains those.
//
// # How it reads
//
// Four languages (python, javascript, perl, ruby) share one reader. A lexer per language knows its
// literals: raw, triple-quoted and interpolated strings, templates, patterns, nested comments; it
// reads nothing after a here-document. The code inside an interpolated literal is read as code; the
// text is not. The reader then evaluates expressions as far as literals go: concatenation, joining
// of paths, variables, lists, loops over lists and directory listings, parameters of functions that
// the program defines and calls, aliases of modules and functions, options of calls. It knows no
// control flow: a variable has every value that is assigned to it anywhere, so no order of
// execution can make a name differ.
//
// Languages that are rare on command lines (php, lua, r, tcl, expect, vim, gdb, powershell,
// applescript, sftp) are read for the words of words.txt alone. A program without any of them only
// computes; any other is opaque, and each full name in it may be written.
//
// SQL, with the client commands of psql, mysql and sqlite3, is read as the command table reads psql
// -c. In a list of commands for ed, the editing commands are known. XML ("xml") counts for the
// names that it includes: entities and inclusions. For "sh" the text is one fact. For a makefile
// ("make") the facts are the recipes that the goals given to [Make] need; what only make itself
// could compute is [Unknown] in them.
//
// # What each reader earns
//
// Of 8095 harmless and 13543 hostile lines, make ablate counts those that are allowed thanks to
// a reader, those that are asked about, and those that are denied instead of asked about:
//
//	reader                    allowed  asked  denied
//	python                        113      1      16
//	javascript                     64      0       5
//	perl                           38      0       4
//	ruby                           11      0       3
//	sql, php, r, ed, lua           18      0       1
//	xml                             0      6       0
//	make                            3      0       0
//
// The reader for make also finds what the makefiles of a workspace run.
//
// # The tables
//
// What a function does with its arguments is one line of a table, in clauses that are separated by
// "; ". A clause is a verb and selectors. A selector is a position ("0"), a position and all after
// it ("0*"), a keyword ("path"), or alternatives of these ("0|path"); it ends in "?" if the
// argument may be missing. In the rules of methods, whose names start with a dot or with "Path.",
// position 0 is the object.
//
//	read write append create delete      what is done to the named file
//	tree readtree writetree              the same to everything below it: delete, read, write
//	meta link list load                  attributes; a link; names only; executed
//	open 0 1                             read or write, as the mode in 1 says
//	shell 0                              a command line for a shell
//	argv 0, argv 0*                      a program with its arguments
//	words 0*                             one word is a shell line, more are argv (perl, ruby)
//	process 0 1                          a program, a list, and options such as shell and cwd
//	net post socket                      a host is contacted; with the last two, bytes go out
//	code LANG 0                          another program text
//	hazard ID MESSAGE                    dangerous whatever the names are
//	opaque                               the effect cannot be known
//	=path =join =glob =home =ref ...     only a value, for the clauses that follow
//
// # Names
//
// Text is a name as the program would pass it to the system: relative names stay relative, and each
// directory that the program may change to is tried, as well as the one it starts in. "~" and "~/x"
// mean the home directory, reached through expanduser, $HOME or the like; a literal that starts
// with a tilde is spelled "./~". If the program walks the names of a directory, the directory
// counts for all of them, with the flag command.Recursive. A host is "host:port" or a URL.
//
// # Limits
//
// 4 MiB of text, 200 brackets deep, 8 programs inside one another, 8 values of a variable, 16 KiB
// for a name that is put together. A text beyond these limits is opaque, never cut short. Time is
// linear in the text; a budget of 16 bytes of joined or nested text for each byte bounds what
// variables multiply.
package code
