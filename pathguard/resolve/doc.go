// Package resolve finds the real files behind the names of a script, opens each once, and binds
// what would run. Package walk says how a name is followed: a link at its end by what opens, not by
// what unlinks or renames.
//
// Every target is opened with O_PATH, which needs no permission on the file, waits for no FIFO and
// starts no device; on macOS, which has no O_PATH, only files, directories and links are opened.
// The target carries its device, inode and mode; that inode is shown, hashed and granted. If the
// name does not exist, the nearest existing directory is opened and the rest is kept as text. If a
// directory cannot be searched, or is gone, the rest of the way is read as text too.
//
// A pattern is expanded when the plan is made. At most 4,096 matches become targets; if there are
// more, the verdict asks, with the count. The files that find(1) would pass to an interpreter
// (-exec sh {} \;) are bound as well, at most 64. At most 256 files stay open; the others are bound
// by device and inode alone. Later names follow a link that the script makes as if the link existed
// already.
//
// A program is looked up as the shell does, in the PATH that the command would get, and bound by
// path, inode, size and time; a program that an ordinary user can write, by SHA-256 as well.
// Programs that npx, uv run and similar tools find in their own places, or fetch, are looked for
// there, and do not count as missing if they are not found. A program that runs in a container or
// on another machine is not a file of this machine. Every file whose text decides what runs is
// bound as well: operands of interpreters, makefiles, package.json. A file above 16 MiB has no
// hash, and Content.Why says so.
//
// The text of such a file is parsed too, as if it were in the command line: shell scripts, given by
// name or as an operand, on standard input and sourced, the latter also from PATH; scripts of
// package.json with those before and after them; recipes of makefiles, including those of -f and of
// standard input, in the directory that -C says; and python, javascript, perl and ruby as far as
// their reader goes. It is the text that was hashed. At most 64 KiB of a file, three files deep and
// 16 files in all are parsed; beyond that a file is bound and not parsed. Every variable except
// HOME, USER, LOGNAME and TMPDIR is unknown in it, and so is every argument that the command line
// does not give: whether "$1/x" is "/x" there depends on the tests around it. In a makefile, the
// recipes that the goals certainly need are parsed, and the commands that make starts while it
// reads; values that only make could insert stay unknown. The makefiles that it includes are bound
// like it, and not parsed.
//
// [Plan.Facts] gives all of it as plain data, in an order that the same plan always has, for
// the launcher to encode, hash and show.
package resolve
