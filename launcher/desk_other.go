//go:build !linux

package launcher

import "os"

// A desk holds sessions, on Linux only.
type desk struct{ private never }

type never struct{}

func (never) Load() bool { return false }

func newDesk(*started) *desk { return &desk{} }
func (*desk) serve() error   { return supported() }
func (*desk) show([]byte)    {}
func (*desk) close()         {}
func (*desk) end(_, _ int)   {}
func (*started) hangUp()     {}

// A requestServer is in a session, on Linux only.
type requestServer struct{}

func newRequestServer(*started, *requestPair) *requestServer { return &requestServer{} }
func (*requestServer) open()                                 {}
func (*requestServer) close()                                {}

// Dial returns the error of an unsupported system.
func (l *Launcher) Dial(prefix string) (conn *os.File, id string, err error) {
	return nil, prefix, supported()
}

// QuestionOf returns no question.
func QuestionOf(Request) Question { return Question{} }

// AskOutside returns ErrNoOutside.
func AskOutside(Question, string) (Reply, error) { return Reply{}, ErrNoOutside }
