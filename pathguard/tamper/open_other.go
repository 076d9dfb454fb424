//go:build !linux

package tamper

// forNothing opens a folder to read it: without O_PATH that is the least.
const forNothing = 0
