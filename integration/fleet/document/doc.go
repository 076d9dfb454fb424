// Package document reads and writes what the members of a fleet agree on. Each document is signed,
// so that it does not matter who carries or stores it.
//
// # The format
//
// A document is a C2SP signed note (https://c2sp.org/signed-note). Its text has two lines:
//
//	tada-fleet/v1 KIND
//	{...}
//
// The second line is an object in the one spelling of package canonical. A signature line names the
// person whose key made it; the keys are those of `tadactl key init`. No answer to a question
// begins like the first line, so a signature of one kind is never taken for one of another.
//
// # The kinds
//
//	fleet     [Fleet]: who is in charge, whose answers count, which machines are revoked
//	machine   [Machine]: a machine's name, owner and labels, signed by the registrar
//	freeze    [Freeze]: nothing new starts on the machines of a label
//	thaw      [Thaw]: the end of a freeze, signed by two people
//	policy    [Bundle]: a configuration for the machines of a label
//
// # Order
//
// A fleet document has a serial, and is signed by an administrator of the document before it. A
// machine keeps the newest that it has seen and refuses an older one ([Fleet.Follows]), so whoever
// stores the documents can hold back a newer one, but never bring back an older one. What has to
// end at once must not depend on that: see the lifetime of answers and of certificates.
package document
