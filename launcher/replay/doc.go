// Package replay judges recorded runs again, by the plans on record: under another policy, to find
// rules that would have spared questions, and to find what no run has needed.
package replay
