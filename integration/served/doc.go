// Package served builds the programs of integration/servers and runs them for tests: real servers,
// on free ports of the loopback interface, with their data in a temporary folder.
//
// The servers are a module of their own, so that nothing of them is linked or tested with the
// programs. A program is built once for the tests of a package. If its modules cannot be had, the
// test is skipped and says why. A server ends with the test, or when its process is killed.
package served
