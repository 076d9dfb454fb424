// Package audit keeps what happened, in order, so that nobody can quietly
// change it.
package audit
