// Package sandbox is the kernel fence around one child: a Profile goes in, a running
// Process comes out, and a Receipt says which Level was really reached.
//
// There is no setuid program, no helper binary and no cgo, and no way to start a command without a fence.
package sandbox
