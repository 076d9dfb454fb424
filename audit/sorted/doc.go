// Package sorted sorts records of which there may be more than fit in memory: two lists of millions
// are compared in some MiB, by reading both in the same order.
//
// A record is bytes, and comes before another if its bytes do. [AppendKey] begins a record with a
// text that it is about, so that the records about one text are beside each other.
package sorted
