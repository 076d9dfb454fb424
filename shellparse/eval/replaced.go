package eval

// An ioState is what a command's redirections have replaced.
type ioState struct {
	in, out *stream
	fds     []descriptor
	capture bool
	file    value // where standard output goes; nil when it is not redirected to a file
	more    bool
	moved   bool // standard output goes elsewhere
	span    Span // of file
}
