// Package resolve finds the real files behind the names of a script, opens each once, and binds
// what would run. Package walk says how a name is followed: a link at its end by what opens, not by
// what unlinks or renames.
//
// Every target is opened with O_PATH, which needs no permission on the file, waits for no
// FIFO and starts no device, and is carried with its device, inode and mode. What is shown,
// hashed and granted is that inode. Where the name does not exist, the nearest existing
// directory is opened and the rest is kept as text. Where a directory cannot be searched,
// or is gone, the rest of the way is read as text too.
//
// A pattern is expanded now. At most 4,096 matches become targets; when there are more the
// verdict asks, with the count. What find(1) would hand to an interpreter now (-exec sh {} \;) is
// bound as well, 64 files of it. At most 256 files stay open; the others are bound by device
// and inode alone. A link that the script makes itself is followed by later names as if it
// stood there already.
//
// A program is looked up as the shell does, in the PATH that the command would get, and bound by
// path, inode, size and time; one that an ordinary user can write, by SHA-256 as well. What npx, uv
// run and their like find in places of their own, or fetch, is looked for there and is not missing
// when it is not; what runs in a container or on another machine is no file of this one. So is
// every file whose text decides what runs: operands of interpreters, makefiles, package.json. A
// file above 16 MiB has no hash, and Content.Why says so.
//
// What such a file says is read too, as if it stood in the command line: shell scripts, by their
// name or as an operand, on standard input and sourced, then also where PATH has them; scripts of
// package.json with those before and after them; recipes of makefiles, those of -f and of standard
// input too, in the directory that -C says; and python, javascript, perl and ruby as far as their
// reader goes. The text is the very one that was hashed. It is at most 64 KiB long, three files
// deep and 16 files in all; behind that a file is bound and not read. Every variable but HOME,
// USER, LOGNAME and TMPDIR is unknown in it, and so is every argument that the command line does
// not give: whether "$1/x" is "/x" there depends on tests that stand around it. Of a makefile, the
// recipes are read that the goals certainly need, and what make starts while it reads; what only
// make could put in stays unknown. The makefiles that it takes in are bound like it, and not read.
//
// [Plan.Facts] gives all of it as plain data, in an order that the same plan always has, for
// the launcher to encode, hash and show.
package resolve
