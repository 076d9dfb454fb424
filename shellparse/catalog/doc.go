// Package catalog holds what is known about single names, as text: one table for each subject,
// and one reader for all of them.
//
//	git.txt      settings of git by which it runs or obeys something
//	environ.txt  environment variables
//	later.txt    names in a workspace that others run or obey later
//	secrets.txt  variables, files and values that hold secrets
//
// What is known about the programs of agents is in the folder agents, a file for each; the names
// among it are entries of these tables.
//
// An entry is a line, or one for several names that have the same facts:
//
//	NAME...: FACT...          # why
//
// A fact is a word, or WORD=VALUE; a value with blanks is put between double quotes, and
// commas separate several. A name may have one star, which stands for any text. The head of each
// table explains its words. No name is in a table twice.
//
// A [Table] answers what is written and decides nothing: the judge, the scrubber of the
// environment and the comparison of git's folders before and after a run read the same entry,
// and each draws its own conclusion. A name without an entry has the zero [Entry], which has
// no facts, so that readers must ask for the fact that permits, or take what they do not find
// for dangerous. Tables are read at their first use and do not change.
//
// The package is below shellparse because nothing that needs it is lower, and imports
// nothing of this module but those files, so that packages of every floor may read it.
package catalog
