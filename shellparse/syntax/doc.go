// Package syntax reads the text of a command line. It knows what the text is, and nothing about
// what it would do.
//
// A person or a policy judges a tree, and a shell executes a text. Both must be the same program,
// although the author of the text may want them to differ. Three steps ensure that:
//
//   - [Gate] looks at the raw bytes, because the parser drops or joins what bash keeps, and a
//     reader does not see it. Control characters, invisible and bidirectional characters and
//     invalid UTF-8 are refused; look-alikes are marked only.
//   - [Parse] reads the text with mvdan.cc/sh/v3/syntax in the grammar of a [Dialect], to a
//     depth that cannot exhaust the stack. [Guard] then refuses each construct that this parser
//     and the shell are known to read differently. guard.go has the list; a fuzzer that runs
//     both on the same text looks for more.
//   - [Canonical] prints the tree without its comments. The print must parse to the same tree and
//     pass the same guards. It is what must be executed, by the shell of the dialect and no
//     other: dash, for example, expands aliases and does not know &>.
package syntax
