// Package frozen writes a resolved plan as bytes that need no disk, and reads it back, so that the
// verdict of another policy can be found out long after the command ran.
//
// A frozen plan has what a judgement reads: the commands, effects, codes and opaque pieces of the
// script, the real files behind the names with their kinds and sizes, the programs, patterns,
// hosts and registries, and the same of the scripts that the line executes. It also has the
// answers to what the judgement asked about the disk (resolve.Answers). A question that was not
// asked then has no answer, and a policy that depends on it cannot be tried: [Frozen.Unanswered].
//
// It leaves out the text of files, the values of environment variables, descriptors, and inodes,
// which mean other files later: what the policy knew by its inode has a name in its place
// (pathguard.Policy.Named).
//
// # Format
//
// The bytes are a line and a body:
//
//	tada-plan/1 <16 hex>\n
//
// The hex digits are the beginning of the SHA-256 over the names and types of all fields. Bytes
// with other digits were written by a version with other fields. They are refused with [ErrOther]:
// a field that is missing would be a guess.
//
// The body is a value of type [Frozen], by these rules. An integer is a varint, an unsigned one a
// uvarint (encoding/binary). A text is the uvarint of its index in the list of all texts before
// it; the index one past the end adds a text, whose length and bytes follow. A structure is a
// uvarint with a bit for each field that is not zero, the first field in the lowest bit, and then
// these fields; true has no more than its bit. A list is its length and its elements. A map is the
// same with key and value, in the order of the keys. A pointer that is not nil is what it points
// to. Functions and fields that other packages cannot see are left out.
//
// Equal plans have equal bytes, and the SHA-256 of the bytes is the name of the plan in the record.
package frozen
