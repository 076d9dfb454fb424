package eval

import shsyntax "github.com/tada-run/tada-run/shellparse/syntax"

// The limits of one evaluation. Beyond any of them the Script says so in an Opaque with the
// place InText or InCode and keeps what it has found.
const (
	maxDepth   = shsyntax.MaxDepth
	maxNested  = 32      // shells inside shells
	maxSteps   = 20000   // statements evaluated, counting each round of a loop
	MaxEffects = 5000    // and commands and unknown pieces, each
	maxFields  = 1024    // words of one command, after braces
	maxWords   = 1 << 17 // of all commands: "set -- $@ x" in a loop would need their square
)

// maxBatches bounds how often a wrapper's command is evaluated.
const maxBatches = 64

// longSequence is how many numbers of seq(1) are followed one by one.
const longSequence = maxBatches
