// Package plans stores the plans of runs: bytes whose meaning it does not know, each once, under
// their SHA-256. The log names them (the member plan of an entry exec.intent), and so vouches for
// them; a file whose bytes were changed is no plan of that name.
//
// # The folder
//
//	<64 hex>          one plan
//	pack.NNNNNN.zst   many: for each its length, 4 bytes, little endian, and its bytes; in the
//	                  seekable format of zstd, as transcripts at rest
//	index             where each packed plan is; derived from the packs
//	lock              held by the process that changes packs
//
// A plan is written when its run is announced, and is not waited for to be on the disk: after a
// power cut it can be missing, and then its run cannot be judged again, which audit verify says.
// [Pack] gathers the plans into a pack, at most 64 MiB of them at a time. Nothing of them is lost
// by that, and a process that dies in it leaves what the next one completes.
package plans
