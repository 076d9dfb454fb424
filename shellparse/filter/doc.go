// Package filter runs the programs that are used to hide a command from whoever reads the line:
// base64 -d, xxd -r -p, rev, tac, plain tr and sed. What others print is taken for encoded text.
//
// A filter is followed only as far as every version of the program does the same with the same
// bytes; the tests compare each with the program. Whatever is not certain is refused, and the
// caller then knows nothing of the output but where it comes from.
//
// What it earns: of 13543 hostile lines make ablate counts 14 that are denied thanks to it, as they
// hide the name of a restricted file, and would only be asked about.
package filter

// MaxOutput is how many bytes a filter reads and makes.
const MaxOutput = 1 << 15
