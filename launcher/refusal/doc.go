// Package refusal is the message when nothing runs: to a person in one line, in English or Chinese,
// and to the program that asked as JSON.
//
// A [Refusal] never names a way to weaken the policy, because its reader may be the one that wants
// to. Its status, code and retry are for programs and the same in every language. Its length is
// bounded: a program reads it as the output of its command, and a generated script has hundreds of
// reasons.
package refusal
