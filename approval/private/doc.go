// Package private opens files that belong to this user and are closed to others: the approval
// database, keys, trust lists. A file that others own, or may read or write, is refused, and so is
// a folder in which they could exchange it.
package private
