// Package filter runs the programs that are used to hide a command from whoever reads the line:
// base64 -d, xxd -r -p, gunzip, rev, tr, plain sed and their like.
//
// A filter is followed only as far as every version of the program does the same with the same
// bytes; the tests compare each with the program. Whatever is not certain is refused, and the
// caller then knows nothing of the output but where it comes from.
//
// What it earns: encoded text that reaches a shell is shown and judged as what it says.
package filter

const (
	// MaxOutput is how many bytes a filter reads and makes.
	MaxOutput = 1 << 15
	maxEdits  = 64 // of one sed script
)
