// Package filter runs the programs that are used to hide a command from a reader of the line:
// base64 -d, xxd -r -p, rev, tac, plain tr and sed. The output of other programs is treated as
// encoded text.
//
// A filter is followed only as far as every version of the program does the same with the same
// bytes; the tests compare each with the program. Anything uncertain is refused, and the caller
// then knows nothing about the output except where it comes from.
//
// What it earns: make ablate counts 14 of 13543 hostile lines that hide the name of a restricted
// file and are denied thanks to this package; without it they would only be asked about.
package filter

// MaxOutput is how many bytes a filter reads and makes.
const MaxOutput = 1 << 15
