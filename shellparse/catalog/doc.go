// Package catalog holds facts about single names, as text: one table for each subject, and one
// reader for all of them.
//
//	git.txt      settings of git that make it run or obey something
//	environ.txt  environment variables
//	later.txt    names in a workspace that other programs run or obey later
//	secrets.txt  variables, files and values that hold secrets
//
// Facts about agent programs are in the folder agents, one file for each agent; the names in those
// files are entries of these tables.
//
// An entry is a line, or one for several names that have the same facts:
//
//	NAME...: FACT...          # why
//
// A fact is a word, or WORD=VALUE; a value with blanks is put between double quotes, and commas
// separate several. A name may contain one star, which matches any text. The head of each table
// explains its words. No name is in a table twice.
//
// A [Table] returns what is written and decides nothing: the judge, the scrubber of the environment
// and the comparison of git's folders before and after a run read the same entry, and each draws
// its own conclusion. A name without an entry has the zero [Entry], which has no facts, so a reader
// must ask for the fact that permits, or treat a missing entry as dangerous. Tables are read at
// their first use and do not change.
//
// The package is below shellparse because no package below shellparse needs it. It imports nothing
// from this module except those files, so that packages of every floor may read it.
package catalog
