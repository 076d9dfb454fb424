// Package exit has the exit statuses of tada-run.
package exit

// What tada-run exits with, beside the command's own.
const (
	Usage    = 2   // the command line of tada-run is wrong, or empty
	Pending  = 75  // a person has to answer first (EX_TEMPFAIL of sysexits.h)
	Tampered = 77  // protected files were changed from outside (EX_NOPERM)
	Config   = 78  // configuration or state was refused (EX_CONFIG)
	Failed   = 125 // tada-run itself failed, and nothing ran
	Denied   = 126 // denied, or found but not executable
	NotFound = 127
)
