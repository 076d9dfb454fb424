// Package distant shows and answers the questions of other machines of the fleet, for programs that
// link no client of etcd.
//
// The connection is that of tada-fleet, which is started as a child: once for the list, which it
// prints anew at each change until its standard input ends (tadactl fleet pending --follow), and
// once for each answer. A line of the list is News, as JSON. An answer is signed by the person's
// key, in tada-fleet at the terminal or by the caller, and the machine that asks checks it; what
// stands between them can hold it back, and no more.
//
// A machine that is in no fleet, or has no key of a person, has no such questions, and no child is
// started.
package distant
