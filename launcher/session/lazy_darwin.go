package session

// hasReader returns true: a process is not told which system call another one is in, and it is
// better to take the keys than to leave a command waiting for ever.
func hasReader(uint64) bool { return true }
