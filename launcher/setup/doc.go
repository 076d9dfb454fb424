// Package setup writes into the settings of other programs on a person's behalf, and puts back what
// was there. A file with something of tada-run in it is protected as tada-run's own configuration.
package setup
