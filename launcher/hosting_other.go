//go:build !linux

package launcher

import (
	"os"

	"github.com/tada-run/tada-run/launcher/control"
)

func (*started) hangUp()                  {}
func (*started) session() control.Session { return control.Session{} }
func (*Launcher) sweepSockets()           {}

// A requestServer is in a session, on Linux only.
type requestServer struct{}

func newRequestServer(*started, *control.Pair) *requestServer { return &requestServer{} }
func (*requestServer) Open()                                  {}
func (*requestServer) close()                                 {}

// Dial returns the error of an unsupported system.
func (l *Launcher) Dial(prefix string) (conn *os.File, id string, err error) {
	return nil, prefix, supported()
}

// QuestionOf returns no question.
func QuestionOf(Request) control.Question { return control.Question{} }
