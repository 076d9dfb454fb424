//go:build !linux

package launcher

import "os"

// A desk holds sessions, on Linux only.
type desk struct{ private never }

type never struct{}

func (never) Load() bool { return false }

func newDesk(*run) *desk   { return &desk{} }
func (*desk) serve() error { return supported() }
func (*desk) show([]byte)  {}
func (*desk) close()       {}
func (*desk) end(_, _ int) {}
func (*run) hangUp()       {}

// A doorway is in a session, on Linux only.
type doorway struct{ theirs *os.File }

func newDoorway(*run) (*doorway, error) { return nil, supported() }
func (*doorway) open()                  {}
func (*doorway) close()                 {}

// Dial returns the error of an unsupported system.
func (l *Launcher) Dial(prefix string) (conn *os.File, id string, err error) {
	return nil, prefix, supported()
}

// QuestionOf returns no question.
func QuestionOf(Request) Question { return Question{} }

// AskOutside returns ErrNoOutside.
func AskOutside(Question, string) (Reply, error) { return Reply{}, ErrNoOutside }
