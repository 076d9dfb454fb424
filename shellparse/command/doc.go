/*
Package command knows programs: which words of a command line are names that it reads,
writes, creates or deletes, which are hosts, which are commands and code that it starts, and
what is dangerous whatever the names are.

It has three parts: the table (folder table, one entry per program, embedded), [Lookup], which
finds an entry, and [Spec.Match], which reads one argv by it and returns a [Use]. The caller
looks up what a Use nests in turn; this package never does, so each fact belongs to exactly
one command.

	spec, _ := command.Lookup("cp")
	use := spec.Match(args) // cp -rt dir a: writes dir, reads the tree a

The package asks neither disk nor environment nor clock, keeps no state, and parses nothing
at start-up: Lookup halves the sorted text of a table and parses the one entry that it finds,
and options are parsed when a line gives them. An entry costs a few microseconds, which
[Table.Keeping] saves whoever asks for the same ones thousands of times.

# Unknown programs

Lookup does not know every program. Match on the nil *Spec gives the generic reading: each
word that looks like a name, or holds one behind "=" or "@", may be read and written
([Possible]); an address is contacted; and the first word that is itself the name of a
dangerous program may start it with the words behind it, because wrappers are an open set.

# Entries

An entry is a header line and indented lines. One line may be all of it:

	rm: closed -f,--force -r,-R,--recursive!recursive -v,--verbose : D*

A name, a colon, then classes, marks (with an exclamation mark) and options (with a dash), and
behind a lone colon what the operands are. Further lines are:

	-i,--in-place=_?                 more options
	with -e -f : R*                  operands when one of these options is given
	with -i&-e : RW*                 operands when both are
	: SED R*                         operands in all other cases
	ok: sed -n 1,3p f => read f      a harmless line, and all that it does
	no: sed -i d f => read f; write f     another line, and all that it does
	push, p: -f!git.force-push : _*  a sub-command; its own lines are indented deeper

Sub-commands stand last, and their operands and options as those of a program. The options of
the program stay valid behind them, and so do its classes closed, dash and remote. A star in a
name stands for anything ("delete-*"); the first name that fits counts. `egrep = grep` makes a
second name. Entries are sorted by their bytes. Lines that begin with # are comments.

Classes:

	read-only     it changes nothing, unless an option or operand says so
	closed        the entry has every option, so another one is in Use.Unknown
	posix         options end at the first operand (env, timeout, xargs)
	dash          long options with one dash, no bundles (go, java, terraform)
	plus          +x is an option (bash)
	old           the first word may be a bundle without a dash (tar xf)
	raw           no options: the words follow a grammar of their own (find, dd)
	remote        what it starts runs elsewhere, so its names are not names here
	versioned     it is installed under names with a version too (gcc-13)
	project=FILE  it executes this file of the directory that it works in; "|" separates several
	filter=HOW    where output comes from: copy, transform, decode of the input; fetch, settings, environment, endless
	stdin=LANG    without operands it executes standard input as this language
	stdin=LANG?   the same, where the line gives it one: a console that a person may type into

An option lists its spellings, joined by commas. "=KIND" says what its value is, and "=KIND?"
that the value must stand in the same word. A long option may be shortened as getopt_long(3)
allows; if several could be meant, all of them count.

Operands are kinds: one each, or "?" for none or one, "*" for any number, "+" for at least
one. The last of `R+ W` is written. A parameter follows a colon: "CODE:python". A name kind
with a parameter has it as its default: `N:.*` lists "." when nothing is named.

Kinds of names are letters, several for several things: R is read, N listed, W written, A
appended to, M changed in mode or owner, C created, L linked, D deleted, E executed. A moved
file is RD. Other kinds:

	_             data
	DIR           the folder that the rest works in; DIR:repo is one with a configuration of git
	SRC:LANG      a file that is executed; "-" is standard input
	CODE:LANG     program text; CODE:sh is text for a shell
	SH            text for a shell; as an operand all words that are left, joined
	X             a program, with arguments in the same word; X:file adds a file found later
	ARGV          a command line in one word, split at blanks without a shell
	CMD           a command, from here to the end; CMD:assign behind NAME=value words,
	              CMD:stdin with more operands from standard input, CMD:tail with options
	REST          a command, from here to ";" or the end (fd -x)
	LIB           a library that is loaded, when it is a path
	ASSIGN        NAME=value for what is started
	UNSET         the name of a variable that what is started does not get
	ARG           data, and a name to read when it looks like one (words for a script)
	AT            data, or @NAME of a file; AT:form is field=@NAME
	URL:SCHEME    an address; SCHEME when it has none
	HOST:SCHEME   [user@]host[:port]
	REMOTE        host:name there, or a name here; REMOTE:W when it is written
	NAMES         a file of names, which are read; "-" is standard input
	LISTEN        host:port that a server binds; HOSTBIND without the port
	METHOD        an HTTP method
	SQL           statements

and the small languages of single programs: AWK, DC, DD, FIND, GCC, GDB, GITURL, GITCFG,
REFSPEC, SED, SOCAT, SSHOPT, TAR, VIM, DOCKERVOL and so on, each a function beside the table of
kinds.

Marks. recursive, append, meta, link, list, nofollow and uses are the [Flags] of operands, or of the
value that they stand at; an option without a value marks all that is read as used. shows says that
what is used may be printed or written, as an option does that the entry does not have.
secrets says that what is started gets secrets in its environment. upload says that bytes go out, sends-input that those of standard input do, dry that nothing is done, last that
no options follow, clear that what is started gets an empty environment, changes that something without a name changes (a branch), here that a name does not start from the folder that the line changes to,
remote that a command runs elsewhere, write-here that what is fetched is written under its own
name, names that standard input is a list of names that are read, dump that all of a database is copied here, data=LANG that what is read is in this language and may name
files that are taken in; stdin=LANG and filter=HOW are as the classes. A mark with a dot is a hazard.

# Hazards

table/hazards.txt defines each once: the id, which is public and does not change, a risk, and
the sentence that a person is told. Risk 1 informs, 2 wants a question, 3 cannot be undone or
leaves the machine. What a judge can tell from names, such as a deletion inside the workspace,
is not a hazard above 1: rm -r is rm.recursive, risk 1, and a touch with [Delete] and
[Recursive].

# Words that are not known

An [Arg] that is neither Static nor Glob is known by its prefix at most. It keeps its place. If
it could begin with a dash, and the entry has an option that does harm, it is in Use.Opaque
with the worst of them. A name, a host or a command that it is part of is not Static; the
caller judges it as unknown.

# Entries of a person's own

[Parse] reads entries in the same words from a person's configuration, checks all of them, and
puts them in front of the built-in ones. A [ParseError] names the entry and the line. The
examples of own entries are not executed.

	# deploys to the staging machine, or to production with --prod
	shipit: closed -v,--verbose -c,--config=R --prod!cloud.change
	  push: -n,--dry-run!dry --exec=SH : R+
	  status: read-only : _*
	ship = shipit

# Limits

What begins with keys that somebody types later, such as "!sh" in a pager, is not in the words
of a command line and not here. Options of entries that are not closed may take values of
which the table does not know; such a value is read as an operand. Time is linear in the line.
*/
package command
