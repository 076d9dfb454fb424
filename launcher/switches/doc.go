// Package switches finds the settings by which the program of an agent stops calling hooks, or
// starts its commands with another shell. Which these are is a fact about each program (package
// agents).
package switches
