// Package live acts on runs that have not ended: it ends or pauses them, and connects to sessions.
// Each run has a process that started it and records it, its launcher. A run is reached through
// that process: it is told by a signal, or through its socket.
package live
