// Release makes all that is handed out of one commit: archives, packages of Linux distributions and
// of npm, a formula, an installer, a list of what is inside (SBOM), where it comes from, checksums
// and signatures.
//
//	go run ./packaging/release -to DIR              what make packages does
//	go run ./packaging/release -to DIR -tagged -key FILE
//	                                                what make release does
//
// Names, addresses and the public key are in packaging/release.env. What needs one that is empty is
// left out, and a line says so; with -tagged it is an error, as is a commit without a tag, a change
// that is not committed, and a key that is not the public one's.
//
// The same commit gives the same bytes, in any folder and on any machine with the same Go. So
// nothing here takes the time or a name from the machine: the time is that of the commit, files are
// sorted, owners are root, and of the environment the go command keeps only where its caches are.
package main
