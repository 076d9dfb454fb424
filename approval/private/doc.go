// Package private opens files that belong to this user and are closed to others: the approval
// database, keys, trust lists. It refuses a file that others own, or may read or write, and a
// folder in which they could replace it.
package private
